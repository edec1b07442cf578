"""Comparing names, telling languages apart, and finding words to search for."""

import pytest
from hypothesis import given, strategies as st

from lakelight.tickets.language import language_of
from lakelight.tickets.matching import bare, fold
from lakelight.tickets.references import search_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("整理文档", "zh"),
        ("修复 login page bug", "zh"),
        ("", "zh"),
        ("12345 ⚡", "zh"),
        ("Tidy the documents", "en"),
        ("Write the receipt for 译典A05 and send it", "en"),
    ],
)
def test_the_language_is_the_one_that_most_of_the_text_is_in(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("title", "words"),
    [
        pytest.param("整理接口文档", ("接口文档",), id="verb-goes"),
        pytest.param("修复登录页面的报错", ("登录页面", "报错"), id="particle-cuts"),
        pytest.param("优化 PostgreSQL 查询性能", ("postgresql", "查询性能"), id="mixed"),
        pytest.param(
            "Write the onboarding guide for new members", ("onboarding", "members", "guide"), id="english"
        ),
        pytest.param("更新", ("更新",), id="nothing-left"),
        pytest.param("  ", (), id="empty"),
    ],
)
def test_the_most_telling_pieces_of_the_title_are_searched_for(title: str, words: tuple[str, ...]) -> None:
    assert search_words(title) == words


@given(st.text(), st.integers(0, 4))
def test_there_are_never_more_words_than_asked_for(title: str, limit: int) -> None:
    words = search_words(title, limit)

    assert len(words) <= limit
    assert all(word and word in fold(title) for word in words)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert bare(bare(text)) == bare(text)
