"""Whose ticket it is: the whole rule as tables."""

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from lakelight.tickets.assignment import Assigned, Skipped, assign
from lakelight.tickets.roster import Agent, Roster
from lakelight.tickets.ticket import Ticket

PAGE = "1f2e3d4c-5b6a-4798-8877-665544332211"
YIDIAN = Agent(
    key="译典A05",
    id="5TH-LE-HK-A05",
    name="译典·配置开发",
    instruction_page_id=PAGE,
    aliases=("A05", "Codex"),
)
PEIYUAN = Agent(
    key="培园A04", id="5TH-LE-HK-A04", name="培园·功能开发", instruction_page_id=PAGE, aliases=("培园",)
)
LUCE = Agent(
    key="录册A02", id="5TH-LE-HK-A02", name="录册·知识管理", off_reason="instruction_page_placeholder"
)
NODE = Agent(key="Node.js 组", id="N-1", name="小明和小红", instruction_page_id=PAGE, aliases=("典",))
ROSTER = Roster((YIDIAN, PEIYUAN, LUCE, NODE))

MakeTicket = Callable[..., Ticket]


@pytest.mark.parametrize(
    ("assignee", "agent"),
    [
        pytest.param(("译典A05",), YIDIAN, id="key"),
        pytest.param(("5TH-LE-HK-A05",), YIDIAN, id="id"),
        pytest.param(("译典·配置开发",), YIDIAN, id="name"),
        pytest.param(("A05",), YIDIAN, id="alias"),
        pytest.param(("a05",), YIDIAN, id="case"),
        pytest.param(("译典Ａ０５",), YIDIAN, id="width"),
        pytest.param(("CODEX",), YIDIAN, id="alias-case"),
        pytest.param(("【译典A05】",), YIDIAN, id="brackets"),
        pytest.param(("@译典A05",), YIDIAN, id="at"),
        pytest.param(("＠译典A05",), YIDIAN, id="wide-at"),
        pytest.param(("  译典A05\n",), YIDIAN, id="space"),
        pytest.param(("「A05」",), YIDIAN, id="quotes"),
        pytest.param(("译典\u200bA05",), YIDIAN, id="zero-width"),
        pytest.param(("**译典A05**",), YIDIAN, id="bold"),
        pytest.param(("译典A05", "A05"), YIDIAN, id="one-agent-twice"),
        pytest.param(("译典A05, 5th-le-hk-a05",), YIDIAN, id="one-agent-twice-in-a-text"),
        pytest.param(("", "译典A05"), YIDIAN, id="an-empty-entry-beside"),
        pytest.param(("node.js  组",), NODE, id="inner-space"),
        pytest.param(("小明和小红",), NODE, id="a-name-that-looks-like-two"),
        pytest.param(("典",), NODE, id="one-character-alias"),
    ],
)
def test_the_field_names_the_agent(a_ticket: MakeTicket, assignee: tuple[str, ...], agent: Agent) -> None:
    # The constraints name somebody else, who must not matter.
    ticket = a_ticket(assignee=assignee, constraints="由培园A04处理")

    assert assign(ticket, ROSTER) == Assigned(agent, "field")


@pytest.mark.parametrize(
    ("assignee", "skipped"),
    [
        pytest.param(("冰朔",), Skipped("assignee_unknown", {"name": "冰朔"}), id="unknown"),
        pytest.param(("译典",), Skipped("assignee_unknown", {"name": "译典"}), id="part-of-a-name"),
        pytest.param(("译典A055",), Skipped("assignee_unknown", {"name": "译典A055"}), id="more-than-a-name"),
        pytest.param(
            ("译典A05", "冰朔"), Skipped("assignee_unknown", {"name": "冰朔"}), id="one-known-one-not"
        ),
        pytest.param(("-",), Skipped("assignee_unknown", {"name": "-"}), id="dash"),
        pytest.param(
            ("译典A05", "培园A04"), Skipped("two_agents", {"names": "译典A05, 培园A04"}), id="two-options"
        ),
        pytest.param(
            ("译典A05、培园A04",), Skipped("two_agents", {"names": "译典A05, 培园A04"}), id="two-in-a-text"
        ),
        pytest.param(
            ("A05 and 培园",), Skipped("two_agents", {"names": "译典A05, 培园A04"}), id="two-with-and"
        ),
        pytest.param(
            ("A05 和 培园",), Skipped("two_agents", {"names": "译典A05, 培园A04"}), id="two-with-and-zh"
        ),
        pytest.param(
            ("译典A05", "录册A02"), Skipped("two_agents", {"names": "译典A05, 录册A02"}), id="two-one-off"
        ),
        pytest.param(
            ("录册A02",),
            Skipped("agent_off", {"name": "录册A02", "off_reason": "instruction_page_placeholder"}),
            id="off",
        ),
    ],
)
def test_a_field_that_does_not_name_one_working_agent_skips_the_ticket(
    a_ticket: MakeTicket, assignee: tuple[str, ...], skipped: Skipped
) -> None:
    ticket = a_ticket(assignee=assignee, constraints="由培园A04处理")

    assert assign(ticket, ROSTER) == skipped


@pytest.mark.parametrize(
    ("constraints", "agent"),
    [
        pytest.param("请由译典A05完成，不改代码", YIDIAN, id="inside-a-sentence"),
        pytest.param("执行：5TH-LE-HK-A05。", YIDIAN, id="id"),
        pytest.param("让译典·配置开发来", YIDIAN, id="name"),
        pytest.param("指定A05执行", YIDIAN, id="alias-between-characters"),
        pytest.param("（Ａ０５）", YIDIAN, id="width"),
        pytest.param("For codex: keep it short.", YIDIAN, id="english"),
        pytest.param("A05.", YIDIAN, id="full-stop-behind"),
        pytest.param("A05-负责", YIDIAN, id="dash-before-a-character"),
        pytest.param("_A05_ and **A05**", YIDIAN, id="emphasised"),
        pytest.param("@A05", YIDIAN, id="at"),
        pytest.param("译典A05（A05，id 5TH-LE-HK-A05）", YIDIAN, id="one-agent-by-three-names"),
        pytest.param("培园负责", PEIYUAN, id="alias-at-the-start"),
        pytest.param("培园A04负责", PEIYUAN, id="longest-of-overlapping-names"),
        pytest.param("by Node.js 组 only", NODE, id="name-with-a-gap"),
        pytest.param("@典 处理", NODE, id="one-character-name-with-an-at"),
        pytest.param("培园 看 https://x.example/A05", PEIYUAN, id="not-in-a-url"),
        pytest.param("改 A05.md，培园做", PEIYUAN, id="not-in-a-file-name"),
        pytest.param(
            "A05X、XA05、A05-1、v-A05、A05_x、me@A05.example 都不是；培园做",
            PEIYUAN,
            id="not-in-longer-words",
        ),
    ],
)
def test_an_empty_field_leaves_it_to_the_one_agent_in_the_constraints(
    a_ticket: MakeTicket, constraints: str, agent: Agent
) -> None:
    assert assign(a_ticket(constraints=constraints), ROSTER) == Assigned(agent, "constraints")
    assert assign(a_ticket(assignee=(" ", "【】"), constraints=constraints), ROSTER) == Assigned(
        agent, "constraints"
    )


@pytest.mark.parametrize(
    ("constraints", "skipped"),
    [
        pytest.param("", Skipped("nobody", {}), id="empty"),
        pytest.param("不得修改数据库", Skipped("nobody", {}), id="nobody"),
        pytest.param("词典、字典、经典", Skipped("nobody", {}), id="one-character-name-inside-words"),
        pytest.param("版本 A0 5", Skipped("nobody", {}), id="broken-name"),
        pytest.param("译典A05或培园A04", Skipped("two_named", {"names": "译典A05, 培园A04"}), id="two"),
        pytest.param("A05/培园", Skipped("two_named", {"names": "译典A05, 培园A04"}), id="two-with-a-slash"),
        pytest.param(
            "录册A02处理",
            Skipped("agent_off", {"name": "录册A02", "off_reason": "instruction_page_placeholder"}),
            id="off",
        ),
    ],
)
def test_constraints_that_do_not_name_one_working_agent_skip_the_ticket(
    a_ticket: MakeTicket, constraints: str, skipped: Skipped
) -> None:
    assert assign(a_ticket(constraints=constraints), ROSTER) == skipped


def test_an_empty_roster_assigns_nothing(a_ticket: MakeTicket) -> None:
    assert assign(a_ticket(assignee=("A05",), constraints="A05"), Roster()) == Skipped(
        "assignee_unknown", {"name": "A05"}
    )
    assert assign(a_ticket(constraints="A05"), Roster()) == Skipped("nobody", {})


names = st.text(max_size=6) | st.sampled_from(["a", "A05", "译典", "@", "", "İ", "ß"])
agents = st.builds(
    Agent, key=names, id=names, name=names, instruction_page_id=st.just(PAGE), aliases=st.tuples(names)
)


@given(st.lists(agents, max_size=4), st.lists(names, max_size=3), st.text() | names)
def test_any_ticket_gets_an_answer(
    a_ticket: MakeTicket, many: list[Agent], assignee: list[str], constraints: str
) -> None:
    answer = assign(a_ticket(assignee=tuple(assignee), constraints=constraints), Roster(tuple(many)))

    assert isinstance(answer, Assigned | Skipped)


@given(
    st.sampled_from([YIDIAN, PEIYUAN]),
    st.text(alphabet="的由请做，。 \n", max_size=8),
    st.text(alphabet="的由请做，。 \n", max_size=8),
)
def test_a_key_among_chinese_words_is_found(
    a_ticket: MakeTicket, agent: Agent, before: str, after: str
) -> None:
    assert assign(a_ticket(constraints=f"{before}{agent.key}{after}"), ROSTER) == Assigned(
        agent, "constraints"
    )
