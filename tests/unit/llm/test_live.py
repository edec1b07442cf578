"""A real model, when the environment names one: the answers are judged for being answers only."""

import os
from urllib.parse import urlsplit

import pytest

from lakelight.clock import SystemClock
from lakelight.llm import DEFAULT_ROUTES, Message, NoUsage, Purpose, RoutedModel, with_one_model
from lakelight.llm.openai_adapter import OpenAIEndpoint

URL = os.environ.get("LAKELIGHT_TEST_MODEL_URL", "")
KEY = os.environ.get("LAKELIGHT_TEST_MODEL_KEY")
NAME = os.environ.get("LAKELIGHT_TEST_MODEL", "")

pytestmark = pytest.mark.skipif(not URL, reason="LAKELIGHT_TEST_MODEL_URL names no model to test with")


@pytest.mark.timeout(300)
@pytest.mark.allow_hosts([urlsplit(URL).hostname or "127.0.0.1"])
@pytest.mark.parametrize(
    "question",
    [
        pytest.param("用一句话说明:什么是工单?", id="Chinese"),
        pytest.param("In one sentence: what is a ticket in a help desk?", id="English"),
    ],
)
async def test_a_real_model_gives_an_answer_with_its_usage(question: str) -> None:
    clock = SystemClock()
    endpoint = OpenAIEndpoint(URL, KEY, clock=clock)
    name = NAME or (await endpoint.models())[0]
    model = RoutedModel(endpoint, with_one_model(DEFAULT_ROUTES, name), usage=NoUsage(), clock=clock)

    answer = await model.complete("simple", [Message("user", question)], purpose=Purpose(agent="test"))
    await endpoint.aclose()

    print(f"\n{answer}")
    assert answer.text
    assert answer.input_tokens > 0
    assert answer.output_tokens > 0
