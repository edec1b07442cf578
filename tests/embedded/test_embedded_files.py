"""File uploads: sent, completed, attached, served at addresses that expire, and refused."""

from typing import Any
from urllib.parse import quote

import pytest
from notion_client import AsyncClient as Notion

from notion_embedded.http.forms import read_form
from notion_embedded.model.errors import ApiError
from notion_embedded.store import settings

MEGABYTE = 1024 * 1024

MALFORMED = (
    "http://a..b/", "http://x:99999/", "http://x:ab/", "http://x:0/", "https://[::1/", "https:///a", "https://a b/",
    "https://a/\r\nX: y", "https://a/\x00", f"https://{'a' * 64}.example/",
)  # fmt: skip


async def send(
    served: Any, upload: dict[str, Any], content: bytes, part: int | None = None, **more: str
) -> tuple[int, Any]:
    answer = await served.http.post(
        f"{served.url}/v1/file_uploads/{upload['id']}/send",
        headers={"authorization": f"Bearer {served.workspace.token}", "notion-version": "2026-03-11"},
        files={"file": (more.get("name", "a.txt"), content, more.get("type", "text/plain"))},
        data={} if part is None else {"part_number": str(part)},
    )
    return answer.status_code, answer.json()


async def uploaded(served: Any, name: str = "notes.txt", content: bytes = b"hello") -> dict[str, Any]:
    _, upload = await served.call("POST", "/file_uploads", {"filename": name})
    status, sent = await send(served, upload, content, name=name, type=upload["content_type"])
    assert status == 200, sent
    return sent


async def test_a_file_is_announced_and_sent_as_recorded(served: Any, notion: Notion) -> None:
    upload = await notion.file_uploads.create(
        mode="single_part", filename="test_file.txt", content_type="text/plain"
    )
    status, sent = await send(served, upload, b"This is test file content", name="test_file.txt")
    again = await notion.file_uploads.retrieve(file_upload_id=upload["id"])

    assert list(upload) == [
        "object", "id", "created_time", "created_by", "last_edited_time", "expiry_time", "upload_url",
        "in_trash", "status", "filename", "content_type", "content_length", "request_id",
    ]  # fmt: skip
    assert upload["created_by"] == {"id": served.workspace.bot_id, "type": "bot"}
    assert (upload["created_time"], upload["expiry_time"]) == (
        "2026-05-04T10:00:00.000Z",
        "2026-05-04T11:00:00.000Z",
    )
    assert upload["upload_url"] == f"{served.url}/v1/file_uploads/{upload['id']}/send"
    assert (status, sent["status"], sent["content_length"]) == (200, "uploaded", 25)
    assert "upload_url" not in sent
    assert {**again, "request_id": ""} == {**sent, "request_id": ""}


async def test_the_old_version_says_archived_of_an_upload_too(direct: Any) -> None:
    _, upload = await direct.call(
        "POST", "/file_uploads", {"filename": "a.txt"}, **{"notion-version": "2025-09-03"}
    )

    assert upload["archived"] is False


async def test_an_uploaded_file_stands_in_blocks_properties_icons_and_covers(
    served: Any, notion: Notion
) -> None:
    root = served.workspace.root_page_id
    picture = await uploaded(served, "dot.png", b"\x89PNG\r\n\x1a\n--not a boundary\r\n")
    file = {"type": "file_upload", "file_upload": {"id": picture["id"]}}
    page = await notion.pages.create(
        parent={"page_id": root}, icon=file, cover=file,
        properties={"title": [{"text": {"content": "Files"}}]},
        children=[{"type": kind, kind: file} for kind in ("image", "file", "pdf", "audio", "video")],
    )  # fmt: skip
    blocks = (await notion.blocks.children.list(block_id=page["id"]))["results"]
    database = await notion.databases.create(
        parent={"page_id": root},
        title=[{"text": {"content": "Papers"}}],
        initial_data_source={"properties": {"Name": {"title": {}}, "Paper": {"files": {}}}},
    )
    row = await notion.pages.create(
        parent={"data_source_id": database["data_sources"][0]["id"]},
        properties={"Paper": {"files": [{"file_upload": {"id": picture["id"]}}]}},
    )

    shown = [page["icon"], page["cover"], *(block[block["type"]] for block in blocks)]
    paper = row["properties"]["Paper"]["files"][0]
    answers = [await served.http.get(item["file"]["url"]) for item in [*shown, paper]]
    assert [item["type"] for item in [*shown, paper]] == ["file"] * 8
    assert {item["file"]["expiry_time"] for item in shown} == {"2026-05-04T11:00:20.250Z"}
    assert (paper["name"], blocks[1]["file"]["name"]) == ("dot.png", "dot.png")
    assert {answer.content for answer in answers} == {b"\x89PNG\r\n\x1a\n--not a boundary\r\n"}
    assert answers[0].headers["content-type"] == "image/png"
    assert answers[0].headers["content-disposition"].startswith("inline")
    assert answers[0].headers["x-content-type-options"] == "nosniff"
    assert (await notion.file_uploads.retrieve(file_upload_id=picture["id"]))["expiry_time"] is None


async def test_an_address_works_for_an_hour_and_only_as_it_was_signed(served: Any, notion: Notion) -> None:
    root = served.workspace.root_page_id
    page = await uploaded(served, "page.html", b"<script>1</script>")
    other = await uploaded(served, "other.txt", b"secret")
    await notion.blocks.children.append(
        block_id=root, children=[{"file": {"file_upload": {"id": page["id"]}}}]
    )
    block = (await notion.blocks.children.list(block_id=root))["results"][0]
    url = block["file"]["file"]["url"]
    first = await served.http.get(url)
    forged = [
        await served.http.get(url.replace(page["id"], other["id"])),
        await served.http.get(url.replace("expires=1", "expires=2")),
        await served.http.get(url.partition("?")[0]),
    ]
    served.clock.pass_seconds(3600)
    late = await served.http.get(url)
    renewed = (await notion.blocks.retrieve(block_id=block["id"]))["file"]["file"]["url"]

    assert first.content == b"<script>1</script>"
    assert first.headers["content-disposition"] == "attachment; filename*=UTF-8''page.html"
    assert first.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert [answer.status_code for answer in forged] == [403, 403, 403]
    assert late.status_code == 403
    assert (await served.http.get(renewed)).content == b"<script>1</script>"


@pytest.mark.parametrize(
    "name", ["a/b.txt", "a?b.txt", "a#b.txt", "a%2Fb.txt", "100%.txt", "a\nb.txt", "..", "中.txt"]
)
async def test_a_file_is_had_whatever_its_name(served: Any, name: str) -> None:
    _, upload = await served.call("POST", "/file_uploads", {"filename": name, "content_type": "text/plain"})
    await send(served, upload, b"hello")
    _, appended = await served.call(
        "PATCH",
        f"/blocks/{served.workspace.root_page_id}/children",
        {"children": [{"file": {"file_upload": {"id": upload["id"]}}}]},
    )
    shown = appended["results"][0]["file"]
    answer = await served.http.get(shown["file"]["url"])

    assert (answer.status_code, answer.content, shown["name"]) == (200, b"hello", name)
    assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{quote(name, safe='')}"


@pytest.mark.parametrize("kind", ["text/plain\x0bX: y", "text/pl\x01ain", "text/é", "text"])
async def test_a_type_that_cannot_be_one_is_refused(served: Any, kind: str) -> None:
    _, upload = await served.call("POST", "/file_uploads", {"mode": "single_part"})
    raw = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n'
        b"Content-Type: " + kind.encode() + b"\r\n\r\nhello\r\n--b--\r\n"
    )
    status, answer = await served.call(
        "POST",
        f"/file_uploads/{upload['id']}/send",
        raw,
        **{"content-type": "multipart/form-data; boundary=b"},
    )

    assert (status, answer["code"]) == (400, "validation_error")


async def test_what_is_not_attached_within_an_hour_expires(served: Any) -> None:
    root = served.workspace.root_page_id
    kept, lost = await uploaded(served), await uploaded(served)
    append = {"children": [{"file": {"file_upload": {"id": kept["id"]}}}]}
    before, _ = await served.call("PATCH", f"/blocks/{root}/children", append)
    served.clock.pass_seconds(3600)
    late = {"children": [{"file": {"file_upload": {"id": lost["id"]}}}]}
    refused, why = await served.call("PATCH", f"/blocks/{root}/children", late)
    _, expired = await served.call("GET", "/file_uploads?status=expired")
    _, whole = await served.call("GET", f"/blocks/{root}/children")
    again, _ = await served.call("PATCH", f"/blocks/{root}/children", append)

    assert (before, refused, again) == (200, 400, 200)
    assert "has status expired" in why["message"]
    assert [upload["id"] for upload in expired["results"]] == [lost["id"]]
    assert len(whole["results"]) == 1


async def test_parts_make_one_file_in_the_order_of_their_numbers(served: Any, notion: Notion) -> None:
    with served.workspace.writing() as connection:
        settings.put(connection, settings.MAX_FILE_BYTES, 100 * MEGABYTE)
    _, upload = await served.call(
        "POST", "/file_uploads", {"mode": "multi_part", "filename": "b.bin", "number_of_parts": 2,
                                  "content_type": "application/octet-stream"},
    )  # fmt: skip
    whole = bytes(range(256)) * (5 * MEGABYTE // 256)
    binary = {"type": "application/octet-stream"}
    small, why = await send(served, upload, b"x", 1, **binary)
    early, unsent = await served.call("POST", f"/file_uploads/{upload['id']}/complete", {})
    await send(served, upload, b"end", 2, **binary)
    _, sent = await send(served, upload, whole, 1, **binary)
    outside, _ = await send(served, upload, b"x", 3, **binary)
    done = await notion.file_uploads.complete(file_upload_id=upload["id"])
    block = await notion.blocks.children.append(
        block_id=served.workspace.root_page_id, children=[{"file": {"file_upload": {"id": upload["id"]}}}]
    )
    content = (await served.http.get(block["results"][0]["file"]["file"]["url"])).content

    assert upload["complete_url"] == f"{served.url}/v1/file_uploads/{upload['id']}/complete"
    assert upload["number_of_parts"] == {"total": 2, "sent": 0}
    assert (small, early, outside) == (400, 400, 400)
    assert "every part but the last" in why["message"]
    assert "parts not sent yet: 1, 2" in unsent["message"]
    assert sent["number_of_parts"] == {"total": 2, "sent": 2}
    assert (done["status"], done["content_length"]) == ("uploaded", 5 * MEGABYTE + 3)
    assert content == whole + b"end"


async def test_a_file_may_be_as_large_as_the_workspace_says(served: Any) -> None:
    _, me = await served.call("GET", "/users/me")
    limit = me["bot"]["workspace_limits"]["max_file_upload_size_in_bytes"]
    _, upload = await served.call("POST", "/file_uploads", {"filename": "a.txt"})
    over, why = await send(served, upload, b"x" * (limit + 1))
    huge, _ = await send(served, upload, b"x" * (22 * MEGABYTE))
    fits, _ = await send(served, upload, b"x" * limit)

    assert limit == 5 * MEGABYTE
    assert (over, huge, fits) == (400, 413, 200)
    assert f"{limit} at most" in why["message"]


@pytest.mark.parametrize(
    "body",
    [
        {"mode": "several"},
        {"mode": "multi_part", "filename": "a.txt"},
        {"mode": "multi_part", "filename": "a.txt", "number_of_parts": 0},
        {"mode": "multi_part", "filename": "a.txt", "number_of_parts": 1001},
        {"mode": "multi_part", "number_of_parts": 2},
        {"mode": "external_url", "filename": "a.txt"},
        {"mode": "external_url", "filename": "a.txt", "external_url": "file:///etc/passwd"},
        *({"mode": "external_url", "filename": "a.txt", "external_url": url} for url in MALFORMED),
        {"mode": "external_url", "external_url": "https://example.com/a.txt"},
        {"filename": ""},
        {"filename": "no extension"},
        {"filename": "é" * 451 + ".txt"},
        {"filename": "a.txt", "content_type": "text"},
        {"filename": "a.txt", "number_of_parts": 2},
        {"filename": "a.txt", "more": 1},
        {"filename": 3},
    ],
    ids=lambda body: " ".join(f"{key}={str(value)[:12]}" for key, value in body.items()),
)
async def test_a_wrong_announcement_is_refused(direct: Any, body: dict[str, Any]) -> None:
    status, answer = await direct.call("POST", "/file_uploads", body)

    assert (status, answer["code"]) == (400, "validation_error")


async def test_a_file_can_be_sent_once_by_its_owner_and_as_announced(served: Any) -> None:
    mine = await uploaded(served)
    twice, _ = await send(served, mine, b"again")
    _, open_ = await served.call("POST", "/file_uploads", {"filename": "a.png"})
    other_type, why = await send(served, open_, b"x", type="text/plain")
    empty, _ = await send(served, open_, b"", type="image/png")
    stranger = served.new_token("bot", served.workspace.root_page_id)["token"]
    theirs, _ = await served.call(
        "GET", f"/file_uploads/{mine['id']}", None, authorization=f"Bearer {stranger}"
    )
    _, none = await served.call("GET", "/file_uploads", None, authorization=f"Bearer {stranger}")
    taken, _ = await served.call(
        "PATCH",
        f"/blocks/{served.workspace.root_page_id}/children",
        {"children": [{"file": {"file_upload": {"id": mine["id"]}}}]},
        authorization=f"Bearer {stranger}",
    )
    unsent, _ = await served.call(
        "PATCH", f"/pages/{served.workspace.root_page_id}", {"icon": {"file_upload": {"id": open_["id"]}}}
    )
    text, _ = await served.call("POST", f"/file_uploads/{open_['id']}/send", {"file": "x"})

    assert (twice, other_type, empty, theirs, taken, unsent, text) == (400, 400, 400, 404, 404, 400, 400)
    assert "does not match" in why["message"]
    assert none["results"] == []


async def test_uploads_are_listed_by_pages_the_newest_first(served: Any, notion: Notion) -> None:
    ids = [(await notion.file_uploads.create(filename=f"{n}.txt"))["id"] for n in range(3)]
    first = await notion.file_uploads.list(page_size=2)
    second = await notion.file_uploads.list(page_size=2, start_cursor=first["next_cursor"])
    wrong, _ = await served.call("GET", "/file_uploads?status=lost")

    assert [item["id"] for item in first["results"] + second["results"]] == ids[::-1]
    assert (first["type"], first["has_more"], second["has_more"]) == ("file_upload", True, False)
    assert wrong == 400


async def test_a_property_called_file_upload_is_left_alone(served: Any, notion: Notion) -> None:
    await uploaded(served)
    database = await notion.databases.create(
        parent={"page_id": served.workspace.root_page_id},
        initial_data_source={"properties": {"Name": {"title": {}}, "file_upload": {"rich_text": {}}}},
    )
    row = await notion.pages.create(
        parent={"data_source_id": database["data_sources"][0]["id"]},
        properties={"file_upload": {"rich_text": [{"text": {"content": "kept"}}]}},
    )

    assert row["properties"]["file_upload"]["rich_text"][0]["plain_text"] == "kept"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"--b",
        b"--b\r\n\r\nno end",
        b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--",
        b"--b\r\nx\r\n--b--",
    ],
)
def test_a_form_that_is_none_is_refused(raw: bytes) -> None:
    with pytest.raises(ApiError):
        read_form("multipart/form-data; boundary=b", raw)


def test_a_form_keeps_its_bytes_and_names() -> None:
    raw = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="\xe4\xb8\xad \\"q\\".txt"\r\n'
        b"Content-Type: text/plain\r\n\r\n\r\nline\r\n\r\n--b\r\n"
        b"content-disposition: form-data; name=part_number\r\n\r\n2\r\n--b--\r\n"
    )
    fields = read_form('multipart/form-data; boundary="b"', raw)

    assert (fields["file"].filename, fields["file"].content_type) == ('中 "q".txt', "text/plain")
    assert fields["file"].content == b"\r\nline\r\n"
    assert fields["part_number"].content == b"2"


@pytest.mark.parametrize("version", ["v1", "v2"])
async def test_a_file_stays_through_edits_of_the_pages_markdown(
    served: Any, notion: Notion, version: str
) -> None:
    root = served.workspace.root_page_id
    picture = await uploaded(served, "a (1).png", b"picture")
    image = {"image": {"file_upload": {"id": picture["id"]}}}
    words = {"paragraph": {"rich_text": [{"text": {"content": "words"}}]}}
    first = (await notion.blocks.children.append(block_id=root, children=[image, words]))["results"]
    read = f"/pages/{root}/markdown?markdown_version={version}"
    _, before = await served.call("GET", read)
    served.clock.pass_seconds(600)

    async def edit(kind: str, **body: Any) -> Any:
        status, answer = await served.call(
            "PATCH", f"/pages/{root}/markdown", {"type": kind, "markdown_version": version, kind: body}
        )
        assert status == 200, answer
        return (await notion.blocks.children.list(block_id=root))["results"]

    renamed = await edit("update_content", content_updates=[{"old_str": "words", "new_str": "others"}])
    replaced = await edit("replace_content", new_str=before["markdown"])
    forged = before["markdown"].replace("signature=", "signature=0")
    cut = await edit("replace_content", new_str=forged)

    assert f"/files/{picture['id']}/" in before["markdown"]
    assert renamed[0]["id"] == replaced[0]["id"] == first[0]["id"]
    assert replaced[1]["paragraph"]["rich_text"][0]["plain_text"] == "words"
    assert (replaced[0]["image"]["type"], cut[0]["image"]["type"]) == ("file", "external")
