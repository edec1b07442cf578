"""Lines of the terminal, where there is no terminal."""

import io
import sys

import pytest

from lakelight.cli.interruption import Lines


@pytest.mark.parametrize(
    "end",
    [pytest.param(lambda: None, id="closed by the shell"), pytest.param(io.StringIO, id="at its end")],
)
async def test_an_input_that_is_not_there_ends_like_one_that_is_over(
    monkeypatch: pytest.MonkeyPatch, end: object
) -> None:
    assert callable(end)
    monkeypatch.setattr(sys, "stdin", end())
    lines = Lines("")

    assert await lines.next() is None
    assert not lines.reading
