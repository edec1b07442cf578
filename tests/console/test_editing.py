"""An edited change: field by field or as JSON, checked before anything is decided."""

import json
from typing import Any

import pytest

from lakelight.console.editing import edit_body, fields_of, read_json
from lakelight.notion import NotionUnreachable

PATH = "/approvals/A-1/edit"


def body_of(approval: Any) -> dict[str, Any]:
    found: dict[str, Any] = approval.operation.request.content
    return found


def plain(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": {"content": text}}]


def test_an_edited_property_is_approved_in_the_place_of_the_old_one(browser: Any, house: Any) -> None:
    house.park(house.update())

    answer = browser.press(PATH, PATH, how="fields", do="approve", p0="Infra", p1="on", p4="7")

    old, new = house.get(1), house.get(2)
    assert (answer.status_code, answer.headers["location"]) == (303, "/approvals/A-2")
    assert (old.state, old.successor, old.decided_by) == ("superseded", 2, "mei")
    assert (new.state, new.decided_by, new.pre_state) == ("approved", "mei", "e" * 64)
    assert new.operation.id != old.operation.id
    expected = body_of(old)
    expected["properties"]["Area"] = {"select": {"name": "Infra"}}
    expected["properties"]["Size"] = {"number": 7}
    assert body_of(new) == expected
    assert house.looked == [new.operation]
    assert house.advanced == [house.run_id]


def test_an_edit_can_be_shown_before_it_is_approved(browser: Any, house: Any) -> None:
    house.park(house.update({"Area": {"select": {"name": "Planning"}}}))

    answer = browser.press(PATH, PATH, how="fields", do="show", p0="Infra")

    assert answer.status_code == 200
    assert "Your change Properties Property Before After Area Before Misc After Infra" in browser.shown(
        answer
    )
    assert 'name="p0" value="Infra"' in answer.text
    assert house.get(1).state == "pending"


def test_the_text_of_a_block_can_be_changed_and_a_block_taken_out(browser: Any, house: Any) -> None:
    house.park(house.append())

    browser.press(PATH, PATH, how="fields", do="approve", b0="", b1="Ship it\r\nsoon")

    assert body_of(house.get(2))["children"] == [
        {"type": "paragraph", "paragraph": {"rich_text": plain("Ship it\nsoon")}},
        {"type": "divider", "divider": {}},
    ]


def test_an_edited_body_is_taken_as_json(browser: Any, house: Any) -> None:
    house.park(house.update())

    browser.press(PATH, PATH, how="json", do="approve", body='{"properties": {"Size": {"number": 1}}}')

    assert body_of(house.get(2)) == {"properties": {"Size": {"number": 1}}}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        pytest.param({"how": "json", "body": "{"}, "This is no JSON object", id="broken"),
        pytest.param({"how": "json", "body": "[1]"}, "This is no JSON object", id="a list"),
        pytest.param({"how": "json", "body": '{"a": 1, "a": 2}'}, "This is no JSON object", id="a twin"),
        pytest.param({"how": "json", "body": '{"a": NaN}'}, "This is no JSON object", id="no number"),
        pytest.param({"how": "json", "body": "[" * 100_000}, "This is no JSON object", id="too deep"),
        pytest.param(
            {"how": "json", "body": '{"properties": {"a": "\\ud800"}}'},
            "half of a character",
            id="half a pair",
        ),
        pytest.param({"how": "json", "body": '{"in_trash": true}'}, "something else", id="another effect"),
        pytest.param(
            {"how": "json", "body": '{"properties": {}, "in_trash": true}'},
            "something else",
            id="one more effect",
        ),
        pytest.param({"how": "json", "body": '{"strange": 1}'}, "something else", id="not understood"),
        pytest.param({"how": "fields"}, "Nothing was changed", id="nothing changed"),
        pytest.param({"how": "fields", "p4": "many"}, "This is no number.", id="no number in a field"),
        pytest.param({"how": "fields", "p2": "tomorrow"}, "This is no date", id="no date in a field"),
        pytest.param(
            {"how": "json", "body": json.dumps({"properties": {"a": {"url": "x" * 3000}}})},
            "Notion takes at most 2000",
            id="too large",
        ),
    ],
)
@pytest.mark.parametrize("do", ["show", "approve"])
def test_an_edit_that_cannot_be_is_told_and_decides_nothing(
    browser: Any, house: Any, fields: dict[str, str], said: str, do: str
) -> None:
    house.park(house.update())
    if fields["how"] == "fields":
        fields = {"p1": "on", **fields}

    answer = browser.press(PATH, PATH, do=do, **fields)

    assert answer.status_code == 422
    assert said in browser.shown(answer)
    assert house.get(1).state == "pending"
    assert house.advanced == []


def test_what_was_typed_is_still_there_when_it_was_wrong(browser: Any, house: Any) -> None:
    house.park(house.update())

    answer = browser.press(PATH, PATH, how="fields", do="approve", p0="Infra", p1="on", p4="many")

    assert 'name="p0" value="Infra"' in answer.text
    assert 'name="p4" value="many" autocomplete="off" aria-invalid="true"' in answer.text
    assert "Fields to correct: 1. Size This is no number." in browser.shown(answer)
    assert 'href="#f-p4"' in answer.text


def test_taking_everything_out_is_no_edit(browser: Any, house: Any) -> None:
    house.park(house.append({"type": "paragraph", "paragraph": {"rich_text": plain("x")}}))

    answer = browser.press(PATH, PATH, how="fields", do="approve", b0="")

    assert "Nothing would be left to add" in browser.shown(answer)
    assert house.get(1).state == "pending"


def test_an_edit_that_notion_cannot_be_asked_about_decides_nothing(browser: Any, house: Any) -> None:
    house.park(house.update())
    house.look_fails = NotionUnreachable("ConnectTimeout")

    answer = browser.press(PATH, PATH, how="fields", do="approve", p1="on", p4="7")

    assert answer.status_code == 503
    assert "No answer came from Notion" in browser.shown(answer)
    assert house.get(1).state == "pending"


BODY: dict[str, Any] = {
    "properties": {
        "Bold": {"rich_text": [{"text": {"content": "x"}, "annotations": {"bold": True}}]},
        "Choice": {"select": {"id": "abc"}},
        "Date": {"date": {"start": "2026-11-30", "end": "2026-12-01"}},
        "Done": {"checkbox": False},
        "Empty": {"number": None},
        "Link": {"rich_text": [{"text": {"content": "x", "link": {"url": "https://a.example"}}}]},
        "Mail": {"email": "a@b.example"},
        "People": {"people": [{"id": "u"}]},
        "Status": {"status": {"name": "待开发"}},
        "Tab": {"rich_text": plain("a\tb")},
        "Tags": {"multi_select": [{"name": "a, b"}]},
        "Title": {"title": [*plain("one "), *plain("two")]},
    },
    "children": [
        {
            "to_do": {
                "rich_text": plain("one"),
                "checked": True,
                "children": [{"quote": {"rich_text": plain("q")}}],
            }
        },
        {"image": {"external": {"url": "https://a.example/x.png"}}},
        "strange",
    ],
    "markdown": "# Hello",
}


def test_what_is_simple_has_a_field_and_what_is_not_has_its_json() -> None:
    found = {field.name: (field.label, field.input, field.value) for field in fields_of(BODY)}

    assert {name: value for name, value in found.items() if value[1] != "json"} == {
        "p3": ("Done", "check", ""),
        "p4": ("Empty", "number", ""),
        "p6": ("Mail", "text", "a@b.example"),
        "p8": ("Status", "text", "待开发"),
        "p11": ("Title", "lines", "one two"),
        "b0": ("to_do", "lines", "one"),
        "b0.0": ("quote", "lines", "q"),
        "markdown": ("", "lines", "# Hello"),
    }
    assert [value[0] for value in found.values() if value[1] == "json"] == [
        "Bold", "Choice", "Date", "Link", "People", "Tab", "Tags",
    ]  # fmt: skip


def test_what_is_not_touched_stays_exactly_as_it_was() -> None:
    as_shown = {field.name: field.value for field in fields_of(BODY)}
    as_browsers_send = {name: value.replace("\n", "\r\n") for name, value in as_shown.items() if name != "p3"}

    edited = edit_body(BODY, as_browsers_send)

    assert (edited.body, edited.problems) == (BODY, {})


@pytest.mark.parametrize(
    ("name", "typed", "column", "value"),
    [
        ("p0", '{"rich_text": []}', "Bold", {"rich_text": []}),
        ("p3", "on", "Done", {"checkbox": True}),
        ("p4", " 1.5 ", "Empty", {"number": 1.5}),
        ("p4", "-3", "Empty", {"number": -3}),
        ("p6", "", "Mail", {"email": None}),
        ("p8", "已完成", "Status", {"status": {"name": "已完成"}}),
        ("p11", "three", "Title", {"title": plain("three")}),
    ],
)
def test_a_field_puts_its_value_into_the_body(
    name: str, typed: str, column: str, value: dict[str, Any]
) -> None:
    edited = edit_body(BODY, {name: typed})

    assert edited.problems == {}
    assert edited.body["properties"][column] == value
    assert {**edited.body["properties"], column: None} == {**BODY["properties"], column: None}


@pytest.mark.parametrize(
    ("properties", "typed", "value"),
    [
        (
            {"Tags": {"multi_select": [{"name": "a"}]}},
            "b，c, ,d",
            [{"name": "b"}, {"name": "c"}, {"name": "d"}],
        ),
        ({"Due": {"date": {"start": "2026-11-30"}}}, "2026-12-01", {"start": "2026-12-01"}),
        ({"Due": {"date": None}}, "2026-12-01T08:00:00+08:00", {"start": "2026-12-01T08:00:00+08:00"}),
        ({"Due": {"date": {"start": "2026-11-30"}}}, "", None),
    ],
)
def test_names_and_dates_are_read_as_they_are_typed(
    properties: dict[str, Any], typed: str, value: object
) -> None:
    [(column, kind)] = [(name, next(iter(inner))) for name, inner in properties.items()]

    edited = edit_body({"properties": properties}, {"p0": typed})

    assert edited.body["properties"][column][kind] == value


@pytest.mark.parametrize("typed", ["inf", "nan", "1e999", "0x10", "1,5"])
def test_what_is_no_number_is_none(typed: str) -> None:
    assert edit_body(BODY, {"p4": typed}).problems == {"p4": "console.edit.bad_number"}


def test_a_block_within_a_block_can_be_taken_out_and_one_that_holds_others_stays() -> None:
    edited = edit_body(BODY, {"b0": "", "b0.0": " "})

    assert edited.body["children"] == [
        {"to_do": {"rich_text": [], "checked": True, "children": []}},
        *BODY["children"][1:],
    ]


def test_the_place_of_a_fault_in_json_is_named() -> None:
    with pytest.raises(ValueError, match="2:3"):
        read_json("{\n  x}")
