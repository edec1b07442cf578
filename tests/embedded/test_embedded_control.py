"""What the server does between requests: files fetched from elsewhere, uploads that expire."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient as Http
from notion_client import AsyncClient as Notion
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from notion_embedded.control import ControlledClock
from notion_embedded.control.outside import OutsideError, fetch
from notion_embedded.server import Workspace, open_workspace, serve, serve_app, system_clock
from notion_embedded.store import files, settings


async def give(request: Request) -> Response:
    match request.path_params["name"]:
        case "a.png":
            return Response(b"picture", media_type="image/png; charset=x")
        case "large.bin":
            return Response(b"x" * 2000)
        case "away":
            return RedirectResponse("/a.png")
        case _:
            return Response("no", 404)


@pytest.fixture
async def elsewhere() -> AsyncIterator[str]:
    async with serve_app(Starlette(routes=[Route("/{name}", give)])) as url:
        yield url


@pytest.fixture
def open_one(tmp_path: Path) -> Any:
    return lambda: open_workspace(tmp_path / "w.db", clock=ControlledClock(system_clock))


def notion_at(workspace: Workspace, url: str) -> Notion:
    return Notion(auth=workspace.token, base_url=url, notion_version="2026-03-11", log_level=50)


async def settled(notion: Notion, upload_id: str) -> dict[str, Any]:
    async with asyncio.timeout(20):
        while True:
            upload: dict[str, Any] = await notion.file_uploads.retrieve(file_upload_id=upload_id)
            if upload["status"] != "pending":
                return upload


async def asked(notion: Notion, url: str, name: str = "a.png") -> dict[str, Any]:
    made = await notion.file_uploads.create(mode="external_url", filename=name, external_url=url)
    assert made["status"] == "pending"
    assert "upload_url" not in made
    return await settled(notion, made["id"])


async def test_a_file_is_fetched_from_elsewhere_and_attached(open_one: Any, elsewhere: str) -> None:
    with open_one() as workspace:
        async with serve(workspace, private_imports=True) as url, notion_at(workspace, url) as notion:
            upload = await asked(notion, f"{elsewhere}/a.png")
            appended = await notion.blocks.children.append(
                block_id=workspace.root_page_id,
                children=[{"image": {"file_upload": {"id": upload["id"]}}}],
            )
            async with Http() as http:
                served = await http.get(appended["results"][0]["image"]["file"]["url"])

    assert (upload["status"], upload["content_type"], upload["content_length"]) == (
        "uploaded",
        "image/png",
        7,
    )
    assert upload["file_import_result"]["type"] == "success"
    assert upload["file_import_result"]["success"] == {}
    assert served.content == b"picture"


@pytest.mark.parametrize(
    ("name", "code", "status"),
    [("none.png", "http_error", 404), ("away", "http_error", 307), ("large.bin", "file_too_large", None)],
)
async def test_a_file_that_cannot_be_had_fails_with_a_reason(
    open_one: Any, elsewhere: str, name: str, code: str, status: int | None
) -> None:
    with open_one() as workspace:
        with workspace.writing() as connection:
            settings.put(connection, settings.MAX_FILE_BYTES, 1000)
        async with serve(workspace, private_imports=True) as url, notion_at(workspace, url) as notion:
            upload = await asked(notion, f"{elsewhere}/{name}")

    error = upload["file_import_result"]["error"]
    assert upload["status"] == "failed"
    assert (error["type"], error["code"], error["status_code"]) == ("download_error", code, status)
    assert error["parameter"] == "external_url"


async def test_nothing_is_fetched_from_this_machine_unless_it_was_allowed(
    open_one: Any, elsewhere: str
) -> None:
    with open_one() as workspace:
        async with serve(workspace) as url, notion_at(workspace, url) as notion:
            upload = await asked(notion, f"{elsewhere}/a.png")

    assert upload["status"] == "failed"
    assert upload["file_import_result"]["error"]["code"] == "private_address"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://", "ftp://127.0.0.1/a"])
async def test_only_the_web_is_fetched_from(url: str) -> None:
    with pytest.raises(OutsideError):
        await fetch(url, max_bytes=10, private=True)


def waiting(workspace: Workspace, number: int, url: str) -> files.Upload:
    """An upload as left by a process that was killed between the request and the fetch."""
    upload = files.Upload(
        seq=0, id=f"00000000-0000-4000-8000-00000000000{number}", mode="external_url", filename="a.png",
        content_type=None, external_url=url, parts=1, status="pending", content_length=None,
        created_time=0, created_by=workspace.bot_id, edited_time=0, expiry_time=2**44, import_result=None,
    )  # fmt: skip
    with workspace.writing() as connection:
        return files.add(connection, upload)


async def test_one_fetch_that_breaks_does_not_keep_the_others_waiting(open_one: Any, elsewhere: str) -> None:
    broken = ("http://a..b/", "http://x:99999/", "http://x:ab/", "https://[::1/")
    with open_one() as workspace:
        ids = [waiting(workspace, number, url).id for number, url in enumerate(broken)]
        last = waiting(workspace, len(broken), f"{elsewhere}/a.png")
        async with serve(workspace, private_imports=True) as url, notion_at(workspace, url) as notion:
            done = await settled(notion, last.id)
            failed = [await settled(notion, upload_id) for upload_id in ids]

    assert done["status"] == "uploaded"
    assert {upload["status"] for upload in failed} == {"failed"}
    assert {upload["file_import_result"]["error"]["code"] for upload in failed} == {"invalid_url"}


async def test_a_fetch_that_a_crash_broke_off_is_made_after_the_next_start(
    open_one: Any, elsewhere: str
) -> None:
    with open_one() as workspace:
        upload = waiting(workspace, 1, f"{elsewhere}/a.png")
    with open_one() as workspace:
        async with serve(workspace, private_imports=True) as url, notion_at(workspace, url) as notion:
            done = await settled(notion, upload.id)

    assert done["status"] == "uploaded"


async def test_what_was_not_attached_loses_its_bytes_after_an_hour(tmp_path: Path) -> None:
    clock = ControlledClock(system_clock)
    with open_workspace(tmp_path / "w.db", clock=clock) as workspace:
        async with serve(workspace) as url, notion_at(workspace, url) as notion, Http() as http:
            upload = await notion.file_uploads.create(filename="a.txt")
            await http.post(
                upload["upload_url"],
                headers={"authorization": f"Bearer {workspace.token}", "notion-version": "2026-03-11"},
                files={"file": ("a.txt", b"bytes", "text/plain")},
            )
            with workspace.reading() as connection:
                before = files.content(connection, upload["id"])
            clock.advance(3600)
            workspace.bell.ring()
            async with asyncio.timeout(20):
                after = before
                while after:
                    await asyncio.sleep(0)
                    with workspace.reading() as connection:
                        after = files.content(connection, upload["id"])
            shown = await notion.file_uploads.retrieve(file_upload_id=upload["id"])

    assert before == b"bytes"
    assert shown["status"] == "expired"
