"""Memory and processor time of an idle `lakelight up` with its embedded workspace, beside DBOS alone.

Idle twice: before a model was ever asked, and after its first answer, when the SDK is in memory.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv" / "bin" / "python"
WATCH = 20.0
BARE = """
import sys, time
from dbos import DBOS
url = f"sqlite:///{sys.argv[1]}/bare.db"
DBOS(config={"name": "bare", "system_database_url": url, "log_level": "CRITICAL"})
DBOS.launch()
time.sleep(600)
"""
MODEL = """
import json, socket, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
async def chat(request):
    about = {"id": "x", "created": 1, "model": (await request.json())["model"]}
    message = {"role": "assistant", "content": "# Done\\n\\nEverything is in order."}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return JSONResponse({**about, "object": "chat.completion", "choices": [choice], "usage": usage})
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
app = Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])
uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])
"""
UP = [str(PYTHON), "-P", "-m", "lakelight", "up"]


def asked(server: dict[str, Any], path: str, body: dict[str, Any]) -> dict[str, Any]:
    """An answer of the embedded workspace."""
    request = urllib.request.Request(
        f"{server['url']}/v1{path}",
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {server['token']}",
            "Notion-Version": "2026-03-11",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def give_a_ticket(home: Path) -> None:
    """Put a ticket into the workspace that `home` serves, and wait until it is answered."""
    server = json.loads(next(home.glob("*/server.json")).read_text())
    sources = asked(server, "/search", {"filter": {"property": "object", "value": "data_source"}})["results"]
    tickets = next(each for each in sources if "负责Agent" in each["properties"])
    row = {
        "任务标题": {"title": [{"text": {"content": "Tidy up"}}]},
        "开发内容": {"rich_text": [{"text": {"content": "Say what is in order."}}]},
        "负责Agent": {"select": {"name": "译典A05"}},
        "状态": {"status": {"name": "待开发"}},
    }
    parent = {"type": "data_source_id", "data_source_id": tickets["id"]}
    asked(server, "/pages", {"parent": parent, "properties": row})
    done = {"filter": {"property": "状态", "status": {"equals": "已完成"}}}
    # As long as two polls take.
    until = time.monotonic() + 60
    while not asked(server, f"/data_sources/{tickets['id']}/query", done)["results"]:
        if time.monotonic() > until:
            sys.exit("the ticket was not answered")
        time.sleep(0.5)


def watch(command: list[str], environment: dict[str, str], *, ticket: bool = False) -> tuple[float, float]:
    """Resident megabytes and percent of a core, after half a minute of settling and watching."""
    child = psutil.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(8)
        if ticket:
            give_a_ticket(Path(environment["LAKELIGHT_HOME"]))
        child.cpu_percent()
        time.sleep(WATCH)
        return child.memory_info().rss / 1e6, child.cpu_percent()
    finally:
        child.terminate()
        child.wait(20)


def main() -> None:
    """Print one row each."""
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "LAKELIGHT_HOME": f"{place}/state"}
        for name in ("GH_NOTION_TOKEN", "GH_LLM_API_KEY", "GH_LLM_BASE_URL"):
            environment.pop(name, None)
        ours = watch(UP, environment)
        bare = watch([str(PYTHON), "-c", BARE, place], environment)
        model = subprocess.Popen([str(PYTHON), "-c", MODEL], stdout=subprocess.PIPE, text=True)
        try:
            port = model.stdout.readline().strip() if model.stdout else ""
            environment["GH_LLM_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
            with_model = watch(UP, environment)
            answered = watch(UP, environment, ticket=True)
        finally:
            model.terminate()
            model.wait(20)
    for name, (megabytes, percent) in (
        ("lakelight up, idle", ours),
        ("the same with a model set up", with_model),
        ("the same after its first answer", answered),
        ("DBOS alone, launched", bare),
    ):
        ratio = megabytes / bare[0]
        print(f"{name:32} {megabytes:5.0f} MB ({ratio:.2f} x DBOS alone)  {percent:4.1f} % of a core")


if __name__ == "__main__":
    main()
