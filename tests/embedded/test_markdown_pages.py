"""Pages as Markdown over HTTP, in both versions."""

from typing import Any

import pytest

V2 = {"markdown_version": "v2"}
NOBODY = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
async def parent(direct: Any) -> Any:
    token = direct.new_token("person")["token"]
    status, page = await direct.call(
        "POST",
        "/pages",
        {"parent": {"workspace": True}, "properties": {"title": [{"text": {"content": "Top"}}]}},
        authorization=f"Bearer {token}",
    )
    assert status == 200, page
    return page["id"], {"authorization": f"Bearer {token}"}


async def test_a_page_is_made_read_and_edited_in_the_second_version(direct: Any, parent: Any) -> None:
    top, token = parent
    text = '# Title\n\n<callout icon="💡">\n要点\n\n- a\n</callout>\n\n| x | y |\n| --- | --- |\n| 1 | 2 |'
    body = {"parent": {"page_id": top}, "markdown": text, **V2}
    _, page = await direct.call("POST", "/pages", body, **token)
    path = f"/pages/{page['id']}/markdown"

    _, first = await direct.call("GET", f"{path}?markdown_version=v2", **token)
    change = {"content_updates": [{"old_str": "- a", "new_str": "- b"}]}
    edit = {"type": "update_content", "update_content": change, "allow_async": True, **V2}
    status, second = await direct.call("PATCH", path, edit, **token)

    assert first["markdown"] == text.removeprefix("# Title\n\n")
    assert (status, second["object"]) == (200, "page_markdown")
    assert second["markdown"] == first["markdown"].replace("- a", "- b")
    assert "warnings" not in second


async def test_what_is_lost_is_said_in_warnings(direct: Any, parent: Any) -> None:
    top, token = parent
    edit = {"type": "insert_content", "insert_content": {"content": "![plan](plan.png)"}, **V2}

    _, answer = await direct.call("PATCH", f"/pages/{top}/markdown", edit, **token)

    assert answer["markdown"] == "plan"
    assert len(answer["warnings"]) == 1


@pytest.mark.parametrize("version", ["v1", "v2"])
async def test_a_mention_of_nobody_is_a_name(direct: Any, parent: Any, version: str) -> None:
    top, token = parent
    text = {
        "v1": f'<mention-user url="user://{NOBODY}">Ada</mention-user>',
        "v2": f'<mention url="user://{NOBODY}">Ada</mention>',
    }[version]
    edit = {"type": "replace_content", "replace_content": {"new_str": text}, "markdown_version": version}

    _, answer = await direct.call("PATCH", f"/pages/{top}/markdown", edit, **token)

    assert answer["markdown"] == "Ada"


async def test_a_version_that_does_not_fit_is_refused(direct: Any, parent: Any) -> None:
    top, token = parent
    insert = {"type": "insert_content", "insert_content": {"content": "x"}}

    refused = [
        await direct.call("GET", f"/pages/{top}/markdown?markdown_version=v3", **token),
        await direct.call("PATCH", f"/pages/{top}/markdown", {**insert, "markdown_version": "v3"}, **token),
        await direct.call("PATCH", f"/pages/{top}/markdown", {**insert, "allow_async": "yes"}, **token),
        await direct.call("POST", "/pages", {"parent": {"page_id": top}, "children": [], **V2}, **token),
    ]

    assert [(status, answer["code"]) for status, answer in refused] == [(400, "validation_error")] * 4
