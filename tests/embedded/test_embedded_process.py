"""The command: its first line, its end, one server per file, and what a kill leaves behind."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient as Http, ConnectError, HTTPError, RemoteProtocolError

pytestmark = pytest.mark.slow

COMMAND = (sys.executable, "-m", "notion_embedded")


class Running:
    """A server in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, about: dict[str, str]) -> None:
        self.process = process
        self.about = about

    async def call(self, http: Http, method: str, path: str, body: Any = None, token: str = "") -> Any:
        answer = await http.request(
            method,
            f"{self.about['url']}/v1{path}",
            headers={
                "authorization": f"Bearer {token or self.about['token']}",
                "notion-version": "2026-03-11",
            },
            json=body,
        )
        return answer.status_code, answer.json()


Start = Callable[..., Any]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    started: list[asyncio.subprocess.Process] = []

    async def start_one(*more: str) -> Running:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "serve", "--port", "0", "--db", str(tmp_path / "w.db"), "--json", *more,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), 30)
        return Running(process, json.loads(line) if line else {})

    yield start_one
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=30, check=False)


async def test_the_first_line_says_where_it_listens_and_a_signal_ends_it(
    start: Start, tmp_path: Path
) -> None:
    one = await start()
    async with Http() as http:
        assert (await one.call(http, "GET", f"/pages/{one.about['root_page_id']}"))[0] == 200
    one.process.send_signal(signal.SIGTERM)
    out, _ = await one.process.communicate()
    two = await start()
    two.process.send_signal(signal.SIGINT)

    assert list(one.about) == ["url", "token", "root_page_id", "database_file"]
    assert one.about["database_file"] == str(tmp_path / "w.db")
    assert (one.process.returncode, out) == (0, b"")
    assert await two.process.wait() == 0
    assert {**two.about, "url": ""} == {**one.about, "url": ""}


async def test_a_second_server_on_the_same_file_is_refused_with_a_sentence(start: Start) -> None:
    one = await start()
    two = await start()
    _, stderr = await two.process.communicate()

    assert two.about == {}
    assert two.process.returncode == 1
    assert f"already being served by another notion-embedded (process {one.process.pid})" in stderr.decode()


async def test_a_token_made_beside_a_running_server_is_known_at_once(start: Start, tmp_path: Path) -> None:
    server = await start()
    root, file = server.about["root_page_id"], str(tmp_path / "w.db")
    made = command(
        "token",
        "add",
        "--db",
        file,
        "--kind",
        "person",
        "--name",
        "Mei",
        "--share",
        root,
        "--read-only",
        "--json",
    )
    token = json.loads(made.stdout)
    async with Http() as http:
        _, me = await server.call(http, "GET", "/users/me", token=token["token"])
        seen, _ = await server.call(http, "GET", f"/pages/{root}", token=token["token"])
        refused, _ = await server.call(http, "PATCH", f"/pages/{root}", {"icon": None}, token=token["token"])
        command("unshare", "--db", file, "--token-id", token["id"], "--page", root)
        gone, _ = await server.call(http, "GET", f"/pages/{root}", token=token["token"])
        command("share", "--db", file, "--token-id", token["id"], "--page", root)
        again, _ = await server.call(http, "GET", f"/pages/{root}", token=token["token"])
    listed = json.loads(command("token", "list", "--db", file, "--json").stdout)["tokens"]

    assert (me["type"], me["name"]) == ("person", "Mei")
    assert (seen, refused, gone, again) == (200, 403, 404, 200)
    assert [(item["name"], item["read_only"]) for item in listed] == [("Lakelight", False), ("Mei", True)]
    assert token["token"] not in json.dumps(listed)


def test_a_command_that_cannot_be_done_says_why(tmp_path: Path) -> None:
    missing = command("token", "list", "--db", str(tmp_path / "none.db"))
    (tmp_path / "text.db").write_text("this is no database, however long it is " * 100)
    broken = command("serve", "--db", str(tmp_path / "text.db"), "--port", "0")

    assert missing.returncode == broken.returncode == 1
    assert "there is no workspace file" in missing.stderr
    assert "cannot be used as a workspace file" in broken.stderr
    assert "Traceback" not in missing.stderr + broken.stderr


async def test_every_acknowledged_write_survives_a_kill(start: Start) -> None:
    acknowledged: list[str] = []
    root = ""
    async with Http() as http:
        for round_ in range(3):
            server = await start()
            root = server.about["root_page_id"]
            enough = asyncio.Event()

            async def write(
                server: Running, worker: int, enough: asyncio.Event, round_: int = round_
            ) -> None:
                for number in range(10_000):
                    word = f"{round_}-{worker}-{number}"
                    block = {"paragraph": {"rich_text": [{"text": {"content": word}}]}}
                    try:
                        status, _ = await server.call(
                            http,
                            "PATCH",
                            f"/blocks/{server.about['root_page_id']}/children",
                            {"children": [block]},
                        )
                    except (ConnectError, RemoteProtocolError, HTTPError):
                        return
                    assert status == 200
                    acknowledged.append(word)
                    if number == 10:
                        enough.set()

            writers = [asyncio.create_task(write(server, worker, enough)) for worker in range(4)]
            await enough.wait()
            os.kill(server.process.pid, signal.SIGKILL)
            await asyncio.gather(*writers)
            await server.process.wait()
        server = await start()
        stored, cursor = [], ""
        while True:
            query = f"?start_cursor={cursor}" if cursor else ""
            _, page = await server.call(http, "GET", f"/blocks/{root}/children{query}")
            stored += [block["paragraph"]["rich_text"][0]["plain_text"] for block in page["results"]]
            if not page["has_more"]:
                break
            cursor = page["next_cursor"]

    assert len(acknowledged) >= 33
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored)) <= len(acknowledged) + 12


async def test_a_full_file_answers_with_json_and_keeps_nothing_half(start: Start, tmp_path: Path) -> None:
    server = await start("--max-pages", "60")
    root = server.about["root_page_id"]
    block = {"paragraph": {"rich_text": [{"text": {"content": "x" * 1500}}]}}
    async with Http() as http:
        status, written = 200, 0
        while status == 200:
            status, answer = await server.call(
                http, "PATCH", f"/blocks/{root}/children", {"children": [block] * 7}
            )
            written += 7 if status == 200 else 0
            assert written < 1000
        reading, _ = await server.call(http, "GET", f"/pages/{root}")
    server.process.send_signal(signal.SIGTERM)
    _, stderr = await server.process.communicate()
    with sqlite3.connect(tmp_path / "w.db") as connection:
        (stored,) = connection.execute("SELECT count(*) FROM node WHERE kind = 'block'").fetchone()

    assert (status, answer["object"], answer["code"]) == (500, "error", "internal_server_error")
    assert reading == 200
    assert stored == written
    assert b"Traceback" not in stderr
