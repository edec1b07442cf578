"""What was sent and what Notion gives back are equal exactly where they say the same."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lakelight.notion.canonical import block_content, blocks_content, properties_content, rich_text_content
from lakelight.notion.markdown import to_blocks

PAGE = "393abc1e-edcd-8170-aebf-cf1d14057b30"
NO_MARKS = dict.fromkeys(["bold", "italic", "strikethrough", "underline", "code"], False)


def answered(run: dict[str, Any]) -> dict[str, Any]:
    """`run` as Notion gives it back."""
    annotations = {**NO_MARKS, "color": "default", **run.get("annotations", {})}
    if run.get("type") == "equation":
        expression = run["equation"]["expression"]
        return {**run, "annotations": annotations, "plain_text": expression, "href": None}
    link = run["text"].get("link")
    text = {"content": run["text"]["content"], "link": link}
    href = link["url"] if link else None
    return {
        "type": "text",
        "text": text,
        "annotations": annotations,
        "plain_text": text["content"],
        "href": href,
    }


def merged(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours that look alike joined, as Notion does."""
    found: list[dict[str, Any]] = []
    for run in runs:
        last = found[-1] if found else None
        alike = last and "text" in last and "text" in run and last["annotations"] == run["annotations"]
        if last and alike and last["text"]["link"] == run["text"]["link"]:
            last["text"]["content"] += run["text"]["content"]
            last["plain_text"] = last["text"]["content"]
        else:
            found.append(run)
    return found


def as_answer(block: dict[str, Any]) -> dict[str, Any]:
    """`block`, which was sent, in the shape of an answer."""
    kind = block["type"]
    content = deepcopy(block[kind])
    children = content.pop("children", [])
    for key in ("rich_text", "caption"):
        if key in content:
            content[key] = merged([answered(run) for run in content[key]])
    if "cells" in content:
        content["cells"] = [merged([answered(run) for run in cell]) for cell in content["cells"]]
    if kind in {"paragraph", "quote", "toggle", "to_do", "bulleted_list_item", "numbered_list_item"}:
        content["color"] = "default"
    if kind == "paragraph":
        content["icon"] = None
    if kind.startswith("heading"):
        content |= {"color": "default", "is_toggleable": False}
    if kind == "code":
        content.setdefault("caption", [])
    return {
        "object": "block",
        "id": PAGE,
        "parent": {"type": "page_id", "page_id": PAGE},
        "created_time": "2026-07-04T09:08:00.000Z",
        "has_children": bool(children),
        "in_trash": False,
        "type": kind,
        kind: content,
    }


MARKDOWN = """# 标题 **粗**
一段 *斜* 和 [链接](https://a.example) 与 $x^2$，**粗****粗**

- [x] 做完
- 一
  - 二
1. 数

> 引文

```zig
code
```

| a | b |
|---|---|
| 1 | **2** |

![alt](https://e.example/i.png)

---
$$
y
$$
"""


def test_every_kind_of_block_that_markdown_makes_is_recognised_in_the_answer() -> None:
    sent = to_blocks(MARKDOWN)

    assert len(sent) == 11
    assert blocks_content(map(as_answer, sent)) == blocks_content(sent, deep=False)


words = st.lists(
    st.sampled_from(
        ["a", "**b**", "*c*", "`d`", "[e](https://e.example/x)", "中文", "$x$", "~~f~~", "😀", "\n", " "]
    ),
    max_size=12,
).map("".join)


@given(st.lists(st.tuples(st.sampled_from(["", "# ", "- ", "1. ", "> ", "- [ ] "]), words), max_size=6))
def test_what_was_sent_equals_what_comes_back(lines: list[tuple[str, str]]) -> None:
    sent = to_blocks("\n\n".join(mark + text for mark, text in lines))

    assert blocks_content(map(as_answer, sent)) == blocks_content(sent, deep=False)


@given(words, st.integers(1, 5))
def test_it_does_not_matter_how_text_is_cut(text: str, size: int) -> None:
    sent = [run for block in to_blocks(text) for run in block.get("paragraph", {}).get("rich_text", [])]
    cut = [
        {**run, "text": {**run["text"], "content": run["text"]["content"][at : at + size]}}
        for run in sent
        if run["type"] == "text"
        for at in range(0, len(run["text"]["content"]), size)
    ]

    assert rich_text_content(cut) == rich_text_content([run for run in sent if run["type"] == "text"])


def text_block(content: str, **more: Any) -> dict[str, Any]:
    return {"paragraph": {"rich_text": [{"text": {"content": content}, **more}]}}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(text_block("b"), id="text"),
        pytest.param(text_block("a", annotations={"bold": True}), id="bold"),
        pytest.param(text_block("a", annotations={"color": "red"}), id="colour"),
        pytest.param({"quote": {"rich_text": [{"text": {"content": "a"}}]}}, id="type"),
        pytest.param({"paragraph": {"rich_text": [{"text": {"content": "a", "link": {"url": "https://a"}}}]}}, id="link"),
        pytest.param({"paragraph": {**text_block("a")["paragraph"], "children": [text_block("b")]}}, id="children"),
        pytest.param({"paragraph": {**text_block("a")["paragraph"], "color": "red"}}, id="colour of the block"),
    ],
)  # fmt: skip
def test_a_difference_that_a_reader_would_see_is_one(other: dict[str, Any]) -> None:
    assert block_content(other) != block_content(text_block("a"))


def test_a_task_that_is_done_is_another() -> None:
    done: dict[str, Any] = {"to_do": {"rich_text": [], "checked": True}}
    open_: dict[str, Any] = {"to_do": {"rich_text": [], "checked": False}}

    assert block_content(done) != block_content(open_)
    assert block_content(open_) == block_content(
        {"type": "to_do", "to_do": {"rich_text": [], "color": "default"}}
    )


@pytest.mark.parametrize(
    ("sent", "back"),
    [
        pytest.param("https://A.example", "https://a.example/", id="bare host"),
        pytest.param("https://www.notion.so/Plan-393abc1eedcd8170aebfcf1d14057b30", "/393abc1eedcd8170aebfcf1d14057b30", id="Notion's own page"),
        pytest.param("mailto:a@b.c", "mailto:a@b.c", id="mail"),
    ],
)  # fmt: skip
def test_notions_spelling_of_a_link_is_no_difference(sent: str, back: str) -> None:
    one, other = ([{"text": {"content": "a", "link": {"url": url}}}] for url in (sent, back))

    assert rich_text_content(one) == rich_text_content(other)


def test_mentions_are_compared_by_what_they_point_at() -> None:
    sent = {"mention": {"page": {"id": PAGE.replace("-", "")}}}
    back = {
        "type": "mention",
        "mention": {"type": "page", "page": {"id": PAGE}},
        "plain_text": "Plan",
        "href": "x",
    }

    assert rich_text_content([sent]) == rich_text_content([back]) == [{"mention": {"page": PAGE}}]


def test_a_block_of_an_unknown_type_is_compared_as_it_is() -> None:
    assert block_content({"type": "tab2", "tab2": {"a": 1}}) == {"type": "tab2", "a": 1}


SENT = {
    "标题": {"title": [{"text": {"content": "a"}}, {"text": {"content": "b"}}]},
    "状态": {"status": {"name": "完成"}},
    "标签": {"multi_select": [{"name": "y"}, {"name": "x"}]},
    "期限": {"date": {"start": "2026-03-01"}},
    "时间": {"date": {"start": "2026-03-01T08:00:00", "time_zone": "Asia/Shanghai"}},
    "数": {"number": 3},
    "勾": {"checkbox": False},
    "链接": {"url": None},
    "人": {"people": [{"id": PAGE.replace("-", "")}]},
    "文件": {"files": [{"name": "a", "external": {"url": "https://a.example"}}]},
    "n%3A": {"select": None},
}
BACK = {
    "标题": {"id": "title", "type": "title", "title": [answered({"text": {"content": "ab"}})]},
    "状态": {"id": "s", "type": "status", "status": {"id": "1", "name": "完成", "color": "green"}},
    "标签": {"id": "m", "type": "multi_select", "multi_select": [{"id": "1", "name": "x"}, {"id": "2", "name": "y"}]},
    "期限": {"id": "d", "type": "date", "date": {"start": "2026-03-01", "end": None, "time_zone": None}},
    "时间": {"id": "e", "type": "date", "date": {"start": "2026-03-01T00:00:00.000+00:00", "end": None, "time_zone": None}},
    "数": {"id": "n", "type": "number", "number": 3.0},
    "勾": {"id": "c", "type": "checkbox", "checkbox": False},
    "链接": {"id": "u", "type": "url", "url": None},
    "人": {"id": "p", "type": "people", "people": [{"object": "user", "id": PAGE}]},
    "文件": {"id": "f", "type": "files", "files": [{"name": "a", "type": "external", "external": {"url": "https://a.example/"}}]},
    "类别": {"id": "n%3A", "type": "select", "select": None},
    "编号": {"id": "i", "type": "unique_id", "unique_id": {"number": 1}},
    "旁": {"id": "o", "type": "number", "number": 9},
}  # fmt: skip


def test_properties_that_were_written_are_found_in_the_page() -> None:
    assert properties_content(BACK, among=SENT) == properties_content(SENT)


@pytest.mark.parametrize("name", [name for name in SENT if SENT[name] != {"checkbox": False}])
def test_a_property_that_differs_is_seen(name: str) -> None:
    other: dict[str, dict[str, Any]] = {
        "标题": {"title": []},
        "状态": {"status": None},
        "标签": {"multi_select": []},
        "期限": {"date": {"start": "2026-03-01T00:00:00Z"}},
        "时间": {"date": {"start": "2026-03-01T08:00:00Z"}},
        "数": {"number": None},
        "链接": {"url": "x"},
        "人": {"people": []},
        "文件": {"files": []},
        "n%3A": {"select": {"name": "a"}},
    }

    assert properties_content({name: other[name]}) != properties_content({name: SENT[name]})


def test_what_notion_computes_is_no_content() -> None:
    assert properties_content({"编号": BACK["编号"], "数": BACK["数"]}) == {"数": 3.0}
