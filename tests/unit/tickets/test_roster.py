"""What `agents.json` may say, and how its faults are named."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lakelight.errors import ConfigurationError
from lakelight.tickets.roster import Agent, Roster, parse_roster

PAGE = "1f2e3d4c-5b6a-4798-8877-665544332211"
MEMORY = "2f2e3d4c-5b6a-4798-8877-665544332211"


def entry(**changed: Any) -> dict[str, Any]:
    return {
        "id": "5TH-LE-HK-A05",
        "name": "译典·配置开发",
        "role": "配置开发·文档规范",
        "instructionPageId": PAGE,
        "memoryPageId": MEMORY,
        "capabilities": ["architecture", "config"],
    } | changed


def parse(**agents: Any) -> Roster:
    return parse_roster(json.dumps(agents, ensure_ascii=False))


def refused(text: str) -> tuple[str, dict[str, object]]:
    with pytest.raises(ConfigurationError) as caught:
        parse_roster(text)
    return caught.value.message_key, caught.value.facts


def test_an_entry_becomes_an_agent() -> None:
    assert parse(译典A05=entry(aliases=["A05"])) == Roster(
        (
            Agent(
                key="译典A05",
                id="5TH-LE-HK-A05",
                name="译典·配置开发",
                role="配置开发·文档规范",
                instruction_page_id=PAGE,
                memory_page_id=MEMORY,
                capabilities=("architecture", "config"),
                aliases=("A05",),
            ),
        )
    )


def test_an_empty_object_is_a_roster_of_nobody() -> None:
    assert parse_roster("\ufeff{}") == Roster()


@pytest.mark.parametrize(
    ("instruction", "off_reason"),
    [
        pytest.param("<从Notion获取>", "instruction_page_placeholder", id="placeholder"),
        pytest.param("TODO", "instruction_page_placeholder", id="todo"),
        pytest.param("", "no_instruction_page", id="empty"),
        pytest.param("   ", "no_instruction_page", id="spaces"),
        pytest.param(None, "no_instruction_page", id="null"),
        pytest.param("1f2e3d4c", "instruction_page_unreadable", id="short"),
        pytest.param(
            "https://evil.example/1f2e3d4c5b6a47988877665544332211", "instruction_page_unreadable", id="host"
        ),
    ],
)
def test_an_agent_without_an_instruction_page_is_off(instruction: str | None, off_reason: str) -> None:
    (agent,) = parse(a=entry(instructionPageId=instruction))

    assert (agent.instruction_page_id, agent.off_reason) == (None, off_reason)


def test_an_agent_whose_instruction_page_is_not_mentioned_is_off() -> None:
    (agent,) = parse(a={"id": "1", "name": "n"})

    assert agent == Agent(key="a", id="1", name="n", off_reason="no_instruction_page")


@pytest.mark.parametrize("memory", ["<从Notion获取>", "", None, "?"])
def test_an_agent_without_a_memory_page_works_without_memory(memory: str | None) -> None:
    (agent,) = parse(a=entry(memoryPageId=memory))

    assert (agent.memory_page_id, agent.off_reason) == (None, None)


@pytest.mark.parametrize(
    "spelt",
    [
        PAGE,
        PAGE.replace("-", "").upper(),
        f"  {PAGE} ",
        f"https://www.notion.so/Persona-{PAGE.replace('-', '')}?pvs=4",
        f"https://app.notion.com/p/{PAGE.replace('-', '')}#{MEMORY.replace('-', '')}",
    ],
)
def test_a_page_may_be_given_by_id_or_by_url(spelt: str) -> None:
    (agent,) = parse(a=entry(instructionPageId=spelt))

    assert agent.instruction_page_id == PAGE


def test_malformed_json_is_told_with_line_and_column() -> None:
    key, facts = refused('{\n  "a": {"id": 1,}\n}')

    assert key == "config.roster.json"
    assert facts["line"] == 2


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "nonsense"])
def test_what_is_not_json_is_refused_as_such(text: str) -> None:
    assert refused(text)[0] == "config.roster.json"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        pytest.param("[]", {"agent": "", "field": "", "expected": "object", "found": "list"}, id="list"),
        pytest.param(
            '{"a": "b"}', {"agent": "a", "field": "", "expected": "object", "found": "text"}, id="text"
        ),
        pytest.param(
            '{"a": {"name": "n"}}',
            {"agent": "a", "field": "id", "expected": "text", "found": "nothing"},
            id="no-id",
        ),
        pytest.param(
            '{"a": {"id": 5, "name": "n"}}',
            {"agent": "a", "field": "id", "expected": "text", "found": "number"},
            id="number",
        ),
        pytest.param(
            '{"a": {"id": "1", "name": "n", "capabilities": "coding"}}',
            {"agent": "a", "field": "capabilities", "expected": "list of texts", "found": "text"},
            id="capabilities",
        ),
        pytest.param(
            '{"a": {"id": "1", "name": "n", "aliases": [1]}}',
            {"agent": "a", "field": "aliases", "expected": "list of texts", "found": "list"},
            id="aliases",
        ),
        pytest.param(
            '{"a": {"id": "1", "name": "n", "instructionPageId": true}}',
            {"agent": "a", "field": "instructionPageId", "expected": "text", "found": "true or false"},
            id="page",
        ),
    ],
)
def test_a_wrong_type_is_told_with_its_place(text: str, facts: dict[str, object]) -> None:
    assert refused(text) == ("config.roster.field", facts)


def test_a_misspelt_field_is_refused_and_the_right_ones_are_listed() -> None:
    key, facts = refused(json.dumps({"a": entry(memoryPageID=PAGE)}))

    assert key == "config.roster.field"
    assert facts["field"] == "memoryPageID"
    assert "memoryPageId" in str(facts["expected"])


@pytest.mark.parametrize("name", ["", "  ", "【】", "two\nlines", "see http://x.example", "x" * 61])
def test_a_name_that_cannot_stand_in_a_self_check_is_refused(name: str) -> None:
    key, facts = refused(json.dumps({"a": entry(name=name)}))

    assert (key, facts["agent"], facts["field"]) == ("config.roster.field", "a", "name")


def test_a_key_that_stands_twice_is_refused() -> None:
    key, facts = refused('{"a": {"id": "1", "name": "n"}, "a": {"id": "2", "name": "m"}}')

    assert (key, facts["name"]) == ("config.roster.duplicate", "a")


@pytest.mark.parametrize(
    "second",
    [
        pytest.param({"id": "１", "name": "m"}, id="id-in-another-width"),
        pytest.param({"id": "2", "name": "ONE"}, id="name-in-another-case"),
        pytest.param({"id": "2", "name": "m", "aliases": ["@one"]}, id="alias-like-a-name"),
        pytest.param({"id": "2", "name": "a"}, id="name-like-a-key"),
    ],
)
def test_two_agents_cannot_answer_to_one_name(second: dict[str, Any]) -> None:
    key, facts = refused(json.dumps({"a": {"id": "1", "name": "one"}, "b": second}))

    assert (key, facts["first"], facts["second"]) == ("config.roster.duplicate", "a", "b")


def test_one_agent_may_answer_to_a_name_twice() -> None:
    assert len(parse(a={"id": "A", "name": "a", "aliases": ["@a"]}).agents) == 1


@given(
    st.text()
    | st.recursive(
        st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    ).map(json.dumps)
)
def test_any_text_is_a_roster_or_a_configuration_error(text: str) -> None:
    with suppress(ConfigurationError):
        assert isinstance(parse_roster(text), Roster)


def test_a_number_of_too_many_digits_is_an_error_and_no_traceback() -> None:
    with pytest.raises(ConfigurationError) as refusal:
        parse_roster('{"A": {"id": ' + "9" * 6000 + "}}")

    assert refusal.value.message_key == "config.roster.json"
