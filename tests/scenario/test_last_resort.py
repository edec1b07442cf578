"""Faults that nobody foresaw, and input that is no text: a sentence and a code, never a traceback."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lakelight.bootstrap.embedded import EmbeddedError
from lakelight.bootstrap.home import Place
from lakelight.bootstrap.house import open_state
from lakelight.bootstrap.seed import seed
from lakelight.clock import SystemClock
from lakelight.messages import Messages

DEEP = 20_000


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_fault_of_ours_is_told_as_a_sentence_and_its_traceback_is_logged(office: Any) -> None:
    await office.ticket()
    await office.work()
    with closing(sqlite3.connect(office.folder / "state.db")) as connection:
        connection.execute("UPDATE steps SET content = 'no JSON'")
        connection.commit()

    told = await office.process("--lang", "en", "tickets", "show", "T-1")
    zh = await office.process("--lang", "zh", "tickets", "show", "T-1")
    shown = await office.process("tickets", "show", "T-1", LAKELIGHT_DEBUG="1")

    log = office.home / "lakelight.log"
    faults = [
        line for line in map(json.loads, log.read_text().splitlines()) if line["event"] == "command.fault"
    ]
    assert (told.code, zh.code, shown.code) == (1, 1, 1)
    assert "Traceback" not in told.err + zh.err
    assert told.err.count("\n") == 1
    assert "JSONDecodeError" in told.err
    assert str(log) in told.err
    assert "下一步" in zh.err
    assert "Traceback" in shown.err
    assert len(faults) == 2
    assert all("Traceback" in fault["traceback"] for fault in faults)


@pytest.mark.slow
async def test_an_argument_that_is_no_text_is_refused(process: Callable[..., Any], tmp_path: Path) -> None:
    done = await process(tmp_path, "--lang", "en", "ask", "read \udcff")

    assert done.code == 2
    assert "UTF-8" in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [f"a = {'[' * DEEP}", f"a{'.a' * DEEP} = 1", f"a = {'{a=' * DEEP}"],
    ids=["lists", "keys", "tables"],
)
def test_a_file_of_models_that_is_nested_too_deep_is_named(
    command: Callable[..., Any], tmp_path: Path, text: str
) -> None:
    (tmp_path / "models.toml").write_text(text)

    done = command(
        tmp_path,
        "--lang",
        "en",
        "doctor",
        "--json",
        GH_LLM_API_KEY="k" * 20,
        GH_LLM_BASE_URL="http://127.0.0.1:9/v1",
    )

    models = next(each for each in done.data["checks"] if each["name"] == "model")
    assert done.code == 3
    assert models["state"] == "problem"
    assert "models.toml" in models["message"]


async def test_a_workspace_that_is_full_before_it_is_furnished_is_told(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    async with opened(tmp_path, max_pages=120) as office:
        await office.write_until_full(office.workspace.root_page_id)
        folder = tmp_path / "state"
        folder.mkdir()
        place = Place(kind="embedded", folder=folder, base_url=office.url, token=office.workspace.token)
        database = open_state(place, SystemClock())

        with pytest.raises(EmbeddedError) as caught:
            await seed(place, office.workspace, database, SystemClock())

        database.close()
    assert "full" in str(caught.value.facts["cause"])
    assert "Next step: check disk space" in Messages("en").explain(caught.value)
