"""What is refused, and in which words."""

from collections.abc import Callable
from typing import Any

import pytest

Json = dict[str, Any]


@pytest.fixture
def served(direct: Any) -> Any:
    return direct


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


def paragraph(rich_text: list[Json], **more: Any) -> Json:
    return {"paragraph": {"rich_text": rich_text, **more}}


def appended(*blocks: Json, **more: Any) -> Json:
    return {"children": list(blocks), **more}


def nested(levels: int) -> Json:
    block = paragraph(text("innermost"))
    for _ in range(levels):
        block = paragraph(text("outer"), children=[block])
    return block


BODY = "body failed validation: body."
RUN = "children[0].paragraph.rich_text[0]"

APPEND = [
    pytest.param(
        appended(paragraph(text("é" * 4218))),
        f"{BODY}{RUN}.text.content.length should be ≤ `2000`, instead was `4218`.",
        id="a long text",
    ),
    pytest.param(
        appended(paragraph(text("x" * 1999 + "🌿"))),
        f"{BODY}{RUN}.text.content.length should be ≤ `2000`, instead was `2001`.",
        id="an emoji counts twice",
    ),
    pytest.param(
        appended(*[{"divider": {}}] * 101),
        f"{BODY}children.length should be ≤ `100`, instead was `101`.",
        id="too many children",
    ),
    pytest.param(
        appended(paragraph([{"text": {"content": str(n)}} for n in range(101)])),
        f"{BODY}children[0].paragraph.rich_text.length should be ≤ `100`, instead was `101`.",
        id="too many runs",
    ),
    pytest.param(
        appended(paragraph([{"text": {"content": "a", "link": {"url": "https://e.org/" + "x" * 2000}}}])),
        f"{BODY}{RUN}.text.link.url.length should be ≤ `2000`, instead was `2014`.",
        id="a long link",
    ),
    pytest.param(
        appended(paragraph([{"text": {"content": "a", "link": {"url": "./here.md"}}}])),
        "Invalid URL for link.",
        id="a relative link",
    ),
    pytest.param(
        appended(paragraph([{"text": {"content": "a", "link": {"url": "#there"}}}])),
        "Invalid URL for link.",
        id="an anchor",
    ),
    pytest.param(
        appended(nested(3)),
        f"{BODY}children[0].paragraph.children[0].paragraph.children[0].paragraph.children should be not present, "
        'instead was `[{"paragraph":{"rich_text":[{"text":{"content":"innermost"}}]}}]`.',
        id="too deep",
    ),
    pytest.param(
        {"children": []} | {"after": "e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e"},
        f'{BODY}after should be not present, instead was `"e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e"`.',
        id="after, of an older version",
    ),
    pytest.param(
        appended(paragraph(text("a"), color="ultraviolet")),
        None,
        id="an unknown colour",
    ),
    pytest.param(
        appended({"code": {"rich_text": text("a"), "language": "jsx"}}),
        None,
        id="an unknown language",
    ),
    pytest.param(
        appended({"table": {"table_width": 2, "children": [{"table_row": {"cells": [[]]}}]}}),
        "Number of cells in table row must match the table width of the parent table",
        id="a ragged table",
    ),
    pytest.param(
        appended({"equation": {"expression": "x" * 1001}}),
        f"{BODY}children[0].equation.expression.length should be ≤ `1000`, instead was `1001`.",
        id="a long equation",
    ),
    pytest.param(
        appended({"bookmark": {"url": "https://e.org/" + "x" * 2087}}),
        f"{BODY}children[0].bookmark.url.length should be ≤ `2000`, instead was `2101`.",
        id="a long bookmark",
    ),
    pytest.param(
        appended(paragraph([{"mention": {"date": {"start": "2026-01-01"}}, "text": {"content": "a"}}])),
        None,
        id="a mention with a text",
    ),
    pytest.param({}, f"{BODY}children should be defined, instead was `undefined`.", id="no children"),
    pytest.param({"children": {}}, f"{BODY}children should be an array, instead was `{{}}`.", id="an object"),
    pytest.param(appended({"child_page": {"title": "x"}}), None, id="a block that only Notion makes"),
    pytest.param(appended({"column_list": {"children": []}}), None, id="columns without columns"),
    pytest.param(appended({"table_row": {"cells": []}}), None, id="a row without a table"),
    pytest.param(appended("divider"), f'{BODY}children[0] should be an object, instead was `"divider"`.', id="a word"),
    pytest.param(
        appended({"divider": {}}, position={"type": "middle"}),
        f'{BODY}position.type should be `"start"`, `"end"`, or `"after_block"`, instead was `"middle"`.',
        id="an unknown position",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), APPEND)
async def test_blocks_beyond_a_limit_are_refused_and_nothing_is_written(
    served: Any, body: Json, message: str | None
) -> None:
    path = f"/blocks/{served.workspace.root_page_id}/children"
    status, answer = await served.call("PATCH", path, body)

    assert (status, answer["object"], answer["code"]) == (400, "error", "validation_error")
    assert message is None or answer["message"] == message
    assert (await served.call("GET", path))[1]["results"] == []


async def test_what_is_just_within_the_limits_is_written(served: Any) -> None:
    path = f"/blocks/{served.workspace.root_page_id}/children"
    runs = [{"text": {"content": "x"}, "annotations": {"bold": bool(n % 2)}} for n in range(100)]
    blocks = [paragraph(text("x" * 1998 + "🌿")), nested(2), paragraph(runs)] + [{"divider": {}}] * 97
    status, answer = await served.call("PATCH", path, {"children": blocks})

    assert status == 200
    assert len(answer["results"]) == 100
    assert len(answer["results"][2]["paragraph"]["rich_text"]) == 100


async def test_more_than_a_thousand_blocks_in_all_are_refused(served: Any) -> None:
    blocks = [paragraph(text("a"), children=[{"divider": {}}] * 99)] * 11
    status, answer = await served.call(
        "PATCH", f"/blocks/{served.workspace.root_page_id}/children", {"children": blocks}
    )

    assert (status, answer["code"]) == (400, "validation_error")


async def test_a_request_larger_than_500_kb_is_refused(served: Any) -> None:
    status, answer = await served.call("POST", "/search", {"query": "x" * 500_000})

    assert (status, answer["code"]) == (413, "validation_error")


SCHEMA: Json = {
    "Name": {"title": {}},
    "Stage": {"status": {"options": [{"name": "New"}, {"name": "Done"}]}},
    "Kind": {"select": {"options": [{"name": "A"}]}},
    "Tags": {"multi_select": {}},
    "Count": {"number": {}},
    "Due": {"date": {}},
    "Link": {"url": {}},
    "Mail": {"email": {}},
    "Sum": {"formula": {"expression": "1"}},
    "Made": {"created_time": {}},
    "Who": {"people": {}},
}


@pytest.fixture
async def source(served: Any) -> str:
    parent = {"page_id": served.workspace.root_page_id}
    _, database = await served.call(
        "POST", "/databases", {"parent": parent, "initial_data_source": {"properties": SCHEMA}}
    )
    return str(database["data_sources"][0]["id"])


VALUES = [
    pytest.param({"Nope": {"number": 1}}, "Nope is not a property that exists.", id="an unknown column"),
    pytest.param({"Stage": {"select": {"name": "New"}}}, "Stage is expected to be status.", id="select for status"),
    pytest.param({"Kind": {"status": {"name": "A"}}}, "Kind is expected to be select.", id="status for select"),
    pytest.param({"Stage": {"status": {"name": "Later"}}}, None, id="a status that does not exist"),
    pytest.param(
        {"Tags": {"multi_select": [{"name": "Data, Stats"}]}},
        "Invalid select option, commas not allowed: Data, Stats",
        id="a comma in an option",
    ),
    pytest.param(
        {"Link": {"url": ""}},
        'body failed validation: body.properties.Link.url should be populated or `null`, instead was `""`.',
        id="an empty url",
    ),
    pytest.param(
        {"Due": {"date": {"start": "soon"}}},
        "body failed validation: body.properties.Due.date.start should be a valid ISO 8601 date string, "
        'instead was `"soon"`.',
        id="a date in words",
    ),
    pytest.param(
        {"Mail": {"email": "x" * 201}},
        "body failed validation: body.properties.Mail.email.length should be ≤ `200`, instead was `201`.",
        id="a long address",
    ),
    pytest.param(
        {"Count": {"number": "3"}},
        'body failed validation: body.properties.Count.number should be a number, instead was `"3"`.',
        id="a number in words",
    ),
    pytest.param({"Count": {"number": 10**400}}, None, id="a number beyond all numbers"),
    pytest.param({"Sum": {"formula": {"number": 1}}}, None, id="a computed column"),
    pytest.param({"Made": {"created_time": "2026-01-01"}}, None, id="a time that only the server knows"),
    pytest.param({"Who": {"people": [{"id": "e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e"}]}}, None, id="a stranger"),
    pytest.param({"Tags": {"multi_select": [{"name": str(n)} for n in range(101)]}}, None, id="too many options"),
]  # fmt: skip


@pytest.mark.parametrize(("properties", "message"), VALUES)
async def test_a_value_that_does_not_fit_its_column_is_refused(
    served: Any, source: str, properties: Json, message: str | None
) -> None:
    body = {"parent": {"data_source_id": source}, "properties": properties}
    status, answer = await served.call("POST", "/pages", body)

    assert (status, answer["code"]) == (400, "validation_error")
    assert message is None or answer["message"] == message
    assert (await served.call("POST", f"/data_sources/{source}/query", {}))[1]["results"] == []


QUERIES = [
    pytest.param(
        {"filter": {"property": "Stage", "select": {"equals": "New"}}},
        "The property type in the database does not match the property type of the filter provided: "
        "database property status does not match filter select",
        id="a select filter on a status",
    ),
    pytest.param(
        {"filter": {"property": "Nope", "number": {"equals": 1}}},
        "Could not find property with name or id: Nope",
        id="an unknown column",
    ),
    pytest.param({"filter": {"property": "Count", "number": {"contains": 1}}}, None, id="an unknown condition"),
    pytest.param(
        {"filter": {"and": [{"or": [{"and": [{"property": "Count", "number": {"equals": 1}}]}]}]}},
        None,
        id="nested too deep",
    ),
    pytest.param(
        {"filter": {"property": "Due", "date": {"equals": {}}}},
        "body failed validation: body.filter.date.equals should be a string, instead was `{}`.",
        id="a date that is an object",
    ),
    pytest.param({"filter": {}}, None, id="an empty filter"),
    pytest.param(
        {"sorts": [{"property": "Nope", "direction": "ascending"}]},
        "Could not find sort property with name or id: Nope",
        id="a sort by an unknown column",
    ),
    pytest.param({"page_size": 101}, None, id="a page too large"),
    pytest.param(
        {"page_size": "ten"},
        'body failed validation: body.page_size should be a number or `undefined`, instead was `"ten"`.',
        id="a page size in words",
    ),
    pytest.param(
        {"start_cursor": "nowhere"}, "The start_cursor provided is invalid: nowhere", id="a cursor of one's own"
    ),
    pytest.param({"filters": {}}, None, id="an unknown key"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), QUERIES)
async def test_a_query_that_makes_no_sense_is_refused(
    served: Any, source: str, body: Json, message: str | None
) -> None:
    status, answer = await served.call("POST", f"/data_sources/{source}/query", body)

    assert (status, answer["code"]) == (400, "validation_error")
    assert message is None or answer["message"] == message


async def test_a_cursor_of_another_order_never_breaks_the_server(served: Any, source: str) -> None:
    for number in range(3):
        body = {"parent": {"data_source_id": source}, "properties": {"Count": {"number": number}}}
        await served.call("POST", "/pages", body)
    path = f"/data_sources/{source}/query"
    orders = [
        [],
        *([{"property": name, "direction": "ascending"}] for name in ("Name", "Count", "Tags", "Stage")),
    ]
    cursors = [
        (await served.call("POST", path, {"sorts": order, "page_size": 1}))[1]["next_cursor"]
        for order in orders
    ]
    answers = [
        await served.call("POST", path, {"sorts": order, "start_cursor": cursor})
        for order in orders
        for cursor in cursors
    ]

    assert {status for status, _ in answers} == {200, 400}
    assert {answer["code"] for status, answer in answers if status == 400} == {"validation_error"}


def without(header: str) -> Callable[[Any], Any]:
    return lambda served: served.call("GET", "/users/me", **{header: ""})


HEADERS = [
    pytest.param(without("authorization"), 401, "unauthorized", "API token is invalid.", id="no token"),
    pytest.param(
        lambda served: served.call("GET", "/users/me", authorization="Bearer ntn_wrong"),
        401,
        "unauthorized",
        "API token is invalid.",
        id="a wrong token",
    ),
    pytest.param(
        without("notion-version"),
        400,
        "missing_version",
        "Notion-Version header failed validation: Notion-Version header should be defined, "
        "instead was `undefined`.",
        id="no version",
    ),
    pytest.param(
        lambda served: served.call("GET", "/users/me", **{"notion-version": "1999-01-01"}),
        400,
        "validation_error",
        None,
        id="an unknown version",
    ),
    pytest.param(
        lambda served: served.call("GET", "/nothing"),
        400,
        "invalid_request_url",
        "Invalid request URL.",
        id="an unknown path",
    ),
    pytest.param(
        lambda served: served.call("DELETE", "/users/me"),
        400,
        "invalid_request_url",
        "Invalid request URL.",
        id="an unknown method",
    ),
    pytest.param(
        lambda served: served.call("POST", "/search", b"{"),
        400,
        "invalid_json",
        "Error parsing JSON body.",
        id="half a body",
    ),
    pytest.param(
        lambda served: served.call("POST", "/search", b'{"query": NaN}'),
        400,
        "invalid_json",
        "Error parsing JSON body.",
        id="no number",
    ),
    pytest.param(
        lambda served: served.call("POST", "/search", b"[" * 100_000),
        400,
        "invalid_json",
        "Error parsing JSON body.",
        id="a body without a bottom",
    ),
    pytest.param(
        lambda served: served.call("POST", "/search", b"[]"), 400, "validation_error", None, id="a list for a body"
    ),
    pytest.param(
        lambda served: served.call("GET", "/pages/12345678-1234-1234-1234-123456789abc"),
        400,
        "validation_error",
        "path failed validation: path.page_id should be a valid uuid, instead was "
        '`"12345678-1234-1234-1234-123456789abc"`.',
        id="an id with a wrong variant",
    ),
    pytest.param(
        lambda served: served.call("GET", "/pages/00000000-0000-0000-0000-000000000000"),
        404,
        "object_not_found",
        "Could not find page with ID: 00000000-0000-0000-0000-000000000000. Make sure the relevant pages and "
        'databases are shared with your integration "Lakelight".',
        id="a page that does not exist",
    ),
    pytest.param(
        lambda served: served.call("GET", "/users/00000000-0000-0000-0000-000000000000"),
        404,
        "object_not_found",
        None,
        id="a user that does not exist",
    ),
    pytest.param(
        lambda served: served.call("POST", "/pages", {"properties": {}}),
        400,
        "validation_error",
        "body failed validation: body.parent should be defined, instead was `undefined`.",
        id="a page without a parent",
    ),
    pytest.param(
        lambda served: served.call("POST", "/pages", {"parent": {"database_id": "DATABASE"}}),
        400,
        "validation_error",
        None,
        id="a parent that is no id",
    ),
    pytest.param(
        lambda served: served.call("POST", "/pages", {"parent": {"workspace": True}}),
        400,
        "validation_error",
        None,
        id="a bot at the top of the workspace",
    ),
    pytest.param(
        lambda served: served.call("PATCH", f"/pages/{served.workspace.root_page_id}", {"archived": True}),
        400,
        "validation_error",
        "body failed validation: body.archived should be not present, instead was `true`.",
        id="archived, of an older version",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "status", "code", "message"), HEADERS)
async def test_a_wrong_request_gets_notions_answer(
    served: Any, ask: Callable[[Any], Any], status: int, code: str, message: str | None
) -> None:
    answered, body = await ask(served)

    assert (answered, body["object"], body["status"], body["code"]) == (status, "error", status, code)
    assert message is None or body["message"] == message
    assert len(body["request_id"]) == 36


async def test_what_is_not_there_names_the_integration(served: Any) -> None:
    _, body = await served.call("GET", "/blocks/00000000-0000-0000-0000-000000000000")

    assert body["additional_data"] == {"integration_id": served.workspace.bot_id}


async def test_what_is_in_the_trash_cannot_be_edited(served: Any) -> None:
    root = served.workspace.root_page_id
    _, page = await served.call("POST", "/pages", {"parent": {"page_id": root}})
    _, blocks = await served.call("PATCH", f"/blocks/{page['id']}/children", appended({"divider": {}}))
    block = blocks["results"][0]["id"]
    await served.call("PATCH", f"/pages/{page['id']}", {"in_trash": True})

    archived = "Can't edit block that is archived. You must unarchive the block before editing."
    for method, path, body in (
        ("PATCH", f"/pages/{page['id']}", {"icon": {"emoji": "🌿"}}),
        ("PATCH", f"/pages/{page['id']}", {"in_trash": True}),
        ("DELETE", f"/blocks/{page['id']}", None),
        ("PATCH", f"/blocks/{page['id']}/children", appended({"divider": {}})),
        ("POST", "/pages", {"parent": {"page_id": page["id"]}}),
    ):
        status, answer = await served.call(method, path, body)
        assert (status, answer["code"], answer["message"]) == (400, "validation_error", archived)
    status, answer = await served.call("DELETE", f"/blocks/{block}")
    assert (status, answer["code"]) == (400, "validation_error")
    assert "archived ancestor" in answer["message"]


async def test_half_a_character_is_replaced_and_never_breaks_the_server(served: Any) -> None:
    raw = b'{"parent": {"page_id": "%s"}, "properties": {"title": [{"text": {"content": "a\\ud83cb"}}]}}'
    status, page = await served.call("POST", "/pages", raw % served.workspace.root_page_id.encode())

    assert status == 200
    assert page["properties"]["title"]["title"][0]["plain_text"] == "a�b"


async def test_an_idempotency_key_is_not_honoured(served: Any) -> None:
    body = {"parent": {"page_id": served.workspace.root_page_id}}
    _, one = await served.call("POST", "/pages", body, **{"idempotency-key": "same"})
    _, two = await served.call("POST", "/pages", body, **{"idempotency-key": "same"})

    assert one["id"] != two["id"]
