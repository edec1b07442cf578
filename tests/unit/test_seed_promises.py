"""Figures and shapes that the documents of the start name, as they are now: defaults, the roster, the log."""

import json
import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lakelight.cli.logs import start_log
from lakelight.clock import SystemClock
from lakelight.notion.budget import NoBudget
from lakelight.notion.http import HttpNotion
from lakelight.redaction import Secrets
from lakelight.settings import DEFAULT_MODEL_URL, Settings, load
from lakelight.tickets.assignment import Assigned, assign
from lakelight.tickets.columns import Mapped
from lakelight.tickets.roster import parse_roster
from lakelight.tickets.ticket import Ticket, parse_ticket
from notion_embedded.server import open_workspace, serve


def test_the_figures_of_the_documents_are_the_defaults() -> None:
    settings = Settings()

    assert settings.tickets.poll_seconds == 30
    assert settings.tickets.persona_seconds == 600
    assert settings.model.timeout == 120
    assert list(settings.notion.retry_waits) == [1, 2, 4]
    assert list(settings.model.retry_waits) == [1, 2, 4]
    assert settings.tickets.statuses.ready == "待开发"
    assert DEFAULT_MODEL_URL == "https://dashscope.aliyuncs.com/compatible-mode/v1"


def test_both_keys_are_taken_from_the_environment(tmp_path: Path) -> None:
    settings = load(tmp_path, {"GH_NOTION_TOKEN": "ntn_1", "GH_LLM_API_KEY": "sk-1"}).settings

    assert settings.notion.token is not None
    assert settings.model.api_key is not None
    assert settings.notion.token.get_secret_value() == "ntn_1"
    assert settings.model.api_key.get_secret_value() == "sk-1"


AGENTS = {
    "译典A05": ("5TH-LE-HK-A05", "译典·配置开发"),
    "培园A04": ("5TH-LE-HK-A04", "培园·功能开发"),
    "录册A02": ("5TH-LE-HK-A02", "录册·知识管理"),
    "半体A01": ("5TH-LE-HK-A01", "半体·一"),
    "半体A03": ("5TH-LE-HK-A03", "半体·三"),
    "半体A06": ("5TH-LE-HK-A06", "半体·六"),
    "半体A07": ("5TH-LE-HK-A07", "半体·七"),
    "半体A08": ("5TH-LE-HK-A08", "半体·八"),
    "半体A09": ("5TH-LE-HK-A09", "半体·九"),
}


def test_nine_agents_stand_in_a_roster_and_each_gets_its_own_ticket() -> None:
    page = "1f2e3d4c-5b6a-4798-8877-66554433{:04d}"
    entries = {
        key: {
            "id": identifier,
            "name": name,
            "role": "一",
            "instructionPageId": page.format(at),
            "memoryPageId": page.format(100 + at),
            "capabilities": ["coding"],
        }
        for at, (key, (identifier, name)) in enumerate(AGENTS.items())
    }
    roster = parse_roster(json.dumps(entries, ensure_ascii=False))

    assert [(agent.key, agent.id, agent.name) for agent in roster] == [
        (key, *rest) for key, rest in AGENTS.items()
    ]
    assert [agent.instruction_page_id for agent in roster] == [page.format(at) for at in range(9)]
    for key in AGENTS:
        answer = assign(_ticket(key), roster)
        assert isinstance(answer, Assigned)
        assert answer.agent.key == key


def _ticket(assignee: str) -> Ticket:
    return replace(parse_ticket({"object": "page", "id": "p"}, Mapped(columns={})), assignee=(assignee,))


@pytest.fixture
def restored_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("error", ["error"]),
    ],
)
@pytest.mark.usefixtures("restored_logging")
def test_the_log_level_is_how_much_is_logged(tmp_path: Path, level: str, kept: list[str]) -> None:
    file = tmp_path / "lakelight.log"
    start_log(file, level, Secrets([]))
    log = logging.getLogger("lakelight.test")

    for name in ("debug", "info", "warning", "error"):
        log.log(logging.getLevelNamesMapping()[name.upper()], "an event")

    assert [json.loads(line)["level"] for line in file.read_text().splitlines()] == kept


@pytest.fixture
async def notion(tmp_path: Path) -> AsyncIterator[tuple[HttpNotion, str]]:
    with open_workspace(tmp_path / "workspace.db") as workspace:
        async with serve(workspace) as url:
            notion = HttpNotion(workspace.token, clock=SystemClock(), budget=NoBudget(), base_url=url)
            yield notion, workspace.root_page_id
            await notion.aclose()


async def test_a_block_is_added_read_changed_and_deleted(notion: tuple[HttpNotion, str]) -> None:
    client, page = notion

    def paragraph(words: str) -> dict[str, Any]:
        return {"paragraph": {"rich_text": [{"text": {"content": words}}]}}

    added = await client.send("PATCH", f"/blocks/{page}/children", {"children": [paragraph("旧的")]})
    block = str(added.body["results"][0]["id"])

    await client.send("PATCH", f"/blocks/{block}", paragraph("新的"))
    changed = (await client.children(page)).blocks
    await client.send("DELETE", f"/blocks/{block}", {})
    after = (await client.children(page)).blocks

    assert [each["paragraph"]["rich_text"][0]["plain_text"] for each in changed if each["id"] == block] == [
        "新的"
    ]
    assert block not in [each["id"] for each in after]
