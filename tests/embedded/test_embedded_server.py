"""The server inside somebody else's process: seams, signals, and files."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient as Http
from starlette.types import Receive, Scope, Send

from notion_embedded.server import StoreError, WorkspaceInUse, create_app, open_workspace, serve, serve_app


async def test_an_application_around_it_can_lose_an_answer_after_the_write(workspace: Any) -> None:
    app, lost = create_app(workspace), 0

    async def losing(scope: Scope, receive: Receive, send: Send) -> None:
        async def swallow(message: Any) -> None:
            nonlocal lost
            if message["type"] == "http.response.start" and lost == 0:
                lost = 1
                await send({"type": "http.response.start", "status": 502, "headers": []})
            elif lost == 1:
                lost = 2
                await send({"type": "http.response.body", "body": b"<html>"})
            else:
                await send(message)

        await app(scope, receive, swallow)

    headers = {"authorization": f"Bearer {workspace.token}", "notion-version": "2026-03-11"}
    async with serve_app(losing) as url, Http(headers=headers, base_url=url) as http:
        path = f"/v1/blocks/{workspace.root_page_id}/children"
        first = await http.patch(path, json={"children": [{"divider": {}}]})
        children = (await http.get(path)).json()["results"]

    assert first.status_code == 502
    assert [block["type"] for block in children] == ["divider"]


async def test_serving_leaves_signals_alone_and_ends_with_the_block(workspace: Any) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    async with serve(workspace) as url, Http() as http:
        during = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
        assert (await http.get(f"{url}/v1/users/me")).status_code == 401
    async with Http() as http:
        with pytest.raises(Exception, match="connect"):
            await http.get(f"{url}/v1/users/me")

    assert before == during == (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))


def test_a_file_is_opened_once_and_keeps_what_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "w.db"
    with open_workspace(file, workspace_name="One") as first:
        facts = (first.workspace_id, first.token, first.root_page_id, first.bot_id)
        with pytest.raises(WorkspaceInUse, match="already being served"):
            open_workspace(file)
    with open_workspace(file, workspace_name="Two") as again:
        assert (again.workspace_id, again.token, again.root_page_id, again.bot_id) == facts
        assert again.name == "One"
    assert file.stat().st_mode & 0o077 == 0


async def test_a_port_that_is_taken_is_named_with_what_to_do(tmp_path: Path) -> None:
    with open_workspace(tmp_path / "one.db") as one, open_workspace(tmp_path / "two.db") as two:
        async with serve(one) as url:
            port = int(url.rpartition(":")[2])
            with pytest.raises(OSError, match=f"127.0.0.1:{port} cannot be had.*another port"):
                async with serve(two, port=port):
                    pass


def test_a_file_that_is_no_workspace_is_refused_with_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database " * 1000)

    with pytest.raises(StoreError, match="cannot be used as a workspace file"):
        open_workspace(file)


async def test_blocks_may_be_nested_without_end_by_appending(direct: Any) -> None:
    parent = direct.workspace.root_page_id
    for number in range(150):
        item = {"bulleted_list_item": {"rich_text": [{"text": {"content": str(number)}}]}}
        _, answer = await direct.call("PATCH", f"/blocks/{parent}/children", {"children": [item]})
        parent = answer["results"][0]["id"]
    status, page = await direct.call("GET", f"/pages/{direct.workspace.root_page_id}/markdown")

    assert status == 200
    assert "- 50" in page["markdown"]


async def test_many_writers_at_once_lose_nothing_and_keep_an_order(direct: Any) -> None:
    path = f"/blocks/{direct.workspace.root_page_id}/children"

    async def write(number: int) -> str:
        item = {"paragraph": {"rich_text": [{"text": {"content": str(number)}}]}}
        status, answer = await direct.call("PATCH", path, {"children": [item]})
        assert status == 200
        return str(answer["results"][0]["id"])

    made = await asyncio.gather(*map(write, range(40)))
    _, children = await direct.call("GET", path)
    ranks = [block["id"] for block in children["results"]]

    assert sorted(made) == sorted(ranks)


@pytest.mark.parametrize("what", ["text", "folder", "pipe"])
def test_what_cannot_be_opened_gets_no_lock_file(tmp_path: Path, what: str) -> None:
    file = tmp_path / "w.db"
    match what:
        case "text":
            file.write_text("not a database " * 1000)
        case "folder":
            file.mkdir()
        case _:
            os.mkfifo(file)

    with pytest.raises(StoreError, match="cannot be used as a workspace file"):
        open_workspace(file)
    assert list(tmp_path.iterdir()) == [file]


def test_a_lock_file_that_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "w.db").write_text("not a database " * 1000)
    (tmp_path / "w.db.lock").touch()
    with pytest.raises(StoreError, match="cannot be used as a workspace file"):
        open_workspace(tmp_path / "w.db")

    assert (tmp_path / "w.db.lock").exists()
