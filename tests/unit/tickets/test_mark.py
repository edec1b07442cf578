"""The fixed self-check texts, and that nothing else passes for one."""

from datetime import datetime

import pytest
from hypothesis import given, strategies as st

from lakelight.tickets.mark import (
    _FAILURES,
    _NEEDS,
    Failure,
    Need,
    failed,
    finished,
    fits_mark,
    is_mark,
    needs_you,
    picked_up,
    timed_out,
)

AT = "2026-11-30T08:00:00.000Z"
languages = st.sampled_from(["zh", "en"])


def test_picking_up_says_who_and_when() -> None:
    assert picked_up("译典·配置开发", AT) == "⚡ 已接单 · 译典·配置开发 · 2026-11-30T08:00:00.000Z"


def test_the_moment_is_always_written_in_one_form() -> None:
    assert picked_up("A", "2026-11-30T16:00:00+08:00") == f"⚡ 已接单 · A · {AT}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(finished(12, AT, "zh"), f"✅ 已完成 · 回执 R-12 · {AT}", id="finished-zh"),
        pytest.param(finished(12, AT, "en"), f"✅ Done · Receipt R-12 · {AT}", id="finished-en"),
        pytest.param(timed_out(AT, "zh"), f"⏳ 生成超时 · {AT}", id="timed-out-zh"),
        pytest.param(timed_out(AT, "en"), f"⏳ 生成超时 (generation timed out) · {AT}", id="timed-out-en"),
        pytest.param(needs_you("approval", "zh"), "✋ 需要你处理 · 等待审批", id="needs-zh"),
        pytest.param(needs_you("approval", "en"), "✋ Needs you · approval due", id="needs-en"),
        pytest.param(failed("refused", AT, "zh"), f"❌ 未完成 · Notion 拒绝了写入 · {AT}", id="failed-zh"),
        pytest.param(
            failed("refused", AT, "en"), f"❌ Not done · Notion refused the write · {AT}", id="failed-en"
        ),
    ],
)
def test_each_mark_is_one_fixed_line_that_is_recognised(text: str, expected: str) -> None:
    assert text == expected
    assert is_mark(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("⚡ 已接单", id="beginning"),
        pytest.param(f"⚡ 已接单 ·  · {AT}", id="no-name"),
        pytest.param(f"⚡ 已接单 · {'x' * 61} · {AT}", id="long-name"),
        pytest.param(f"⚡ 已接单 · a\nb · {AT}", id="two-lines"),
        pytest.param(f"⚡ 已接单 · a\u2028b · {AT}", id="line-separator"),
        pytest.param(f"⚡ 已接单 · see https://evil.example · {AT}", id="link"),
        pytest.param(f"⚡ 已接单 · www.evil.example · {AT}", id="bare-link"),
        pytest.param(f"⚡ 已接单 · me@evil.example · {AT}", id="address"),
        pytest.param(f"⚡ 已接单 · a\u202eb · {AT}", id="bidi"),
        pytest.param(f"⚡ 已接单 · a\u200bb · {AT}", id="zero-width"),
        pytest.param(f"⚡ 已接单 · A · {AT}\n", id="newline-behind"),
        pytest.param(f" ⚡ 已接单 · A · {AT}", id="space-before"),
        pytest.param("⚡ 已接单 · A · 2026-11-30", id="date-only"),
        pytest.param(f"⚡ 已接单 · A · {AT.replace('2', '２')}", id="wide-digits"),
        pytest.param(f"✅ 已完成 · 回执 R-0 · {AT}", id="receipt-zero"),
        pytest.param(f"✅ 已完成 · 回执 R-12 · {AT} · done", id="text-behind"),
        pytest.param("✋ 需要你处理 · 请点击链接", id="free-reason"),
        pytest.param(f"❌ 未完成 · whatever · {AT}", id="free-failure"),
    ],
)
def test_what_the_engine_does_not_write_is_no_mark(text: str) -> None:
    assert not is_mark(text)


@given(st.text(), st.datetimes(min_value=datetime(1000, 1, 1)))
def test_a_mark_of_any_agent_name_is_a_mark(name: str, at: object) -> None:
    assert is_mark(picked_up(name, str(at)))


@given(st.text(min_size=1, max_size=60))
def test_a_name_that_fits_stands_in_the_mark_unchanged(name: str) -> None:
    if fits_mark(name):
        assert picked_up(name, AT) == f"⚡ 已接单 · {name} · {AT}"


@given(
    languages,
    st.integers(1, 10**9 - 1),
    st.sampled_from(sorted(_NEEDS)),
    st.sampled_from(sorted(_FAILURES)),
)
def test_every_mark_that_can_be_made_is_recognised(
    language: str, number: int, need: Need, failure: Failure
) -> None:
    assert language in {"zh", "en"}
    marks = [
        finished(number, AT, language),  # type: ignore[arg-type]
        timed_out(AT, language),  # type: ignore[arg-type]
        needs_you(need, language),  # type: ignore[arg-type]
        failed(failure, AT, language),  # type: ignore[arg-type]
    ]

    assert [mark for mark in marks if not is_mark(mark)] == []


@given(st.text())
def test_no_mark_has_two_lines_or_a_link(text: str) -> None:
    if is_mark(text):
        assert len(text.splitlines()) == 1
        assert "://" not in text


@pytest.mark.parametrize("at", ["", "soon", "2026-13-01T00:00:00Z"])
def test_a_moment_that_is_none_is_refused(at: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        picked_up("A", at)


@pytest.mark.parametrize("number", [0, -1, 10**9])
def test_a_number_that_no_receipt_bears_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="no receipt number"):
        finished(number, AT, "zh")
