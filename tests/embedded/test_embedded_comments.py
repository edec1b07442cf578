"""Comments: said on pages and blocks, by bots and people, in discussions that can be closed."""

from contextlib import closing
from typing import Any

import pytest

from notion_embedded.store.admin import Admin

Json = dict[str, Any]


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


class Voice:
    """Somebody who can comment."""

    def __init__(self, served: Any, token: str) -> None:
        self._served = served
        self._token = token

    async def raw(self, method: str, path: str, body: Any = None) -> tuple[int, Json]:
        status, answer = await self._served.call(method, path, body, authorization=f"Bearer {self._token}")
        return status, answer

    async def say(self, **body: Any) -> Json:
        status, answer = await self.raw("POST", "/comments", body)
        assert status == 200, answer
        return answer

    async def listed(self, block_id: str, more: str = "") -> Json:
        status, answer = await self.raw("GET", f"/comments?block_id={block_id}{more}")
        assert status == 200, answer
        return answer


@pytest.fixture
def root(direct: Any) -> str:
    return str(direct.workspace.root_page_id)


@pytest.fixture
def bot(direct: Any) -> Voice:
    return Voice(direct, direct.workspace.token)


@pytest.fixture
def person(direct: Any, root: str) -> Voice:
    return Voice(direct, direct.new_token("person", root, name="Ada")["token"])


async def test_markdown_is_read_as_one_line_of_text(bot: Voice, root: str) -> None:
    comment = await bot.say(
        parent={"page_id": root},
        markdown="**Ship** _it_, ~~maybe~~ `now` [here](https://example.com/a)\n- no list",
    )
    runs = [
        (run["plain_text"], [mark for mark, on in run["annotations"].items() if on is True], run["href"])
        for run in comment["rich_text"]
    ]

    assert runs == [
        ("Ship", ["bold"], None),
        (" ", [], None),
        ("it", ["italic"], None),
        (", ", [], None),
        ("maybe", ["strikethrough"], None),
        (" ", [], None),
        ("now", ["code"], None),
        (" ", [], None),
        ("here", [], "https://example.com/a"),
        ("\n- no list", [], None),
    ]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, {"type": "integration", "resolved_name": "Lakelight"}),
        ({"type": "integration"}, {"type": "integration", "resolved_name": "Lakelight"}),
        ({"type": "custom", "custom": {"name": "青鸟"}}, {"type": "custom", "resolved_name": "青鸟"}),
        ({"type": "user"}, {"type": "user", "resolved_name": "Lakelight"}),
    ],
)
async def test_a_comment_bears_the_name_that_it_asks_for(
    bot: Voice, root: str, given: Json | None, shown: Json
) -> None:
    named = {} if given is None else {"display_name": given}
    comment = await bot.say(parent={"page_id": root}, rich_text=text("a"), **named)

    assert comment["display_name"] == shown


async def test_a_person_answers_a_bot_in_its_discussion(bot: Voice, person: Voice, root: str) -> None:
    question = await bot.say(parent={"page_id": root}, rich_text=text("Is this right?"))
    answer = await person.say(discussion_id=question["discussion_id"], rich_text=text("Yes."))
    listed = (await bot.listed(root))["results"]

    assert answer["display_name"] == {"type": "user", "resolved_name": "Ada"}
    assert answer["parent"] == {"type": "page_id", "page_id": root}
    assert [comment["id"] for comment in listed] == [question["id"], answer["id"]]
    assert {comment["discussion_id"] for comment in listed} == {question["discussion_id"]}
    assert answer["created_by"] != question["created_by"]


async def test_a_block_has_comments_of_its_own(bot: Voice, root: str) -> None:
    _, made = await bot.raw("PATCH", f"/blocks/{root}/children", {"children": [{"divider": {}}]})
    block = made["results"][0]["id"]
    comment = await bot.say(parent={"block_id": block}, rich_text=text("a"))
    on_page = await bot.say(parent={"block_id": root}, rich_text=text("b"))

    assert comment["parent"] == {"type": "block_id", "block_id": block}
    assert on_page["parent"] == {"type": "page_id", "page_id": root}
    assert [one["id"] for one in (await bot.listed(block))["results"]] == [comment["id"]]
    assert [one["id"] for one in (await bot.listed(root))["results"]] == [on_page["id"]]


async def test_a_closed_discussion_is_no_longer_listed(direct: Any, bot: Voice, root: str) -> None:
    kept = await bot.say(parent={"page_id": root}, rich_text=text("open"))
    done = await bot.say(parent={"page_id": root}, rich_text=text("done"))
    with closing(Admin(direct.workspace.file)) as admin:
        admin.resolve(done["discussion_id"])

    assert [one["id"] for one in (await bot.listed(root))["results"]] == [kept["id"]]
    assert (await bot.raw("GET", f"/comments/{done['id']}"))[0] == 200


async def test_only_its_author_changes_or_takes_back_a_comment(bot: Voice, person: Voice, root: str) -> None:
    comment = await person.say(parent={"page_id": root}, rich_text=text("mine"))
    path = f"/comments/{comment['id']}"
    attempts = [await bot.raw("PATCH", path, {"markdown": "not yours"}), await bot.raw("DELETE", path)]
    _, changed = await person.raw("PATCH", path, {"markdown": "still **mine**"})
    taken, _ = await person.raw("DELETE", path)

    assert [status for status, _ in attempts] == [400, 400]
    assert [run["plain_text"] for run in changed["rich_text"]] == ["still ", "mine"]
    assert taken == 200
    assert (await person.raw("GET", path))[0] == 404
    assert (await bot.listed(root))["results"] == []


async def test_comments_are_paged_by_the_next_ones_id(bot: Voice, root: str) -> None:
    made = [(await bot.say(parent={"page_id": root}, markdown=str(n)))["id"] for n in range(5)]
    first = await bot.listed(root, "&page_size=2")
    second = await bot.listed(root, f"&page_size=2&start_cursor={first['next_cursor']}")
    third = await bot.listed(root, f"&page_size=2&start_cursor={second['next_cursor']}")
    found = [one["id"] for listed in (first, second, third) for one in listed["results"]]

    assert found == made
    assert (first["has_more"], third["has_more"], third["next_cursor"]) == (True, False, None)


async def test_a_comment_bears_files_that_were_uploaded(direct: Any, bot: Voice, root: str) -> None:
    _, upload = await bot.raw("POST", "/file_uploads", {"filename": "plan.png", "content_type": "image/png"})
    sent = await direct.http.post(
        f"{direct.url}/v1/file_uploads/{upload['id']}/send",
        headers={"authorization": f"Bearer {direct.workspace.token}", "notion-version": "2026-03-11"},
        files={"file": ("plan.png", b"picture", "image/png")},
    )
    comment = await bot.say(parent={"page_id": root}, attachments=[{"file_upload_id": upload["id"]}])
    (listed,) = (await bot.listed(root))["results"]

    assert sent.status_code == 200
    for shown in (comment, listed):
        (attachment,) = shown["attachments"]
        assert attachment["category"] == "image"
        assert set(attachment) == {"category", "file"}
        assert set(attachment["file"]) == {"url", "expiry_time"}
    assert listed["rich_text"] == []


REFUSED = [
    pytest.param({"rich_text": []}, 400, id="nowhere"),
    pytest.param({"parent": {"page_id": "ROOT"}, "discussion_id": "ROOT", "markdown": "a"}, 400, id="two places"),
    pytest.param({"parent": {"workspace": True}, "markdown": "a"}, 400, id="the workspace"),
    pytest.param({"parent": {"page_id": "ROOT"}}, 400, id="no words"),
    pytest.param({"parent": {"page_id": "ROOT"}, "markdown": "a", "rich_text": []}, 400, id="two texts"),
    pytest.param({"parent": {"page_id": "ROOT"}, "markdown": 1}, 400, id="a number for words"),
    pytest.param({"parent": {"page_id": "ROOT"}, "markdown": "a", "display_name": {"type": "bot"}}, 400, id="a name of no kind"),
    pytest.param({"parent": {"page_id": "ROOT"}, "markdown": "a", "display_name": {"type": "custom"}}, 400, id="no name"),
    pytest.param({"parent": {"page_id": "ROOT"}, "attachments": [{}] * 4}, 400, id="four files"),
    pytest.param({"parent": {"page_id": "ROOT"}, "attachments": [{"file_upload_id": "ROOT"}]}, 404, id="no file"),
    pytest.param({"discussion_id": "ROOT", "markdown": "a"}, 404, id="no discussion"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status"), REFUSED)
async def test_what_is_no_comment_is_refused(bot: Voice, root: str, body: Json, status: int) -> None:
    got, answer = await bot.raw("POST", "/comments", _with_root(body, root))

    assert got == status, answer
    assert (await bot.listed(root))["results"] == []


async def test_nothing_is_said_on_what_is_in_the_trash(bot: Voice, root: str) -> None:
    _, page = await bot.raw("POST", "/pages", {"parent": {"page_id": root}})
    comment = await bot.say(parent={"page_id": page["id"]}, markdown="a")
    await bot.raw("DELETE", f"/blocks/{page['id']}")
    fresh, _ = await bot.raw("POST", "/comments", {"parent": {"page_id": page["id"]}, "markdown": "a"})
    reply, _ = await bot.raw(
        "POST", "/comments", {"discussion_id": comment["discussion_id"], "markdown": "b"}
    )

    assert (fresh, reply) == (400, 400)


def _with_root(value: Any, root: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_root(inner, root) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_root(inner, root) for inner in value]
    return root if value == "ROOT" else value
