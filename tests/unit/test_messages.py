"""The two catalogues say the same things, leave no code without a sentence, and name only facts there are."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter
from typing import get_args, get_type_hints

import pytest

import lakelight
from lakelight.agent.chats import TurnFault
from lakelight.agent.runs import RunState
from lakelight.agent.undos import Result, UndoError
from lakelight.bootstrap.embedded import EmbeddedError, EmbeddedInUse
from lakelight.errors import (
    ConfigurationError,
    LakelightError,
    PermitError,
    StorageError,
    StorageFull,
    StorageNewer,
    TrailError,
)
from lakelight.guard import AlreadyDecided, ApprovalError, NoSuchApproval
from lakelight.guard.approvals import ApprovalState
from lakelight.guard.policy import RULES, Cap, Decision, Reason
from lakelight.jobs.lease import AlreadyRunning
from lakelight.llm.errors import (
    ModelError,
    ModelLimited,
    ModelOverlong,
    ModelRefused,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnreachable,
    ModelUnusable,
)
from lakelight.messages import Language, Messages, language_for, languages
from lakelight.messages.catalogue import catalogue
from lakelight.notion.errors import (
    NARROWED,
    BadProperty,
    BadReference,
    NotionConflict,
    NotionError,
    NotionIncomplete,
    NotionLimited,
    NotionRefused,
    NotionTooLarge,
    NotionUnreachable,
    ReadOnlyColumn,
    UnknownColumn,
    UnknownOption,
)
from lakelight.operations import Kind
from lakelight.operations.inverse import Why
from lakelight.tickets.assignment import SkipReason
from lakelight.tickets.columns import Problem
from lakelight.tickets.dispatcher import Taken
from lakelight.tickets.ledger import TicketState
from lakelight.tickets.mark import Need
from lakelight.tickets.personas import NoPersona
from lakelight.tickets.roster import OffReason
from lakelight.tickets.source import SourceError

MOST = 400
SOURCE = Path(lakelight.__file__).parent
CHECKS = (
    "config", "roster", "policy", "state", "trail", "notion",
    "tickets", "statuses", "personas", "model", "disk", "clock",
)  # fmt: skip
MADE_UP: dict[str, set[str]] = {
    "drop.in_trash": {"reason"},
    "drop.status_changed": {"reason"},
    "drop.ticket_changed": set(),
    "fail.refused": {"code", "status", "message"},
    "progress.ticket.backlog": {"ticket", "title"},
    "progress.ticket.dropped": {"ticket", "title", "reason"},
    "progress.ticket.skipped": {"ticket", "title", "reason"},
    "progress.ticket.started": {"ticket", "title", "agent", "by"},
    "progress.ticket.woken": {"ticket", "title"},
    "skip.agent_off": {"name", "off_reason"},
    "skip.assignee_unknown": {"name"},
    "skip.two_agents": {"names"},
    "skip.two_named": {"names"},
    "wait.asked_again": set(),
    "wait.fault": {"cause"},
    "wait.guard_deny": {"decision", "rule"},
    "wait.guard_preview_only": {"decision", "rule"},
    "fail.fault": {"cause"},
    **{f"off.{reason}": {"name"} for reason in get_args(OffReason)},
    **{f"wait.persona_{why}": {"name", "page"} for why in get_args(get_type_hints(NoPersona)["why"])},
    **{f"skip.{reason}": set() for reason in ("nobody", "echo")},
    **{f"guard.reason.{reason}": set() for reason in Reason},
    "guard.reason.level": {"needs", "level", "kind"},
}
"""The facts behind a key that no literal in the source spells out."""

EXAMPLES: tuple[LakelightError, ...] = (
    LakelightError(),
    ConfigurationError("config.file", file="lakelight.toml", cause="no TOML"),
    StorageError(cause="database is locked"),
    StorageFull(cause="database or disk is full"),
    StorageNewer(file="state.db", version=9, known=1),
    TurnFault(cause="KeyError"),
    TrailError(cause="storage.full"),
    PermitError(operation="op-1", why="spent"),
    ApprovalError(approval="A-7"),
    NoSuchApproval(approval="A-7"),
    AlreadyDecided(approval="A-7", state="approved", by="mei", at="2026-11-30T12:00:00.000Z"),
    UndoError(run="run_1"),
    AlreadyRunning(pid="41"),
    EmbeddedError(file="embedded.db", cause="database or disk is full"),
    EmbeddedInUse(file="embedded.db"),
    NotionError(),
    NotionRefused(status=400, notion_code="strange", message="No."),
    *(NotionRefused(status=400, notion_code=code, message="No.") for code in sorted(NARROWED)),
    NotionConflict(status=409, notion_code="conflict_error", message="Conflict."),
    NotionUnreachable("ReadTimeout"),
    NotionLimited(30.0, until=datetime(2026, 11, 30, tzinfo=UTC)),
    NotionLimited(30.0, until=datetime(2026, 11, 30, tzinfo=UTC), reason="blocked", blocked=True),
    NotionIncomplete("repeated_cursor"),
    NotionTooLarge("body.children", 100, 101),
    BadReference("hello"),
    BadProperty("约束", "no list"),
    UnknownColumn("约束", ["编号", "状态"]),
    UnknownOption("状态", "待确认", ["待开发", "已完成"]),
    ReadOnlyColumn("创建时间", "created_time"),
    ModelError(),
    ModelUnreachable("localhost:1", "html"),
    ModelTimeout("localhost:1", "qwen-plus", 120.0),
    ModelLimited("localhost:1", "qwen-plus", None),
    ModelUnauthorized("localhost:1"),
    ModelRefused("localhost:1", "qwen-plus", 404, "no such model"),
    ModelUnusable("qwen-plus", "empty"),
    ModelOverlong("qwen-plus", 8_000_000),
    SourceError("tickets.several_sources", title="半体工单", sources="a (1); b (2)"),
)


@dataclass(frozen=True, slots=True)
class Use:
    """One place in the source that leads to a sentence, with the facts that it gives."""

    key: str
    facts: frozenset[str] | None
    """None: they are put together elsewhere."""
    where: str


def errors() -> set[type[LakelightError]]:
    for module in pkgutil.walk_packages([str(SOURCE)], "lakelight."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    def below(parent: type[LakelightError]) -> Iterator[type[LakelightError]]:
        yield parent
        for child in parent.__subclasses__():
            yield from below(child)

    return {error for error in below(LakelightError) if error.__module__.startswith("lakelight.")}


def uses() -> list[Use]:
    plain = {error.__name__: error.code for error in errors() if error.__init__ is LakelightError.__init__}
    found: list[Use] = []
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                where = f"{file.relative_to(SOURCE)}:{node.lineno}"
                found.extend(Use(key, facts, where) for key, facts in called(node, plain))
    return found


def called(call: ast.Call, plain: dict[str, str]) -> list[tuple[str, frozenset[str] | None]]:
    """The keys that `call` leads to: an error raised, a text asked for, an event told, a reason given."""
    match call:
        case ast.Call(
            func=ast.Name(id="ConfigurationError" | "SourceError"),
            args=[ast.Constant(value=str() as key), *_],
        ):
            return [(key, given(call))]
        case ast.Call(func=ast.Attribute(attr="say"), args=[ast.Constant(value=str() as key), *_]):
            return [(key, given(call))]
        case ast.Call(func=ast.Attribute(attr="tell"), args=[ast.Constant(value=str() as event), *_]):
            return [(f"progress.{event}", given(call))]
        case ast.Call(func=ast.Name(id="_Wait" | "_Fail" as name)):
            return reasons(call, {"_Wait": "wait", "_Fail": "fail"}[name])
        case ast.Call(func=ast.Attribute()):
            return []
        case _:
            # `(StorageFull if full else StorageError)(…)` is a call of both.
            names = [node.id for node in ast.walk(call.func) if isinstance(node, ast.Name)]
            return [(plain[name], given(call)) for name in names if name in plain]


def given(call: ast.Call) -> frozenset[str] | None:
    names = [keyword.arg for keyword in call.keywords]
    return None if None in names else frozenset(filter(None, names))


def reasons(call: ast.Call, group: str) -> list[tuple[str, frozenset[str] | None]]:
    values = {keyword.arg: keyword.value for keyword in call.keywords}
    match values.get("reason"), values.get("facts"):
        case ast.Constant(value=str() as reason), ast.Dict(keys=keys):
            literal = [key.value for key in keys if isinstance(key, ast.Constant)]
            facts = frozenset(str(key) for key in literal) if len(literal) == len(keys) else None
            return [(f"{group}.{reason}", facts)]
        case ast.Constant(value=str() as reason), _:
            return [(f"{group}.{reason}", None)]
        case _:
            return []


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_keys() -> None:
    assert catalogue("zh").keys() == catalogue("en").keys()


def test_a_sentence_names_the_same_facts_in_both_languages() -> None:
    zh, en = catalogue("zh"), catalogue("en")

    assert {key: placeholders(text) for key, text in zh.items()} == {
        key: placeholders(text) for key, text in en.items()
    }


@pytest.mark.parametrize("language", languages)
def test_a_sentence_is_one_short_plain_line(language: Language) -> None:
    for key, text in catalogue(language).items():
        assert 0 < len(text) <= MOST, (key, len(text))
        assert text == text.strip(), key
        assert "\n" not in text, key
        # A format would fail on the mark that stands for a missing fact.
        for _, name, spec, conversion in Formatter().parse(text):
            assert name is None or (name.isidentifier() and not spec and not conversion), key


def test_the_chinese_sentences_are_chinese_and_the_english_ones_have_no_chinese_punctuation() -> None:
    neutral = {"doctor.notion.name", "progress.ticket.started"}

    without = {key for key, text in catalogue("zh").items() if not re.search(r"[\u4e00-\u9fff]", text)}
    mixed = {key for key, text in catalogue("en").items() if re.search(r"[，。；：？！（）、]", text)}

    assert without == neutral
    assert mixed == set()


def test_every_error_class_is_among_the_examples() -> None:
    assert errors() - {type(example) for example in EXAMPLES} == set()


@pytest.mark.parametrize("language", languages)
@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: error.message_key)
def test_every_error_is_explained_with_the_facts_it_carries(
    error: LakelightError, language: Language
) -> None:
    sentence = Messages(language).explain(error)

    assert error.message_key in catalogue(language)
    assert error.code in catalogue(language)
    assert "?" not in sentence
    assert "None" not in sentence


def test_every_key_in_the_source_has_a_sentence_and_gives_the_facts_for_it() -> None:
    texts = catalogue("en")
    found = uses()

    assert [use for use in found if use.key not in texts] == []
    assert [use for use in found if use.facts is not None and placeholders(texts[use.key]) - use.facts] == []


def test_the_scan_of_the_source_finds_each_sort_of_use() -> None:
    groups = {use.key.split(".")[0] for use in uses()}

    assert groups >= {"config", "tickets", "storage", "trail", "permit", "jobs", "progress", "wait", "fail"}


@pytest.mark.parametrize("key", sorted(MADE_UP))
def test_a_key_put_together_at_run_time_names_only_facts_that_are_given(key: str) -> None:
    assert placeholders(catalogue("en")[key]) <= MADE_UP[key]


@pytest.mark.parametrize("problem", get_args(Problem), ids=lambda problem: problem.__name__)
def test_every_problem_with_a_column_has_a_sentence_of_its_fields(problem: type[Problem]) -> None:
    text = catalogue("en")[f"tickets.{problem.message_key}"]

    assert placeholders(text) <= {field.name for field in fields(problem)}


@pytest.mark.parametrize(
    "key",
    [
        *(f"skip.{reason}" for reason in get_args(SkipReason)),
        *(f"off.{reason}" for reason in get_args(OffReason)),
        *(f"wait.{need}" for need in get_args(Need)),
        *(f"wait.persona_{why}" for why in get_args(get_type_hints(NoPersona)["why"])),
        *(f"wait.guard_{Decision(cap).word}" for cap in (Cap.DENY, Cap.PREVIEW)),
        *(f"guard.reason.{reason}" for reason in Reason),
        *(f"state.{state}" for state in sorted({*get_args(TicketState), *get_args(RunState)})),
        *(f"kind.{kind}" for kind in Kind),
        *(f"approval.why.{rule.reason}" for rule in RULES if rule.cap is Cap.CONFIRM),
        *(f"approval.state.{state}" for state in get_args(ApprovalState)),
        *(f"preview.undo.{why}" for why in ("possible", *get_args(Why))),
        *(f"preview.note.{note}" for note in ("gone", "in_trash", "unchanged", "hidden", "links")),
        *(f"undo.{result}" for result in get_args(Result)),
        *(f"reply.{group}" for group in ("done", "failed", "cancelled", "stopped", "waiting")),
        *(f"progress.ticket.{taken}" for taken in get_args(Taken) if taken not in {"nothing", "left"}),
        *(f"cli.audit.how.{how}" for how in ("gap", "link", "content", "head", "cut", "rewritten", "unseen")),
        *(f"doctor.{check}.{part}" for check in CHECKS for part in ("name", "ok", "fix")),
    ],
)
def test_every_word_of_a_closed_list_has_its_text(key: str) -> None:
    assert key in catalogue("en")


@pytest.mark.parametrize("language", languages)
@pytest.mark.parametrize(
    "key", ["notion.object_not_found", "tickets.database_not_shared", "wait.persona_missing"]
)
def test_a_page_that_is_not_shared_comes_with_the_way_to_share_it(key: str, language: Language) -> None:
    text = catalogue(language)[key]

    assert re.search(r"→ ••• → .*Connections.*→ ", text)


def test_a_missing_fact_leaves_a_mark_and_a_missing_sentence_leaves_the_key() -> None:
    messages = Messages("en")

    assert messages.say("progress.ticket.woken") == "? · edited, goes on"
    assert messages.say("no.such", ticket="T-1", part=2) == "no.such (ticket=T-1, part=2)"
    assert messages.say("no.such") == "no.such"


def test_braces_in_a_fact_are_no_placeholders() -> None:
    assert Messages("en").say("progress.ticket.woken", ticket="{title}") == "{title} · edited, goes on"


def test_an_error_whose_key_has_no_sentence_is_told_by_its_code() -> None:
    told = Messages("zh").explain(ConfigurationError("config.no_such_key"))

    assert told == catalogue("zh")["config.invalid"]


@pytest.mark.parametrize(
    ("wanted", "environment", "expected"),
    [
        pytest.param(None, {}, "en", id="nothing"),
        pytest.param("zh", {"LANG": "en_GB.UTF-8"}, "zh", id="asked for"),
        pytest.param("zh-Hans", {}, "zh", id="asked for with a script"),
        pytest.param("auto", {"LANG": "zh_CN.UTF-8"}, "zh", id="auto looks at the environment"),
        pytest.param("en", {"LC_ALL": "zh_CN.UTF-8"}, "en", id="asked for against the environment"),
        pytest.param(None, {"LAKELIGHT_LANG": "zh", "LC_ALL": "en_US"}, "zh", id="our own variable first"),
        pytest.param(None, {"LC_ALL": "zh_TW", "LANG": "en_US"}, "zh", id="LC_ALL before LANG"),
        pytest.param(None, {"LC_ALL": "", "LC_MESSAGES": "ZH_cn"}, "zh", id="an empty variable is none"),
        pytest.param(None, {"LC_ALL": "C", "LANG": "zh_CN"}, "en", id="C is English"),
        pytest.param(None, {"LANG": "de_DE.UTF-8"}, "en", id="another language"),
    ],
)
def test_the_language_is_the_one_asked_for_else_the_environments(
    wanted: str | None, environment: dict[str, str], expected: Language
) -> None:
    assert language_for(wanted, environment) == expected
