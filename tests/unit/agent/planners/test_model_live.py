"""A real model, when the environment names one, plans with the real tools; what they bring is made up.

It prints what was planned. Judged is only what must hold for every model: each call fits its tool, a
write names nothing that is not in the request, and the turn ends.
"""

import os
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from lakelight.agent.planners.model import ModelPlanner
from lakelight.agent.planning import CallTools, Step, Turn
from lakelight.clock import SystemClock
from lakelight.llm import DEFAULT_ROUTES, NoUsage, Purpose, RoutedModel, with_one_model
from lakelight.llm.openai_adapter import OpenAIEndpoint
from lakelight.llm.schema import problems_in
from lakelight.messages import Language
from lakelight.tools.registry import standard_tools

URL = os.environ.get("LAKELIGHT_TEST_MODEL_URL", "")
KEY = os.environ.get("LAKELIGHT_TEST_MODEL_KEY")
NAME = os.environ.get("LAKELIGHT_TEST_MODEL", "")
MOST_ROUNDS = 8

pytestmark = pytest.mark.skipif(not URL, reason="LAKELIGHT_TEST_MODEL_URL names no model to test with")

BROUGHT = {
    "search_workspace": "1 of 1: “湖边计划 Lake plan” (page)",
    "fetch_page_markdown": "# Lake plan\n湖边步道五月动工,预算三十万。The path opens in May; the budget is 300 000.",
    "query_database": "2 rows: 修码头 (status 进行中), Mend the pier (status Doing)",
    "get_database_schema": "status (select: Doing, Done, 进行中, 已完成), due (date)",
}


@pytest.mark.timeout(600)
@pytest.mark.allow_hosts([urlsplit(URL).hostname or "127.0.0.1"])
@pytest.mark.parametrize(
    ("language", "request_"),
    [
        pytest.param("zh", "总结《湖边计划》这一页", id="a reading in Chinese"),
        pytest.param("en", "Summarise the page “Lake plan”", id="a reading in English"),
        pytest.param("zh", "把《修码头》的状态改成已完成", id="a write in Chinese"),
        pytest.param("en", "Set the status of “Mend the pier” to Done", id="a write in English"),
        pytest.param(
            "zh", "读《湖边计划》,再把一句话的摘要加到《周报》末尾", id="read, then write, in Chinese"
        ),
        pytest.param(
            "en",
            "Read “Lake plan”, then add a one-sentence summary at the end of “Weekly report”",
            id="read, then write, in English",
        ),
    ],
)
async def test_a_real_model_plans_calls_that_fit_and_ends(language: Language, request_: str) -> None:
    clock = SystemClock()
    endpoint = OpenAIEndpoint(URL, KEY, clock=clock, timeout=timedelta(minutes=9))
    name = NAME or (await endpoint.models())[0]
    model = RoutedModel(endpoint, with_one_model(DEFAULT_ROUTES, name), usage=NoUsage(), clock=clock)
    shown: list[str] = []
    planner = ModelPlanner(model, purpose=Purpose(agent="test"), on_text=shown.append)
    specs = {name: tool.spec for name, tool in standard_tools().items()}
    turn, start = Turn(request=request_, language=language), clock.now()

    plan = await planner.plan(turn, list(specs.values()))
    while isinstance(plan, CallTools) and len(turn.steps) < MOST_ROUNDS:
        for call in plan.calls:
            print(f"\n{call.id} {call.tool} {dict(call.arguments)}", end="")
            assert problems_in(dict(call.arguments), specs[call.tool].parameters) == []
            if specs[call.tool].effect == "write":
                assert str(call.arguments.get("page", call.arguments.get("parent", ""))) in request_
        steps = [
            Step(
                call=call,
                outcome="written" if specs[call.tool].effect == "write" else "found",
                text=BROUGHT.get(call.tool, "written and read back"),
            )
            for call in plan.calls
        ]
        turn = replace(turn, steps=(*turn.steps, *steps))
        plan = await planner.plan(turn, list(specs.values()))
    await endpoint.aclose()

    print(f"\n{plan}\nshown: {''.join(shown)!r}, {(clock.now() - start).total_seconds():.0f} s")
    assert not isinstance(plan, CallTools)
