"""Every limit on a request, at its edge and one over it."""

from typing import Any

import pytest

from lakelight.notion import NotionTooLarge
from lakelight.notion.limits import check

PATH = "/blocks/393abc1e-edcd-8170-aebf-cf1d14057b30/children"


def run(content: str) -> dict[str, Any]:
    return {"text": {"content": content}}


def paragraph(*runs: dict[str, Any], children: list[Any] | None = None) -> dict[str, Any]:
    return {"paragraph": {"rich_text": list(runs), **({"children": children} if children else {})}}


def appended(*blocks: dict[str, Any]) -> dict[str, object]:
    return {"children": list(blocks)}


def deep(levels: int) -> dict[str, Any]:
    return paragraph(children=[deep(levels - 1)]) if levels else paragraph()


def wide(blocks: int) -> dict[str, Any]:
    return paragraph(children=[paragraph()] * (blocks - 1))


def column(value: object) -> dict[str, object]:
    return {"properties": {"标签": value}}


LINK = "https://a.example/"


@pytest.mark.parametrize(
    ("fits", "over", "field", "limit", "size"),
    [
        pytest.param(appended(paragraph(run("é" * 2000))), appended(paragraph(run("é" * 4218))), "body.children[0].paragraph.rich_text[0].text.content", 2000, 4218, id="text"),
        pytest.param(appended(paragraph(run("😀" * 1000))), appended(paragraph(run("a" * 1999 + "😀"))), "body.children[0].paragraph.rich_text[0].text.content", 2000, 2001, id="text counted in UTF-16"),
        pytest.param(appended(paragraph(*[run("a")] * 100)), appended(paragraph(*[run("a")] * 101)), "body.children[0].paragraph.rich_text", 100, 101, id="runs"),
        pytest.param(appended(*[paragraph()] * 100), appended(*[paragraph()] * 101), "body.children", 100, 101, id="children"),
        pytest.param(appended(deep(2)), appended(deep(3)), "body.children[0], levels below it", 2, 3, id="levels"),
        pytest.param(appended(*[wide(100)] * 10), appended(*[wide(100)] * 10, paragraph()), "body.children, all levels", 1000, 1001, id="blocks"),
        pytest.param(appended({"bookmark": {"url": LINK + "a" * 1982}}), appended({"bookmark": {"url": LINK + "a" * 1983}}), "body.children[0].bookmark.url", 2000, 2001, id="url"),
        pytest.param(appended(paragraph({"text": {"content": "a", "link": {"url": LINK}}})), appended(paragraph({"text": {"content": "a", "link": {"url": LINK + "a" * 2000}}})), "body.children[0].paragraph.rich_text[0].text.link.url", 2000, 2018, id="link"),
        pytest.param(appended({"equation": {"expression": "a" * 1000}}), appended({"equation": {"expression": "a" * 1001}}), "body.children[0].equation.expression", 1000, 1001, id="equation"),
        pytest.param(appended({"table_row": {"cells": [[run("a")] * 100]}}), appended({"table_row": {"cells": [[], [run("a")] * 101]}}), "body.children[0].table_row.cells[1]", 100, 101, id="runs in a cell"),
        pytest.param(column({"email": "a" * 200}), column({"email": "a" * 201}), "body.properties.标签.email", 200, 201, id="email"),
        pytest.param(column({"phone_number": "1" * 200}), column({"phone_number": "1" * 201}), "body.properties.标签.phone_number", 200, 201, id="phone"),
        pytest.param(column({"multi_select": [{"name": "a"}] * 100}), column({"multi_select": [{"name": "a"}] * 101}), "body.properties.标签.multi_select", 100, 101, id="multi_select"),
        pytest.param(column({"relation": [{"id": "a"}] * 100}), column({"relation": [{"id": "a"}] * 101}), "body.properties.标签.relation", 100, 101, id="relation"),
        pytest.param(column({"people": [{"id": "a"}] * 100}), column({"people": [{"id": "a"}] * 101}), "body.properties.标签.people", 100, 101, id="people"),
        pytest.param({"update_content": {"content_updates": [{"old_str": "a", "new_str": "b"}] * 100}}, {"update_content": {"content_updates": [{"old_str": "a", "new_str": "b"}] * 101}}, "body.update_content.content_updates", 100, 101, id="content updates"),
        pytest.param({"insert_content": {"content": "a" * 499_900}}, {"insert_content": {"content": "字" * 200_000}}, "body", 500_000, 600_033, id="bytes"),
    ],
)  # fmt: skip
def test_a_limit_is_kept_to_the_letter(
    fits: dict[str, object], over: dict[str, object], field: str, limit: int, size: int
) -> None:
    check("PATCH", PATH, fits)
    with pytest.raises(NotionTooLarge) as caught:
        check("PATCH", PATH, over)

    assert (caught.value.field, caught.value.limit, caught.value.size) == (field, limit, size)


@pytest.mark.parametrize("holder", ["body.properties", "body.initial_data_source.properties"])
def test_a_schema_has_at_most_500_columns(holder: str) -> None:
    columns: dict[str, object] = {"properties": {f"c{number}": {"url": {}} for number in range(501)}}
    body = columns if holder == "body.properties" else {"initial_data_source": columns}

    with pytest.raises(NotionTooLarge) as caught:
        check("POST", "/databases", body)

    assert (caught.value.field, caught.value.size) == (holder, 501)


def test_the_name_of_a_file_is_measured_in_bytes() -> None:
    check("POST", "/file_uploads", {"filename": "文" * 300})
    with pytest.raises(NotionTooLarge):
        check("POST", "/file_uploads", {"filename": "文" * 301})


def test_half_a_surrogate_pair_is_measured_too() -> None:
    check("PATCH", PATH, appended(paragraph(run("\ud83d" * 2000))))
