"""Export and import: a workspace as one JSON file and back, live, whole, and refused where it is not."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from notion_client import AsyncClient as Notion

from notion_embedded.cli import main
from notion_embedded.server import open_workspace
from notion_embedded.store import StoreError, WorkspaceInUse
from notion_embedded.store.exchange import export_workspace, import_workspace


async def fill(served: Any, notion: Notion) -> str:
    root = served.workspace.root_page_id
    database = await notion.databases.create(
        parent={"page_id": root},
        title=[{"text": {"content": "名单 \u2028"}}],
        initial_data_source={
            "properties": {
                "Name": {"title": {}},
                "State": {"select": {"options": [{"name": "Open"}]}},
                "No": {"unique_id": {}},
                "File": {"files": {}},
            }
        },
    )
    upload = await notion.file_uploads.create(filename="a.png")
    answer = await served.http.post(
        upload["upload_url"],
        headers={"authorization": f"Bearer {served.workspace.token}", "notion-version": "2026-03-11"},
        files={"file": ("a.png", bytes(range(256)), "image/png")},
    )
    assert answer.status_code == 200
    row = await notion.pages.create(
        parent={"data_source_id": database["data_sources"][0]["id"]},
        properties={
            "Name": {"title": [{"text": {"content": "one"}}]},
            "State": {"select": {"name": "Open"}},
            "File": {"files": [{"file_upload": {"id": upload["id"]}}]},
        },
        children=[{"paragraph": {"rich_text": [{"text": {"content": "body"}}]}}],
    )
    await notion.comments.create(parent={"page_id": row["id"]}, rich_text=[{"text": {"content": "hi"}}])
    return str(row["id"])


@pytest.mark.parametrize("with_tokens", [True, False])
async def test_a_served_workspace_comes_back_as_it_was(
    served: Any, notion: Notion, tmp_path: Path, with_tokens: bool
) -> None:
    row_id = await fill(served, notion)
    first, second, copy = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "copy.db"
    export_workspace(served.workspace.file, first, with_tokens=with_tokens)
    import_workspace(copy, first)
    export_workspace(copy, second, with_tokens=with_tokens)
    text = first.read_text()
    with open_workspace(copy, clock=served.clock) as imported, imported.reading() as connection:
        same_token = imported.token == served.workspace.token
        root, bot = imported.root_page_id, imported.bot_id
        (rows,) = connection.execute("SELECT count(*) FROM node WHERE id = ?", (row_id,)).fetchone()

    assert first.read_bytes() == second.read_bytes()
    assert json.loads(text)["format"] == "notion-embedded"
    assert (served.workspace.token in text) is with_tokens
    assert same_token is with_tokens
    assert (root, bot, rows) == (served.workspace.root_page_id, served.workspace.bot_id, 1)
    assert first.stat().st_mode & 0o077 == copy.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir() if "partial" in path.name) == []


async def test_an_export_that_another_program_laid_out_anew_is_taken(
    served: Any, notion: Notion, tmp_path: Path
) -> None:
    await fill(served, notion)
    export_workspace(served.workspace.file, tmp_path / "a.json", with_tokens=True)
    (tmp_path / "b.json").write_text(json.dumps(json.loads((tmp_path / "a.json").read_text()), indent=2))
    import_workspace(tmp_path / "copy.db", tmp_path / "b.json")
    export_workspace(tmp_path / "copy.db", tmp_path / "c.json", with_tokens=True)

    assert (tmp_path / "c.json").read_bytes() == (tmp_path / "a.json").read_bytes()


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: "", "its beginning"),
        (lambda text: "not json\n", "its beginning"),
        (lambda text: "{}", "does not say that it is one"),
        (lambda text: "[" * 100_000, "its beginning"),
        (lambda text: changed(text, '"version": 1', '"version": 2'), "version 2 of the format"),
        (lambda text: changed(text, '"schema": ', '"schema": 99'), "newer version"),
        (lambda text: text[: len(text) // 2], "its beginning"),
        (lambda text: text[:-9], "after record"),
        (lambda text: changed(text, "\n]}\n", ""), "its end is missing"),
        (lambda text: text + "more", "after its end"),
        (lambda text: changed(text, '["node",{', '["nodes",{'), "no row of a known table"),
        (lambda text: changed(text, '["node",{', '["node",{"extra":1,'), "node has no extra"),
        (lambda text: changed(text, '"kind":"page"', '"kind":["page"]'), "neither text"),
        (lambda text: changed(text, '"kind":"page"', '"kind":"leaf"'), "node.kind is none of page"),
        (lambda text: changed(text, '"parent":null', '"parent":"nowhere"'), "stands in nothing"),
        (lambda text: changed(text, '["workspace",', '["nothing",'), "no row of a known table"),
        (lambda text: changed(text, '"type":"person"', '"type":"bot"'), "there is no person"),
        (lambda text: changed(text, '"rank":1024.0', f'"rank":{2**70}'), "node.rank is no number in range"),
        (lambda text: changed(text, '"rank":1024.0', '"rank":"first"'), "node.rank is no number in range"),
        (lambda text: changed(text, '"rank":1024.0', '"rank":1e999'), "node.rank is no number in range"),
        (lambda text: changed(text, '"trashed":0', '"trashed":2'), "node.trashed is no whole number from 0 to 1"),
        (lambda text: changed(text, '"title":"Home"', '"title":{"base64":"AA=="}'), "node.title is no text"),
        (lambda text: changed(text, '"title":"Home",', ""), "node.title is missing"),
        (lambda text: changed(text, "plain_text", "text_plain"), "values.title in the body of node"),
        (lambda text: changed(text, '\\"icon\\":null', '\\"icon\\":[]'), "icon in the body of node"),
        (lambda text: changed(text, '\\"icon\\":null', '\\"icon\\":NaN'), "NaN is no number"),
        (lambda text: changed(text, '"parent_kind":null', '"parent_kind":"page"'), "parent and parent_kind of node"),
        (lambda text: re.sub(r'"created_time":[0-9]+,"created_by"', f'"created_time":{2**60},"created_by"', text), "node.created_time is no whole number"),
        (lambda text: re.sub(r'"created_time":[0-9]+,"created_by"', '"created_time":"abc","created_by"', text), "node.created_time is no whole number"),
        (lambda text: re.sub(r'"body":"(?:[^"\\]|\\.)*"', '"body":"[]"', text, count=1), "is not of the shape that it needs"),
        (lambda text: re.sub(r'"body":"(?:[^"\\]|\\.)*"', '"body":"{}"', text, count=1), "values is missing in the body of node"),
    ],
)  # fmt: skip
def test_a_broken_export_is_refused_with_a_sentence_and_leaves_nothing(
    workspace: Any, tmp_path: Path, change: Any, why: str
) -> None:
    export_workspace(workspace.file, tmp_path / "a.json", with_tokens=False)
    (tmp_path / "b.json").write_text(change((tmp_path / "a.json").read_text()))
    with pytest.raises(StoreError) as refused:
        import_workspace(tmp_path / "copy.db", tmp_path / "b.json")

    assert why in str(refused.value)
    assert "nothing was imported" in str(refused.value)
    assert list(tmp_path.glob("copy.db*")) == []


@pytest.mark.parametrize(
    ("kind", "path", "value", "why"),
    [
        *[(kind, (), body, "") for kind in ("page", "database", "data_source", "block") for body in ([], None, {})],
        ("data_source", ("columns",), {}, "columns in the body"),
        ("data_source", ("columns", 0, "type"), "number", "columns in the body"),
        ("data_source", ("columns", 1, "config"), None, "columns in the body"),
        ("block", ("rich_text",), [1], "rich_text in the body"),
        ("page", ("values", "title"), 5, "body.values.title of node"),
        ("page", ("values", "title"), [{}], "body.values.title of node"),
    ],
)  # fmt: skip
async def test_a_body_that_its_readers_could_not_read_is_refused(
    served: Any, notion: Notion, tmp_path: Path, kind: str, path: tuple[Any, ...], value: Any, why: str
) -> None:
    await fill(served, notion)
    export_workspace(served.workspace.file, tmp_path / "a.json", with_tokens=False)
    whole = json.loads((tmp_path / "a.json").read_text())
    row = [row for table, row in whole["records"] if table == "node" and row["kind"] == kind][-1]
    holder = {"body": json.loads(row["body"])}
    inner: Any = holder
    *way, last = ("body", *path)
    for step in way:
        inner = inner[step]
    inner[last] = value
    row["body"] = json.dumps(holder["body"])
    (tmp_path / "b.json").write_text(json.dumps(whole))

    with pytest.raises(StoreError, match=f"{why}.*{row['id']}"):
        import_workspace(tmp_path / "copy.db", tmp_path / "b.json")
    assert list(tmp_path.glob("copy.db*")) == []


def test_what_is_no_plain_file_is_neither_written_nor_read(workspace: Any, tmp_path: Path) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "a.json"
    os.mkfifo(pipe)
    export_workspace(workspace.file, out, with_tokens=False)
    (tmp_path / "link.json").symlink_to(out)
    out.write_text("")

    with pytest.raises(StoreError, match="no plain file"):
        export_workspace(workspace.file, pipe, with_tokens=False)
    with pytest.raises(StoreError, match="no plain file"):
        import_workspace(tmp_path / "copy.db", pipe)
    with pytest.raises(StoreError, match="no plain file"):
        open_workspace(pipe)
    export_workspace(workspace.file, tmp_path / "link.json", with_tokens=False)
    assert pipe.is_fifo()
    assert out.stat().st_size > 0
    assert not list(tmp_path.glob("*.lock"))[1:]


def test_a_file_under_another_name_is_the_same_file(workspace: Any, tmp_path: Path) -> None:
    (tmp_path / "soft.db").symlink_to(workspace.file)
    with pytest.raises(WorkspaceInUse):
        open_workspace(tmp_path / "soft.db")
    os.link(workspace.file, tmp_path / "hard.db")
    with pytest.raises(StoreError, match="hard link"):
        open_workspace(tmp_path / "hard.db")


def test_an_import_touches_no_workspace_that_is_there(workspace: Any, tmp_path: Path) -> None:
    out = tmp_path / "a.json"
    export_workspace(workspace.file, out, with_tokens=False)
    (tmp_path / "empty.db").touch()
    import_workspace(tmp_path / "empty.db", out)

    with pytest.raises(StoreError, match="exists already"):
        import_workspace(workspace.file, out)
    with pytest.raises(StoreError, match="the workspace file itself"):
        export_workspace(workspace.file, workspace.file, with_tokens=False)
    with pytest.raises(StoreError, match="belongs to the workspace file"):
        export_workspace(workspace.file, Path(f"{workspace.file}-wal"), with_tokens=False)
    with pytest.raises(StoreError, match="no workspace file"):
        export_workspace(tmp_path / "none.db", out, with_tokens=False)
    with pytest.raises(StoreError, match="no file"):
        import_workspace(tmp_path / "new.db", tmp_path / "none.json")


def test_the_commands_export_and_import(workspace: Any, tmp_path: Path, capsys: Any) -> None:
    out, copy = tmp_path / "a.json", tmp_path / "copy.db"
    codes = [
        main(["export", "--db", str(workspace.file), "--out", str(out), "--json"]),
        main(["import", "--db", str(copy), str(out)]),
        main(["import", "--db", str(copy), str(out)]),
    ]
    printed = capsys.readouterr()

    assert codes == [0, 0, 1]
    assert json.loads(printed.out.splitlines()[0])["records"] == {"node": 1, "user": 2, "workspace": 1}
    assert printed.err.startswith("notion-embedded: ")
    assert printed.err.count("\n") == 1
