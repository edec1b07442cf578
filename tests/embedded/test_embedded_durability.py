"""A real server is killed while clients write: what was acknowledged is there, and told to subscribers."""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient as Http, HTTPError

from notion_embedded.store.exchange import export_workspace, import_workspace

pytestmark = pytest.mark.slow

ROUNDS, WRITERS = 3, 3


async def start(file: Path) -> tuple[asyncio.subprocess.Process, dict[str, str]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "notion_embedded", "serve", "--port", "0", "--db", str(file), "--json",
        "--control", stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    return process, json.loads(await asyncio.wait_for(process.stdout.readline(), 30))


async def test_a_kill_loses_no_acknowledged_write_no_file_and_no_event(tmp_path: Path) -> None:
    file = tmp_path / "w.db"
    pages: list[str] = []
    uploads: dict[str, bytes] = {}
    async with Http() as http:

        async def call(about: dict[str, str], method: str, path: str, **more: Any) -> Any:
            headers = {"authorization": f"Bearer {about['token']}", "notion-version": "2026-03-11"}
            answer = await http.request(method, f"{about['url']}/v1{path}", headers=headers, **more)
            assert answer.status_code == 200, answer.text
            return answer.json()

        async def write(about: dict[str, str], name: str, enough: asyncio.Event) -> None:
            for number in range(10_000):
                try:
                    title = [{"text": {"content": f"{name}-{number}"}}]
                    body = {"parent": {"page_id": about["root_page_id"]}, "properties": {"title": title}}
                    page = await call(about, "POST", "/pages", json=body)
                    pages.append(page["id"])
                    upload = await call(about, "POST", "/file_uploads", json={"filename": "a.txt"})
                    content = f"{name}-{number}".encode() * 500
                    sent = {"file": ("a.txt", content, "text/plain")}
                    await call(about, "POST", f"/file_uploads/{upload['id']}/send", files=sent)
                    uploads[upload["id"]] = content
                except HTTPError:
                    return
                if number == 3:
                    enough.set()

        for round_ in range(ROUNDS):
            process, about = await start(file)
            if round_ == 0:
                # Nobody listens at this address, so that every event stays on its way.
                hook = {"url": "http://127.0.0.1:9/", "verified": True, "events": ["page.created"]}
                made = await http.post(
                    f"{about['control_url']}/webhooks",
                    headers={"authorization": f"Bearer {about['control_token']}"},
                    json=hook,
                )
                assert made.status_code == 200
            enough = asyncio.Event()
            writers = [asyncio.create_task(write(about, f"{round_}-{n}", enough)) for n in range(WRITERS)]
            await enough.wait()
            os.kill(process.pid, signal.SIGKILL)
            await asyncio.gather(*writers)
            await process.communicate()

    with closing(sqlite3.connect(file)) as connection:
        (whole,) = connection.execute("PRAGMA integrity_check").fetchone()
        stored = {row[0] for row in connection.execute("SELECT id FROM node WHERE kind = 'page'")}
        told = {row[0] for row in connection.execute("SELECT entity FROM event WHERE due IS NOT NULL")}
        unsealed = connection.execute("SELECT count(*) FROM change").fetchone()
        kept = dict(
            connection.execute(
                "SELECT file_upload.id, content FROM file_upload JOIN file_part ON upload = file_upload.id"
                " WHERE status = 'uploaded'"
            )
        )
        (root,) = connection.execute("SELECT root_page FROM workspace").fetchone()
    export_workspace(file, tmp_path / "a.json", with_tokens=False)
    import_workspace(tmp_path / "copy.db", tmp_path / "a.json")

    assert whole == "ok"
    assert len(pages) >= ROUNDS * 3
    assert set(pages) <= stored
    assert stored - {root} == told
    assert unsealed == (0,)
    assert uploads.items() <= kept.items()
