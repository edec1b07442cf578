"""Notion's own client, `@notionhq/client`, works through every endpoint, and its types judge the answers."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

Json = dict[str, Any]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180), pytest.mark.xdist_group("official client")]

VERSIONS = ("2025-09-03", "2026-03-11")


@pytest.fixture(scope="module")
def told(stage: Any, node: Callable[..., str]) -> list[Json]:
    """What the client told of its scenarios, each run in either version."""
    lines: list[Json] = []
    for version in VERSIONS:
        place = {
            "baseUrl": stage.url,
            "auth": stage.workspace.token,
            "version": version,
            "root": stage.workspace.root_page_id,
            "connection": stage.new_code(),
        }
        said = node("scenarios.mjs", json.dumps(place))
        lines += [json.loads(line) | {"version": version} for line in said.splitlines()]
    return lines


def test_every_scenario_of_the_official_client_succeeds(told: list[Json]) -> None:
    failed = [line for line in told if line.get("failed")]

    assert failed == []


def test_every_endpoint_that_the_official_client_knows_was_called(
    told: list[Json], stage: Any, types: Any
) -> None:
    assert len(types.shared()) >= 36
    assert types.shared() - stage.witness.served() == set()


def test_every_answer_to_the_official_client_is_of_the_type_that_it_declares(
    told: list[Json], stage: Any, types: Any
) -> None:
    good = [exchange for exchange in stage.witness.exchanges if exchange.status == 200]
    faults = {fault for exchange in good for fault in types.faults(exchange)}

    assert sorted(faults) == []


def test_an_answer_with_a_field_missing_or_too_many_is_not_of_its_type(
    told: list[Json], stage: Any, types: Any
) -> None:
    exchange = next(
        exchange for exchange in stage.witness.exchanges if exchange.endpoint == "GET /pages/{page_id}"
    )
    whole = exchange.answer
    lacking = {key: value for key, value in whole.items() if key != "public_url"}

    assert types.faults(replace(exchange, answer=whole)) == []
    assert types.faults(replace(exchange, answer=lacking))
    assert types.faults(replace(exchange, answer=whole | {"colour": "blue"}))
