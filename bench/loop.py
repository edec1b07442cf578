"""Processor time per step of a turn of 50 steps with 43 tools, beside plain loops on the openai SDK.

The model is a small server that asks for one tool a step; what is measured is this process only.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from lakelight.agent import Journal, Runs, Silent, turns as loop_limits
from lakelight.agent.planners.model import ModelPlanner
from lakelight.agent.planning import Turn
from lakelight.agent.turns import Loop
from lakelight.clock import SystemClock
from lakelight.guard import Asker
from lakelight.llm import NoUsage, Purpose, RoutedModel, Waits, with_one_model
from lakelight.llm.openai_adapter import OpenAIEndpoint
from lakelight.llm.routes import DEFAULT_ROUTES
from lakelight.storage import Database, migrate
from lakelight.tools import Found, ToolContext, ToolResult, ToolSpec

STEPS = 50
TOOLS = 43
SERVER = """
import json, sys, uvicorn, socket
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route
async def chat(request):
    body = await request.json()
    number = sum(message["role"] == "tool" for message in body["messages"])
    if number < 50:
        function = {"name": f"tool_{number % 43}", "arguments": json.dumps({"query": f"q{number}"})}
        call = {"index": 0, "id": f"c{number}", "type": "function", "function": function}
        message, finish = {"role": "assistant", "content": "", "tool_calls": [call]}, "tool_calls"
    else:
        message, finish = {"role": "assistant", "content": "done"}, "stop"
    about = {"id": "x", "created": 1, "model": "m"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if body.get("stream"):
        def frames():
            said = [{"index": 0, "delta": message, "finish_reason": None}]
            ended = [{"index": 0, "delta": {}, "finish_reason": finish}]
            for choices, extra in ((said, {}), (ended, {}), ([], {"usage": usage})):
                chunk = {**about, "object": "chat.completion.chunk", "choices": choices, **extra}
                yield "data: " + json.dumps(chunk) + "\\n\\n"
            yield "data: [DONE]\\n\\n"
        return StreamingResponse(frames(), media_type="text/event-stream")
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return JSONResponse({**about, "object": "chat.completion", "choices": [choice], "usage": usage})
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
app = Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])
uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])
"""


class Dummy:
    """A tool that finds something at once."""

    def __init__(self, number: int) -> None:
        properties = {
            f"field_{index}": {
                "type": "string",
                "description": "what to look for, in the words of the user" * 2,
            }
            for index in range(6)
        }
        self.spec = ToolSpec(
            name=f"tool_{number}",
            effect="read",
            description="Finds things of one kind in the workspace, by words in their titles. " * 2,
            parameters={
                "type": "object",
                "properties": {"query": {"type": "string"}, **properties},
                "required": ["query"],
            },
        )

    async def call(self, arguments: Mapping[str, Any], _context: ToolContext) -> ToolResult:
        """Find it."""
        return Found(text=f"found {arguments['query']}", data={"title": str(arguments["query"])})


class Forgetful(Journal):
    """A journal that keeps nothing."""

    async def once(self, name: str, content: Any) -> Any:
        """Give it back."""
        self._steps[name] = content
        return content


async def plain(url: str, tools: list[dict[str, Any]], *, typed: bool) -> float:
    """Milliseconds of processor time a step of a loop written straight on the SDK."""
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion

    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    start = time.process_time()
    for _ in range(STEPS + 1):
        body: dict[str, Any] = {"model": "m", "messages": messages, "tools": tools}
        if typed:
            answer = await client.chat.completions.create(**body)
        else:
            answer = await client.post("/chat/completions", body=body, cast_to=ChatCompletion)
        message = answer.choices[0].message
        if not message.tool_calls:
            break
        messages.append(message.model_dump(exclude_none=True))
        messages.append({"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "found it"})
    spent = (time.process_time() - start) / STEPS * 1000
    await client.close()
    return spent


async def ours(url: str, folder: Path, *, journal: bool) -> float:
    """The same for a turn of ours."""
    clock = SystemClock()
    database = Database(folder / f"state-{journal}.db")
    migrate(database)
    endpoint = OpenAIEndpoint(url, "none", clock=clock, timeout=timedelta(seconds=60), provider="plain")
    model = RoutedModel(
        endpoint, with_one_model(DEFAULT_ROUTES, "m"), usage=NoUsage(), clock=clock, waits=Waits()
    )
    loop = Loop(
        planner=ModelPlanner(model, purpose=Purpose(agent="bench")),
        tools={f"tool_{number}": Dummy(number) for number in range(TOOLS)},
        reader=None,  # type: ignore[arg-type]
        door=None,  # type: ignore[arg-type]
        progress=Silent(),
    )
    with database.transaction() as connection:
        run_id = Runs(None, clock).begin(connection, "chat")  # type: ignore[arg-type]
    kept = await Journal.open(database, clock, run_id)
    steps = kept if journal else Forgetful(database, clock, run_id, {})
    turn = Turn(request="go", language="en")
    start = time.process_time()
    result = await loop.advance(turn, steps, Asker(actor="ai", agent="", run_id=run_id, everywhere=True))
    spent = (time.process_time() - start) / STEPS * 1000
    found = len(result.reply.found)
    if found != STEPS:
        sys.exit(f"the turn took {found} steps, not {STEPS}: {result.reply.ending}")
    await endpoint.aclose()
    database.close()
    return spent


async def measure(url: str, folder: Path) -> None:
    """Print one row each."""
    tools = [
        {
            "type": "function",
            "function": {
                "name": tool.spec.name,
                "description": tool.spec.description,
                "parameters": dict(tool.spec.parameters),
            },
        }
        for tool in map(Dummy, range(TOOLS))
    ]
    await plain(url, tools, typed=False)
    base = await plain(url, tools, typed=False)
    rows = {
        "plain loop, posted as it is": base,
        "plain loop, create()": await plain(url, tools, typed=True),
        "our turn, journal off": await ours(url, folder, journal=False),
        "our turn, journal on": await ours(url, folder, journal=True),
    }
    print(f"{STEPS} steps, {TOOLS} tools ({len(json.dumps(tools)) / 1000:.0f} kB of descriptions)")
    for name, spent in rows.items():
        print(f"{name:30} {spent:6.2f} ms of processor a step  ({spent / base:.2f} x)")


def main() -> None:
    """Start the model's stand-in and measure."""
    loop_limits.MOST_ROUNDS = STEPS + 2
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure(url, Path(folder)))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
