"""Text cut into runs: nothing lost, nothing too long, no character in two."""

from hypothesis import given, strategies as st

from lakelight.notion.text import pieces, rich_text, units, whole

any_text = st.text(st.one_of(st.characters(), st.sampled_from("😀字aé")), max_size=200)


@given(any_text, st.integers(2, 20))
def test_pieces_are_short_enough_and_make_the_text_again(text: str, limit: int) -> None:
    parts = pieces(text, limit)

    assert "".join(parts) == text
    assert all(0 < units(part) <= limit for part in parts)


@given(any_text, st.integers(2, 20))
def test_pieces_are_filled(text: str, limit: int) -> None:
    assert all(units(part) >= limit - 1 for part in pieces(text, limit)[:-1])


def test_a_long_text_is_cut_where_notion_counts_2000() -> None:
    runs = rich_text("é" * 1999 + "😀" + "b" * 2000)

    assert [run["text"]["content"] for run in runs] == ["é" * 1999, "😀" + "b" * 1998, "bb"]


@given(st.text(st.characters(categories=None), max_size=50))
def test_every_text_can_be_sent(text: str) -> None:
    whole(text).encode()


def test_a_broken_pair_is_replaced_and_the_rest_stays() -> None:
    assert whole("a\ud83db😀") == "a\ufffdb😀"
