"""What a token may do at all: 403 without the capability, and what its answers leave out."""

import json
from contextlib import closing
from typing import Any

import pytest

from notion_embedded.cli import main
from notion_embedded.store.admin import Admin
from notion_embedded.store.tokens import CAPABILITIES, Capability

Json = dict[str, Any]


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


def token(served: Any, *capabilities: Capability) -> Json:
    with closing(Admin(served.workspace.file)) as admin:
        return admin.add_token(
            "bot",
            "Limited",
            shares=[served.workspace.root_page_id],
            read_only=False,
            now=served.clock.now,
            capabilities=capabilities,
        )


async def ask(served: Any, secret: str, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
    status, answer = await served.call(method, path, body, authorization=f"Bearer {secret}")
    return status, answer


@pytest.fixture
async def things(direct: Any) -> Json:
    """A page with a block, a comment, and a database."""
    root = direct.workspace.root_page_id
    _, page = await direct.call(
        "POST", "/pages", {"parent": {"page_id": root}, "children": [{"divider": {}}]}
    )
    _, blocks = await direct.call("GET", f"/blocks/{page['id']}/children")
    _, comment = await direct.call(
        "POST", "/comments", {"parent": {"page_id": page["id"]}, "rich_text": text("a")}
    )
    _, database = await direct.call("POST", "/databases", {"parent": {"page_id": root}})
    return {
        "root": root,
        "page": page["id"],
        "block": blocks["results"][0]["id"],
        "comment": comment["id"],
        "database": database["id"],
        "source": database["data_sources"][0]["id"],
        "user": direct.workspace.bot_id,
    }


NEEDS: list[tuple[Capability, str, str, Json | None]] = [
    ("read_content", "GET", "/pages/{page}", None),
    ("read_content", "GET", "/pages/{page}/properties/title", None),
    ("read_content", "GET", "/pages/{page}/markdown", None),
    ("read_content", "GET", "/blocks/{block}", None),
    ("read_content", "GET", "/blocks/{page}/children", None),
    ("read_content", "GET", "/databases/{database}", None),
    ("read_content", "GET", "/data_sources/{source}", None),
    ("read_content", "POST", "/data_sources/{source}/query", {}),
    ("read_content", "POST", "/search", {}),
    ("insert_content", "POST", "/pages", {"parent": {"page_id": "{root}"}}),
    ("insert_content", "PATCH", "/blocks/{page}/children", {"children": []}),
    ("insert_content", "POST", "/databases", {"parent": {"page_id": "{root}"}}),
    ("update_content", "PATCH", "/pages/{page}", {"is_locked": False}),
    ("update_content", "POST", "/pages/{page}/move", {"parent": {"page_id": "{root}"}}),
    ("update_content", "PATCH", "/blocks/{block}", {"divider": {}}),
    ("update_content", "PATCH", "/databases/{database}", {"is_inline": True}),
    ("update_content", "PATCH", "/data_sources/{source}", {"properties": {}}),
    ("update_content", "DELETE", "/blocks/{block}", None),
    ("read_comments", "GET", "/comments?block_id={page}", None),
    ("read_comments", "GET", "/comments/{comment}", None),
    ("insert_comments", "POST", "/comments", {"parent": {"page_id": "{page}"}, "markdown": "a"}),
    ("read_users", "GET", "/users", None),
    ("read_users", "GET", "/users/{user}", None),
]


async def test_each_endpoint_needs_its_capability_and_no_other(direct: Any, things: Json) -> None:
    wrong = []
    for needed, method, path, body in NEEDS:
        filled = None if body is None else json.loads(_filled(json.dumps(body), things))
        only, but = token(direct, needed), token(direct, *(CAPABILITIES - {needed}))
        allowed, answer = await ask(direct, only["token"], method, _filled(path, things), filled)
        refused, refusal = await ask(direct, but["token"], method, _filled(path, things), filled)
        if (allowed, refused, refusal.get("code")) != (200, 403, "restricted_resource"):
            wrong.append((method, path, allowed, answer.get("message"), refused))
        if method == "DELETE":
            await direct.call("PATCH", _filled(path, things), {"in_trash": False})

    assert wrong == []


async def test_who_may_write_but_not_read_gets_ids_alone(direct: Any, things: Json) -> None:
    secret = token(direct, "insert_content", "insert_comments")["token"]
    _, page = await ask(direct, secret, "POST", "/pages", {"parent": {"page_id": things["root"]}})
    _, blocks = await ask(
        direct, secret, "PATCH", f"/blocks/{page['id']}/children", {"children": [{"divider": {}}]}
    )
    _, comment = await ask(
        direct, secret, "POST", "/comments", {"parent": {"page_id": page["id"]}, "markdown": "a"}
    )

    assert set(page) == {"object", "id", "request_id"}
    assert [set(block) for block in blocks["results"]] == [{"object", "id"}]
    assert set(comment) == {"object", "id", "request_id"}


async def test_what_is_known_of_users_depends_on_the_capabilities(direct: Any, things: Json) -> None:
    owner = (await direct.call("GET", "/users"))[1]["results"][0]
    mention = [{"mention": {"user": {"id": owner["id"]}}}]
    await direct.call(
        "PATCH", f"/blocks/{things['page']}/children", {"children": [{"paragraph": {"rich_text": mention}}]}
    )
    path = f"/blocks/{things['page']}/children"

    async def mentioned(*capabilities: Capability) -> Json:
        secret = token(direct, "read_content", *capabilities)["token"]
        run = (await ask(direct, secret, "GET", path))[1]["results"][-1]["paragraph"]["rich_text"][0]
        return {"user": run["mention"]["user"], "words": run["plain_text"]}

    whole = await mentioned("read_users", "read_user_emails")
    without_email = await mentioned("read_users")
    nobody = await mentioned()

    assert whole == {"user": owner, "words": f"@{owner['name']}"}
    assert owner["person"] == {"email": "owner@example.com", "email_verified": True}
    assert without_email["user"] == {**owner, "person": {}}
    assert nobody == {"user": {"object": "user", "id": owner["id"]}, "words": "@Anonymous"}


async def test_a_bot_that_may_know_nobody_still_knows_itself(direct: Any) -> None:
    made = token(direct)
    status, me = await ask(direct, made["token"], "GET", "/users/me")

    assert (status, me["id"], me["name"], me["type"]) == (200, made["user_id"], "Limited", "bot")


async def test_the_command_gives_a_token_its_capabilities(
    direct: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(direct.workspace.file)
    given = ["--capability", "read-content", "--capability", "read-users"]
    code = main(["token", "add", "--db", file, "--json", "--share", direct.workspace.root_page_id, *given])
    made = json.loads(capsys.readouterr().out)
    main(["token", "list", "--db", file])
    listed = capsys.readouterr().out
    root = f"/pages/{direct.workspace.root_page_id}"

    assert (code, made["capabilities"]) == (0, ["read_content", "read_users"])
    assert "read and write (read-content, read-users)" in listed
    assert (await ask(direct, made["token"], "GET", root))[0] == 200
    assert (await ask(direct, made["token"], "PATCH", root, {}))[0] == 403


def _filled(template: str, things: Json) -> str:
    for name, value in things.items():
        template = template.replace(f"{{{name}}}", value)
    return template
