"""Times as Notion keeps them: cut to the minute, moved by every edit, and told in the Date header."""

from typing import Any


def text(words: str) -> list[dict[str, Any]]:
    return [{"text": {"content": words}}]


def paragraph(words: str) -> dict[str, Any]:
    return {"paragraph": {"rich_text": text(words)}}


async def rows_source(served: Any) -> str:
    parent = {"page_id": served.workspace.root_page_id}
    schema = {"Name": {"title": {}}, "Count": {"number": {}}, "Due": {"date": {}}}
    _, database = await served.call(
        "POST", "/databases", {"parent": parent, "initial_data_source": {"properties": schema}}
    )
    return str(database["data_sources"][0]["id"])


async def test_pages_and_blocks_forget_their_seconds_and_databases_do_not(direct: Any) -> None:
    root = direct.workspace.root_page_id
    _, page = await direct.call("POST", "/pages", {"parent": {"page_id": root}, "children": [paragraph("a")]})
    _, blocks = await direct.call("GET", f"/blocks/{page['id']}/children")
    _, database = await direct.call("POST", "/databases", {"parent": {"page_id": root}})
    _, source = await direct.call("GET", f"/data_sources/{database['data_sources'][0]['id']}")
    _, as_block = await direct.call("GET", f"/blocks/{database['id']}")

    for thing in (page, blocks["results"][0], source, as_block):
        assert thing["created_time"] == thing["last_edited_time"] == "2026-05-04T10:00:00.000Z"
    assert database["created_time"] == database["last_edited_time"] == "2026-05-04T10:00:20.250+00:00"


async def test_the_date_header_is_the_workspaces_own_clock(served: Any) -> None:
    answer = await served.http.get(f"{served.url}/v1/users/me")

    assert answer.headers["date"] == "Mon, 04 May 2026 10:00:20 GMT"
    assert answer.headers["x-notion-request-id"] == answer.json()["request_id"]


async def test_an_edit_of_a_value_or_of_the_content_moves_the_pages_time_and_editor(direct: Any) -> None:
    source = await rows_source(direct)
    _, row = await direct.call(
        "POST", "/pages", {"parent": {"data_source_id": source}, "children": [paragraph("a")]}
    )
    person = direct.new_token("person", direct.workspace.root_page_id, name="Mei")
    _, blocks = await direct.call("GET", f"/blocks/{row['id']}/children")
    block = blocks["results"][0]["id"]
    as_person = {"authorization": f"Bearer {person['token']}"}

    async def edit(method: str, path: str, body: Any, **headers: str) -> tuple[str, str]:
        direct.clock.pass_seconds(60)
        assert (await direct.call(method, path, body, **headers))[0] == 200
        _, page = await direct.call("GET", f"/pages/{row['id']}")
        return page["last_edited_time"][11:16], page["last_edited_by"]["id"]

    bot, mei = direct.workspace.bot_id, person["user_id"]
    assert await edit("PATCH", f"/pages/{row['id']}", {"properties": {"Count": {"number": 1}}}) == (
        "10:01",
        bot,
    )
    more = {"children": [paragraph("b")]}
    assert await edit("PATCH", f"/blocks/{row['id']}/children", more, **as_person) == ("10:02", mei)
    inner = {"children": [paragraph("c")]}
    assert await edit("PATCH", f"/blocks/{block}/children", inner) == ("10:03", bot)
    assert await edit("PATCH", f"/blocks/{block}", paragraph("A"), **as_person) == ("10:04", mei)
    insert = {"type": "insert_content", "insert_content": {"content": "d"}}
    assert await edit("PATCH", f"/pages/{row['id']}/markdown", insert) == ("10:05", bot)
    assert await edit("DELETE", f"/blocks/{block}", None, **as_person) == ("10:06", mei)
    _, page = await direct.call("GET", f"/pages/{row['id']}")
    assert page["created_by"]["id"] == bot


async def test_a_second_edit_in_the_same_minute_leaves_the_same_stamp(direct: Any) -> None:
    source = await rows_source(direct)
    _, row = await direct.call("POST", "/pages", {"parent": {"data_source_id": source}})

    async def found_after(moment: str) -> int:
        condition = {"timestamp": "last_edited_time", "last_edited_time": {"after": moment}}
        _, found = await direct.call("POST", f"/data_sources/{source}/query", {"filter": condition})
        return len(found["results"])

    direct.clock.pass_seconds(30)
    _, edited = await direct.call("PATCH", f"/pages/{row['id']}", {"properties": {"Count": {"number": 1}}})

    assert edited["last_edited_time"] == row["last_edited_time"]
    assert await found_after("2026-05-04T10:00:30Z") == 0
    assert await found_after("2026-05-04T09:59:00Z") == 1


async def test_a_date_without_a_time_stays_one(direct: Any) -> None:
    source = await rows_source(direct)

    async def due(start: str, **more: str) -> Any:
        body = {
            "parent": {"data_source_id": source},
            "properties": {"Due": {"date": {"start": start, **more}}},
        }
        return (await direct.call("POST", "/pages", body))[1]["properties"]["Due"]["date"]["start"]

    assert await due("2026-03-01") == "2026-03-01"
    assert await due("2026-03-01T08:00:00") == "2026-03-01T08:00:00.000+00:00"
    assert await due("2026-03-01T08:00:00Z") == "2026-03-01T08:00:00.000+00:00"
    assert await due("2026-03-01T08:00:00+08:00") == "2026-03-01T08:00:00.000+08:00"


async def test_rows_that_move_while_they_are_paged_hide_no_others(direct: Any) -> None:
    source = await rows_source(direct)
    made = []
    for number in range(6):
        direct.clock.pass_seconds(60)
        body = {"parent": {"data_source_id": source}, "properties": {"Count": {"number": number}}}
        made.append((await direct.call("POST", "/pages", body))[1]["id"])
    query = {"sorts": [{"timestamp": "last_edited_time", "direction": "ascending"}], "page_size": 2}
    _, first = await direct.call("POST", f"/data_sources/{source}/query", query)

    direct.clock.pass_seconds(60)
    for moved in (made[0], made[2]):
        await direct.call("PATCH", f"/pages/{moved}", {"icon": {"emoji": "🌿"}})
    seen = [row["properties"]["Count"]["number"] for row in first["results"]]
    cursor = first["next_cursor"]
    while cursor:
        path = f"/data_sources/{source}/query"
        _, page = await direct.call("POST", path, {**query, "start_cursor": cursor})
        seen += [row["properties"]["Count"]["number"] for row in page["results"]]
        cursor = page["next_cursor"]

    assert seen == [0, 1, 3, 4, 5, 0, 2]
