"""How a sentence names the command to type: as whoever reads it can type it."""

from pathlib import Path

import pytest

from lakelight.cli.calling import called_as
from lakelight.messages import Messages


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the program in an environment of its own, and beside it one that is on the path."""
    for name in (".venv/bin/lakelight", "bin/lakelight", "of mine/lakelight"):
        file = tmp_path / name
        file.parent.mkdir(parents=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("program", "path", "expected"),
    [
        pytest.param(".venv/bin/lakelight", "/nowhere", ".venv/bin/lakelight", id="by a path below"),
        pytest.param(
            "{here}/.venv/bin/lakelight", "/nowhere", ".venv/bin/lakelight", id="by a whole path below"
        ),
        pytest.param(".venv/bin/lakelight", "{here}/bin", ".venv/bin/lakelight", id="another is on the path"),
        pytest.param(
            "{here}/.venv/bin/lakelight", "{here}/.venv/bin", "lakelight", id="this one is on the path"
        ),
        pytest.param("of mine/lakelight", "", "'of mine/lakelight'", id="a path with a blank"),
        pytest.param("/opt/lakelight/bin/lakelight", "", "/opt/lakelight/bin/lakelight", id="elsewhere"),
        pytest.param("lakelight", "", "lakelight", id="by its name"),
        pytest.param("/usr/lib/lakelight/__main__.py", "", "lakelight", id="as a module"),
        pytest.param("", "", "lakelight", id="not known"),
    ],
)
def test_a_command_is_named_as_it_was_called(folder: Path, program: str, path: str, expected: str) -> None:
    environment = {"PATH": path.format(here=folder)}

    assert called_as(program.format(here=folder), environment, folder) == expected


def test_the_program_on_the_path_may_be_a_link_to_the_one_that_was_called(folder: Path) -> None:
    (folder / "bin/lakelight").unlink()
    (folder / "bin/lakelight").symlink_to(folder / ".venv/bin/lakelight")

    assert called_as(".venv/bin/lakelight", {"PATH": str(folder / "bin")}, folder) == "lakelight"


def test_sentences_name_the_command_and_leave_other_words_alone() -> None:
    messages = Messages("en", ".venv/bin/lakelight")

    assert messages.say("cli.state.none", home="/h").endswith(
        "run `.venv/bin/lakelight demo` or `.venv/bin/lakelight up`."
    )
    assert messages.say("reply.undo", run="run_1") == "To take it back: .venv/bin/lakelight undo run_1"
    assert messages.say("cli.demo.title", version="1", home="/h").startswith("lakelight 1 · demo")
    assert "look in lakelight.log" in messages.say("turn.fault", cause="x")


def test_a_list_is_joined_as_its_language_does() -> None:
    facts = {"hosts": ["a.example", "b.example"]}

    assert Messages("en").say("preview.note.links", **facts).endswith("a.example, b.example.")
    assert "a.example、b.example" in Messages("zh").say("preview.note.links", **facts)
