"""What counts as news on a page, and what is only our own doing or Notion's."""

import copy
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lakelight.tickets.news import content_hash, expected_hash, is_news, look_again, see, see_after_write

Page = dict[str, Any]


def rich(text: str, /, **more: Any) -> dict[str, Any]:
    return {
        "type": "text",
        "text": {"content": text, "link": None},
        "annotations": {"bold": False, "color": "default"},
        "plain_text": text,
        "href": None,
    } | more


def page(at: str = "2026-11-30T10:00:00.000Z") -> Page:
    return {
        "object": "page",
        "id": "p1",
        "last_edited_time": at,
        "last_edited_by": {"id": "bot"},
        "properties": {
            "任务标题": {"id": "title", "type": "title", "title": [rich("A")]},
            "自检结果": {"id": "sc", "type": "rich_text", "rich_text": []},
            "状态": {"id": "st", "type": "status", "status": {"id": "s1", "name": "待开发", "color": "red"}},
            "优先级": {"id": "pr", "type": "select", "select": None},
            "标签": {
                "id": "tg",
                "type": "multi_select",
                "multi_select": [{"id": "1", "name": "a"}, {"id": "2", "name": "b"}],
            },
            "工时": {"id": "nu", "type": "number", "number": 3},
            "完成": {"id": "cb", "type": "checkbox", "checkbox": False},
            "截止": {
                "id": "du",
                "type": "date",
                "date": {"start": "2026-03-01", "end": None, "time_zone": None},
            },
            "人员": {
                "id": "pe",
                "type": "people",
                "people": [{"object": "user", "id": "u-1", "name": "Ann", "avatar_url": "x"}],
            },
            "关联": {
                "id": "re",
                "type": "relation",
                "relation": [{"id": "r-1"}, {"id": "r-2"}],
                "has_more": False,
            },
            "附件": {
                "id": "fi",
                "type": "files",
                "files": [
                    {
                        "name": "a.pdf",
                        "type": "file",
                        "file": {"url": "https://s3/1?sig=1", "expiry_time": "t"},
                    }
                ],
            },
            "网址": {"id": "ur", "type": "url", "url": None},
            "公式": {"id": "fo", "type": "formula", "formula": {"type": "number", "number": 1}},
            "编号": {"id": "un", "type": "unique_id", "unique_id": {"prefix": "GH", "number": 7}},
            "编辑": {"id": "le", "type": "last_edited_time", "last_edited_time": at},
        },
    }


def prop(name: str, **value: Any) -> Callable[[Page], None]:
    def change(changed: Page) -> None:
        changed["properties"][name].update(value)

    return change


def reordered(changed: Page) -> None:
    changed["properties"] = dict(reversed(changed["properties"].items()))


def renamed(changed: Page) -> None:
    changed["properties"]["阶段"] = changed["properties"].pop("状态")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(prop("公式", formula={"type": "number", "number": 2}), id="formula"),
        pytest.param(prop("编辑", last_edited_time="2026-12-01T00:00:00.000Z"), id="edited-time"),
        pytest.param(
            prop("附件", files=[{"name": "a.pdf", "type": "file", "file": {"url": "https://s3/1?sig=2"}}]),
            id="file-url",
        ),
        pytest.param(
            prop("人员", people=[{"object": "user", "id": "u-1", "name": "Anna"}]), id="persons-name"
        ),
        pytest.param(prop("状态", status={"id": "s1", "name": "待开发", "color": "blue"}), id="colour"),
        pytest.param(
            prop("标签", multi_select=[{"id": "2", "name": "b"}, {"id": "1", "name": "a"}]),
            id="order-of-options",
        ),
        pytest.param(prop("关联", relation=[{"id": "r-2"}, {"id": "r-1"}]), id="order-of-relations"),
        pytest.param(prop("任务标题", title=[rich(""), rich("A")]), id="empty-run"),
        pytest.param(prop("工时", number=3.0), id="number-form"),
        pytest.param(prop("截止", date={"start": "2026-03-01", "end": None}), id="absent-time-zone"),
        pytest.param(prop("网址", url=""), id="empty-url"),
        pytest.param(reordered, id="order-of-properties"),
        pytest.param(renamed, id="column-renamed"),
        pytest.param(lambda changed: changed.update(brand_new=1, icon=None), id="unknown-field"),
        pytest.param(
            lambda changed: changed["properties"].update(新={"id": "n", "type": "brand_new", "brand_new": 1}),
            id="unknown-type",
        ),
    ],
)
def test_what_nobody_edited_leaves_the_hash(change: Callable[[Page], None]) -> None:
    changed = copy.deepcopy(page())
    change(changed)

    assert content_hash(changed) == content_hash(page())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(prop("任务标题", title=[rich("B")]), id="title"),
        pytest.param(
            prop("任务标题", title=[rich("A", text={"content": "A", "link": {"url": "https://x.example"}})]),
            id="link",
        ),
        pytest.param(prop("自检结果", rich_text=[rich("x")]), id="text"),
        pytest.param(prop("状态", status={"id": "s2", "name": "开发中"}), id="status"),
        pytest.param(prop("优先级", select={"id": "1", "name": "P1"}), id="select"),
        pytest.param(prop("标签", multi_select=[{"id": "1", "name": "a"}]), id="option-gone"),
        pytest.param(prop("工时", number=None), id="number-cleared"),
        pytest.param(prop("工时", number=3.5), id="number"),
        pytest.param(prop("完成", checkbox=True), id="checkbox"),
        pytest.param(prop("截止", date={"start": "2026-03-02", "end": None, "time_zone": None}), id="date"),
        pytest.param(prop("人员", people=[{"id": "u-2"}]), id="person"),
        pytest.param(prop("关联", relation=[{"id": "r-1"}]), id="relation"),
        pytest.param(prop("附件", files=[{"name": "b.pdf"}]), id="file"),
        pytest.param(prop("网址", url="https://x.example"), id="url"),
        pytest.param(
            prop(
                "任务标题",
                title=[
                    rich("A"),
                    {"type": "mention", "mention": {"type": "user", "user": {"id": "u"}}, "plain_text": ""},
                ],
            ),
            id="mention",
        ),
    ],
)
def test_what_a_person_can_edit_changes_the_hash(change: Callable[[Page], None]) -> None:
    changed = copy.deepcopy(page())
    change(changed)

    assert content_hash(changed) != content_hash(page())


def test_a_mention_is_known_by_what_it_mentions_and_not_by_its_present_title() -> None:
    def mentioning(title: str) -> str:
        changed = page()
        mention = {"type": "mention", "mention": {"type": "page", "page": {"id": "1-2"}}, "plain_text": title}
        changed["properties"]["任务标题"]["title"] = [mention]
        return content_hash(changed)

    assert mentioning("old") == mentioning("new")


def test_two_dates_at_one_instant_are_the_same() -> None:
    def due(start: str) -> str:
        changed = page()
        changed["properties"]["截止"]["date"] = {"start": start, "end": None, "time_zone": None}
        return content_hash(changed)

    assert due("2026-03-01T00:00:00Z") == due("2026-03-01T08:00:00.000+08:00")
    assert due("2026-03-01T00:00:00Z") != due("2026-03-01")


@pytest.mark.parametrize(
    ("writes", "change"),
    [
        pytest.param(
            {
                "自检结果": {
                    "rich_text": [
                        {"type": "text", "text": {"content": "⚡ 已接单 "}},
                        {"text": {"content": "· A"}},
                    ]
                }
            },
            prop("自检结果", rich_text=[rich("⚡ 已接单 · A")]),
            id="text",
        ),
        pytest.param(
            {"sc": {"rich_text": [{"text": {"content": "x"}}]}},
            prop("自检结果", rich_text=[rich("x")]),
            id="by-id",
        ),
        pytest.param(
            {"状态": {"status": {"name": "开发中"}}},
            prop("状态", status={"id": "9", "name": "开发中", "color": "red"}),
            id="status",
        ),
        pytest.param(
            {"优先级": {"select": {"name": "P1"}}},
            prop("优先级", select={"id": "9", "name": "P1"}),
            id="select",
        ),
        pytest.param({"标签": {"multi_select": []}}, prop("标签", multi_select=[]), id="options"),
        pytest.param({"工时": {"number": 4}}, prop("工时", number=4), id="number"),
        pytest.param({"完成": {"checkbox": True}}, prop("完成", checkbox=True), id="checkbox"),
        pytest.param(
            {"截止": {"date": {"start": "2026-03-01T00:00:00Z"}}},
            prop("截止", date={"start": "2026-03-01T00:00:00.000+00:00", "end": None, "time_zone": None}),
            id="date",
        ),
        pytest.param(
            {"人员": {"people": [{"id": "U1"}]}},
            prop("人员", people=[{"object": "user", "id": "u-1", "name": "Ann"}]),
            id="people",
        ),
        pytest.param({"网址": {"url": None}}, prop("网址", url=None), id="url"),
        pytest.param({}, lambda _: None, id="nothing"),
    ],
)
def test_the_hash_after_our_own_write_is_foreseen(
    writes: dict[str, Any], change: Callable[[Page], None]
) -> None:
    after = copy.deepcopy(page())
    change(after)

    assert expected_hash(page(), writes) == content_hash(after)


def test_an_edit_beside_our_write_is_not_foreseen() -> None:
    after = copy.deepcopy(page())
    prop("状态", status={"name": "开发中"})(after)
    prop("工时", number=9)(after)

    assert expected_hash(page(), {"状态": {"status": {"name": "开发中"}}}) != content_hash(after)


def test_a_page_never_seen_is_news() -> None:
    assert is_news(None, page())


def test_a_page_seen_and_not_edited_is_no_news() -> None:
    assert not is_news(see(page()), page())


def test_a_second_edit_in_the_same_minute_is_news_once() -> None:
    first = page("2026-11-30T10:00:00.000Z")
    second = copy.deepcopy(first)
    prop("工时", number=4)(second)
    seen = see(first)

    assert look_again(seen.last_edited, datetime(2026, 11, 30, 10, 0, 30, tzinfo=UTC))
    assert is_news(seen, second)
    assert not is_news(see(second), second)


def test_an_edit_of_the_body_alone_is_news_by_its_stamp() -> None:
    assert is_news(see(page()), page("2026-11-30T10:01:00.000Z"))


def test_our_own_write_is_no_news_and_an_edit_in_its_minute_is() -> None:
    after = copy.deepcopy(page("2026-11-30T10:01:00.000Z"))
    prop("状态", status={"id": "s2", "name": "开发中"})(after)
    writes = {"状态": {"status": {"name": "开发中"}}}
    seen = see_after_write(page(), writes, after)
    edited_too = copy.deepcopy(after)
    prop("任务标题", title=[rich("B")])(edited_too)

    assert not is_news(seen, after)
    assert is_news(seen, edited_too)


def test_an_edit_that_came_in_with_the_answer_to_our_write_is_news_at_the_next_look() -> None:
    answer = copy.deepcopy(page("2026-11-30T10:01:00.000Z"))
    prop("状态", status={"id": "s2", "name": "开发中"})(answer)
    prop("工时", number=9)(answer)

    assert is_news(see_after_write(page(), {"状态": {"status": {"name": "开发中"}}}, answer), answer)


def test_a_stale_answer_of_the_index_is_no_news() -> None:
    after = copy.deepcopy(page("2026-11-30T10:05:00.000Z"))
    prop("工时", number=9)(after)

    assert not is_news(see(after), page("2026-11-30T10:04:00.000Z"))


def test_a_page_without_a_stamp_breaks_nothing() -> None:
    bare = {"object": "page", "id": "p"}

    assert is_news(None, bare)
    assert not is_news(see(page()), bare)


STAMP = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "again"),
    [
        pytest.param(STAMP, True, id="at-once"),
        pytest.param(STAMP + timedelta(seconds=59.9), True, id="end-of-the-minute"),
        pytest.param(STAMP + timedelta(seconds=60), False, id="next-minute"),
        pytest.param(STAMP - timedelta(seconds=5), True, id="clock-behind"),
    ],
)
def test_a_page_is_looked_at_again_while_its_minute_lasts(now: datetime, again: bool) -> None:
    assert look_again(STAMP, now) is again


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(alphabet=st.characters(exclude_categories=()), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "name", "text", "content", "type", "start", "mention"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
KINDS = [
    "title",
    "rich_text",
    "number",
    "select",
    "status",
    "multi_select",
    "date",
    "people",
    "relation",
    "files",
    "checkbox",
    "url",
    "place",
    "verification",
    "formula",
    "button",
    "new",
]


@st.composite
def odd_properties(draw: st.DrawFn) -> dict[str, Any]:
    properties = {}
    for name in draw(st.lists(st.text(max_size=3), unique=True, max_size=4)):
        kind = draw(st.sampled_from(KINDS))
        properties[name] = {"id": name, "type": kind, kind: draw(json_values)}
    return properties


@given(odd_properties(), st.randoms())
def test_the_hash_of_any_page_is_stable_under_reordering(properties: dict[str, Any], random: Any) -> None:
    shuffled = list(properties.items())
    random.shuffle(shuffled)

    assert content_hash({"properties": dict(shuffled)}) == content_hash({"properties": properties})


@given(odd_properties())
def test_writing_what_is_there_already_expects_the_same_hash(properties: dict[str, Any]) -> None:
    assert expected_hash({"properties": properties}, properties) == content_hash({"properties": properties})


@given(json_values)
def test_any_json_has_a_hash(value: Any) -> None:
    assert content_hash({"properties": value}) == content_hash({"properties": value})
    assert expected_hash({"properties": {}}, {"a": value})
