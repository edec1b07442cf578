"""The versions of the API, and what is told differently in each."""

from typing import Any

import pytest

from notion_embedded.http.shapes import in_version

Json = dict[str, Any]

DATABASE_OF_2022 = (
    "object id cover icon created_time created_by last_edited_by last_edited_time title description"
    " is_inline properties parent url public_url archived in_trash request_id"
)

OLDEST, OLDER, NEWEST = "2022-06-28", "2025-09-03", "2026-03-11"


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


def keys(words: str) -> set[str]:
    return set(words.split())


def plain(runs: list[Json]) -> str:
    return "".join(run["plain_text"] for run in runs)


class Asking:
    """Requests in one version."""

    def __init__(self, served: Any, version: str) -> None:
        self._served = served
        self._version = version

    async def __call__(self, method: str, path: str, body: Any = None) -> Json:
        status, answer = await self.raw(method, path, body)
        assert status == 200, (method, path, answer)
        return answer

    async def raw(self, method: str, path: str, body: Any = None) -> tuple[int, Json]:
        headers = {"notion-version": self._version}
        status, answer = await self._served.call(method, path, body, **headers)
        return status, answer


@pytest.fixture
def root(direct: Any) -> str:
    return str(direct.workspace.root_page_id)


@pytest.fixture
def oldest(direct: Any) -> Asking:
    return Asking(direct, OLDEST)


@pytest.fixture
def newest(direct: Any) -> Asking:
    return Asking(direct, NEWEST)


@pytest.fixture
async def table(oldest: Asking, root: str) -> Json:
    """A database made as in 2022."""
    schema: Json = {"Task": {"title": {}}, "Points": {"number": {}}, "Done": {"checkbox": {}}}
    body = {"parent": {"type": "page_id", "page_id": root}, "title": text("Old"), "properties": schema}
    return await oldest("POST", "/databases", body)


@pytest.mark.parametrize("version", [OLDEST, OLDER])
async def test_versions_before_the_newest_say_archived_as_well(direct: Any, root: str, version: str) -> None:
    ask = Asking(direct, version)
    page = await ask("POST", "/pages", {"parent": {"page_id": root}, "children": [{"divider": {}}]})
    (block,) = (await ask("GET", f"/blocks/{page['id']}/children"))["results"]
    gone = await ask("PATCH", f"/pages/{page['id']}", {"archived": True})
    back = await ask("PATCH", f"/blocks/{page['id']}", {"archived": False})

    assert (page["archived"], page["in_trash"], block["archived"]) == (False, False, False)
    assert (gone["archived"], gone["in_trash"]) == (True, True)
    assert (back["archived"], back["in_trash"]) == (False, False)


async def test_the_newest_version_knows_archived_neither_in_requests_nor_in_answers(
    newest: Asking, root: str
) -> None:
    page = await newest("POST", "/pages", {"parent": {"page_id": root}})
    status, refusal = await newest.raw("PATCH", f"/pages/{page['id']}", {"archived": True})

    assert "archived" not in page
    assert (status, refusal["code"]) == (400, "validation_error")
    assert refusal["message"] == (
        "body failed validation: body.archived should be not present, instead was `true`."
    )


@pytest.mark.parametrize(("version", "status"), [(OLDEST, 200), (OLDER, 200), (NEWEST, 400)])
async def test_a_flat_after_is_for_versions_before_the_newest(
    direct: Any, root: str, version: str, status: int
) -> None:
    ask = Asking(direct, version)
    one = await ask("PATCH", f"/blocks/{root}/children", {"children": [{"divider": {}}, {"breadcrumb": {}}]})
    body = {"children": [{"equation": {"expression": "x"}}], "after": one["results"][0]["id"]}
    got, _ = await ask.raw("PATCH", f"/blocks/{root}/children", body)
    kinds = [block["type"] for block in (await ask("GET", f"/blocks/{root}/children"))["results"]]

    assert got == status
    assert kinds == (["divider", "equation", "breadcrumb"] if status == 200 else ["divider", "breadcrumb"])


@pytest.mark.parametrize(
    ("version", "word"), [(OLDEST, "transcription"), (OLDER, "transcription"), (NEWEST, "meeting_notes")]
)
async def test_meeting_notes_were_a_transcription_before(direct: Any, version: str, word: str) -> None:
    block = {"object": "block", "id": "x", "in_trash": False, "type": "meeting_notes", "meeting_notes": {}}
    shown = in_version({"object": "list", "results": [block]}, version)["results"][0]

    assert (shown["type"], shown[word]) == (word, {})


async def test_in_2022_a_database_is_the_table(oldest: Asking, table: Json, root: str) -> None:
    database = f"/databases/{table['id']}"
    row = await oldest(
        "POST",
        "/pages",
        {"parent": {"database_id": table["id"]}, "properties": {"Task": {"title": text("a")}}},
    )
    points = {"property": "Points", "number": {"is_empty": True}}
    found = await oldest("POST", f"{database}/query", {"filter": points})
    edited = await oldest(
        "PATCH",
        database,
        {"title": text("New"), "properties": {"Points": None, "Kind": {"select": {"options": []}}}},
    )

    assert set(table) == keys(DATABASE_OF_2022)
    assert (plain(table["title"]), list(table["properties"])) == ("Old", ["Task", "Points", "Done"])
    assert table["parent"] == {"type": "page_id", "page_id": root}
    assert row["parent"] == {"type": "database_id", "database_id": table["id"]}
    assert (found["type"], [page["id"] for page in found["results"]]) == ("page_or_database", [row["id"]])
    assert found["results"][0]["parent"]["type"] == "database_id"
    assert (plain(edited["title"]), set(edited["properties"])) == ("New", {"Task", "Done", "Kind"})
    assert (await oldest("GET", database))["properties"] == edited["properties"]


async def test_a_database_of_2022_is_trashed_and_restored(oldest: Asking, table: Json) -> None:
    database = f"/databases/{table['id']}"
    gone = await oldest("PATCH", database, {"archived": True, "title": text("Gone")})
    status, refusal = await oldest.raw("PATCH", database, {"title": text("x")})
    back = await oldest("PATCH", database, {"archived": False, "title": text("Back")})

    assert (gone["archived"], plain(gone["title"])) == (True, "Gone")
    assert (status, refusal["code"]) == (400, "validation_error")
    assert (back["archived"], plain(back["title"])) == (False, "Back")


async def test_what_was_made_in_2022_is_a_container_with_one_data_source_today(
    oldest: Asking, newest: Asking, table: Json
) -> None:
    database = await newest("GET", f"/databases/{table['id']}")
    (source,) = database["data_sources"]
    schema = (await newest("GET", f"/data_sources/{source['id']}"))["properties"]

    assert source["name"] == "Old"
    assert schema == table["properties"]


async def test_relations_of_2022_name_databases(
    oldest: Asking, newest: Asking, table: Json, root: str
) -> None:
    relation = {"relation": {"database_id": table["id"], "single_property": {}}}
    schema = {"Name": {"title": {}}, "Of": relation}
    made = await oldest("POST", "/databases", {"parent": {"page_id": root}, "properties": schema})
    source = (await newest("GET", f"/databases/{made['id']}"))["data_sources"][0]["id"]
    today = (await newest("GET", f"/data_sources/{source}"))["properties"]["Of"]["relation"]

    assert made["properties"]["Of"]["relation"]["database_id"] == table["id"]
    assert "data_source_id" not in made["properties"]["Of"]["relation"]
    assert (
        today["data_source_id"] == (await newest("GET", f"/databases/{table['id']}"))["data_sources"][0]["id"]
    )


async def test_in_2022_no_page_stands_in_a_data_source(oldest: Asking, newest: Asking, table: Json) -> None:
    source = (await newest("GET", f"/databases/{table['id']}"))["data_sources"][0]["id"]
    status, answer = await oldest.raw("POST", "/pages", {"parent": {"data_source_id": source}})

    assert (status, answer["message"]) == (
        400,
        f'body failed validation: body.parent.data_source_id should be not present, instead was `"{source}"`.',
    )


async def test_search_of_2022_finds_databases(oldest: Asking, newest: Asking, table: Json) -> None:
    found = await oldest("POST", "/search", {"filter": {"property": "object", "value": "database"}})
    everything = await oldest("POST", "/search", {})
    status, _ = await oldest.raw(
        "POST", "/search", {"filter": {"property": "object", "value": "data_source"}}
    )

    assert found["type"] == "page_or_database"
    (database,) = found["results"]
    assert {**database, "request_id": None} == {**table, "request_id": None}
    assert {item["object"] for item in everything["results"]} == {"page", "database"}
    assert status == 400


async def test_several_data_sources_cannot_be_told_in_2022(
    oldest: Asking, newest: Asking, table: Json
) -> None:
    body = {"parent": {"database_id": table["id"]}, "properties": {"Name": {"title": {}}}}
    second = await newest("POST", "/data_sources", body)
    ids = [source["id"] for source in (await newest("GET", f"/databases/{table['id']}"))["data_sources"]]
    answers = [
        await oldest.raw("GET", f"/databases/{table['id']}"),
        await oldest.raw("PATCH", f"/databases/{table['id']}", {"title": text("x")}),
        await oldest.raw("POST", f"/databases/{table['id']}/query", {}),
        await oldest.raw("POST", "/pages", {"parent": {"database_id": table["id"]}}),
    ]

    assert second["id"] in ids
    for status, answer in answers:
        assert (status, answer["code"]) == (400, "validation_error")
        assert answer["message"] == (
            "Databases with multiple data sources are not supported in this API version."
        )
        assert answer["additional_data"]["child_data_source_ids"] == ids
    found = await oldest("POST", "/search", {"filter": {"property": "object", "value": "database"}})
    assert found["results"] == []


@pytest.mark.parametrize(
    ("version", "method", "path"),
    [
        (OLDEST, "GET", "/data_sources/{source}"),
        (OLDEST, "PATCH", "/data_sources/{source}"),
        (OLDEST, "POST", "/data_sources/{source}/query"),
        (OLDEST, "POST", "/data_sources"),
        (OLDER, "POST", "/databases/{database}/query"),
        (NEWEST, "POST", "/databases/{database}/query"),
        (NEWEST, "GET", "/data_sources/{source}/templates"),
        (NEWEST, "GET", "/views"),
        (NEWEST, "POST", "/views/{database}/queries"),
        (NEWEST, "GET", "/custom_emojis"),
        (NEWEST, "POST", "/blocks/meeting_notes"),
        (NEWEST, "POST", "/blocks/meeting_notes/query"),
        (NEWEST, "GET", "/async_tasks/{database}"),
        (NEWEST, "POST", "/sessions"),
        (NEWEST, "GET", "/agents"),
        (NEWEST, "GET", "/threads/{database}/messages"),
        (NEWEST, "PUT", "/pages/{database}"),
        (NEWEST, "GET", "/invalid"),
    ],
)
async def test_what_a_version_does_not_have_is_no_url(
    direct: Any, newest: Asking, table: Json, version: str, method: str, path: str
) -> None:
    source = (await newest("GET", f"/databases/{table['id']}"))["data_sources"][0]["id"]
    filled = path.format(source=source, database=table["id"])
    status, answer = await Asking(direct, version).raw(method, filled, {} if method != "GET" else None)

    assert (status, answer["code"], answer["message"]) == (400, "invalid_request_url", "Invalid request URL.")


@pytest.mark.parametrize("version", [OLDEST, OLDER, NEWEST])
async def test_ids_are_taken_with_and_without_dashes(direct: Any, root: str, version: str) -> None:
    ask = Asking(direct, version)
    shown = [
        (await ask("GET", f"/pages/{form}"))["id"] for form in (root, root.replace("-", ""), root.upper())
    ]

    assert shown == [root] * 3


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/pages/{}", "page_id"),
        ("/blocks/{}", "block_id"),
        ("/blocks/{}/children", "block_id"),
        ("/databases/{}", "database_id"),
        ("/data_sources/{}", "data_source_id"),
        ("/comments/{}", "comment_id"),
        ("/users/{}", "user_id"),
    ],
)
async def test_what_is_no_uuid_is_told_with_its_place_in_the_path(
    newest: Asking, path: str, name: str
) -> None:
    wrong = "12345678-1234-1234-1234-123456789abc"
    _, answer = await newest.raw("GET", path.format(wrong))
    nobody, _ = await newest.raw("GET", path.format("00000000-0000-0000-0000-000000000000"))

    assert answer["message"] == (
        f'path failed validation: path.{name} should be a valid uuid, instead was `"{wrong}"`.'
    )
    assert nobody == 404


async def test_an_id_of_another_kind_of_thing_is_told_to_those_who_see_it(
    direct: Any, newest: Asking, table: Json, root: str
) -> None:
    made = await newest("PATCH", f"/blocks/{root}/children", {"children": [{"divider": {}}]})
    database, block = table["id"], made["results"][0]["id"]
    stranger = direct.new_token("bot")["token"]
    asked = [
        await newest.raw("GET", f"/pages/{database}"),
        await newest.raw("GET", f"/pages/{block}"),
        await newest.raw("POST", "/pages", {"parent": {"page_id": database}}),
        await newest.raw("GET", f"/databases/{root}"),
    ]
    hidden, _ = await direct.call("GET", f"/pages/{database}", authorization=f"Bearer {stranger}")

    assert [(status, answer["code"]) for status, answer in asked] == [(400, "validation_error")] * 4
    assert [answer["message"] for _, answer in asked] == [
        f"Provided ID {database} is a database, not a page. Use the retrieve database API instead.",
        f"Provided ID {block} is a block, not a page. Use the retrieve block API instead.",
        f"Provided ID {database} is a database, not a page. Use the retrieve database API instead.",
        (
            f"Provided database_id {root} is a page, not a database. "
            "Use the pages API instead, or pass the ID of the database itself."
        ),
    ]
    assert hidden == 404


async def test_a_version_that_nobody_knows_is_refused(direct: Any) -> None:
    status, answer = await Asking(direct, "2021-05-13").raw("GET", "/users/me")

    assert (status, answer["code"]) == (400, "validation_error")
