"""policy.toml is read in full, or nothing starts."""

from dataclasses import replace
from pathlib import Path

import pytest

from lakelight.errors import ConfigurationError
from lakelight.guard import Entry, Policy, load_policy, parse_policy
from lakelight.operations import Kind, Level

MANUAL = (Path(__file__).parents[3] / "docs" / "guard.md").read_text(encoding="utf-8")
PAGE = "1f0e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
SOURCE = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"


def test_the_manuals_example_is_a_policy() -> None:
    example = MANUAL.split("```toml\n")[1].split("```")[0]

    assert parse_policy(example) == Policy(
        level=Level.ADVANCED,
        mode="normal",
        agents={
            "录册A02": Entry(
                level=Level.ADVANCED,
                roots=frozenset({PAGE, SOURCE}),
                ask=frozenset({Kind.COMMENT_CREATE}),
            )
        },
    )


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("version = 1", Policy()),
        ("# words\nversion = 1\nlevel = 0", Policy(level=Level.READ_ONLY)),
        ("version = 1\nlevel = 3\nmode = 'frozen'", Policy(level=Level.ADMIN, mode="frozen")),
        ("version = 1\nmode = 'preview'", Policy(mode="preview")),
        ("version = 1\n[agents]", Policy()),
        ("version = 1\n[agents.A]", Policy(agents={"A": Entry()})),
        ("version = 1\n[agents.A]\nlevel = 0", Policy(agents={"A": Entry(level=Level.READ_ONLY)})),
        (
            f"version = 1\n[agents.A]\npages = ['{PAGE.replace('-', '').upper()}', '{PAGE}']",
            Policy(agents={"A": Entry(roots=frozenset({PAGE}))}),
        ),
        (
            "version = 1\n[agents.'甲 乙']\nask = ['block.append', 'block.append']",
            Policy(agents={"甲 乙": Entry(ask=frozenset({Kind.BLOCK_APPEND}))}),
        ),
    ],
)
def test_a_whole_policy_is_read(text: str, policy: Policy) -> None:
    assert parse_policy(text) == policy


BROKEN = {
    "nothing": ("", "version"),
    "no version": ("level = 1", "version"),
    "a later version": ("version = 2", "version"),
    "a version that is text": ("version = '1'", "version"),
    "a version that is a yes": ("version = true", "version"),
    "an unknown key": ("version = 1\nlevels = 2", "levels"),
    "a key in capitals": ("version = 1\nLevel = 2", "Level"),
    "a level too high": ("version = 1\nlevel = 4", "level"),
    "a level below none": ("version = 1\nlevel = -1", "level"),
    "a level that is text": ("version = 1\nlevel = '2'", "level"),
    "a level by name": ("version = 1\nlevel = 'admin'", "level"),
    "a level that is a yes": ("version = 1\nlevel = true", "level"),
    "a level with a point": ("version = 1\nlevel = 2.0", "level"),
    "an unknown mode": ("version = 1\nmode = 'off'", "mode"),
    "a mode in capitals": ("version = 1\nmode = 'Normal'", "mode"),
    "a mode that is a number": ("version = 1\nmode = 0", "mode"),
    "agents that are a list": ("version = 1\nagents = []", "agents"),
    "agents that are a word": ("version = 1\nagents = 'all'", "agents"),
    "an agent that is a number": ("version = 1\n[agents]\nA = 2", "agents.A"),
    "an agent without a name": ("version = 1\n[agents.'']\nlevel = 2", "agents..[key]"),
    "an agent's unknown key": ("version = 1\n[agents.A]\nscope = []", "agents.A.scope"),
    "an agent's level too high": ("version = 1\n[agents.A]\nlevel = 9", "agents.A.level"),
    "an agent's level that is text": ("version = 1\n[agents.A]\nlevel = '1'", "agents.A.level"),
    "an agent's level that is a yes": ("version = 1\n[agents.A]\nlevel = true", "agents.A.level"),
    "pages that are text": (f"version = 1\n[agents.A]\npages = '{PAGE}'", "agents.A.pages"),
    "pages that are numbers": ("version = 1\n[agents.A]\npages = [1]", "agents.A.pages.0"),
    "a page without a name": ("version = 1\n[agents.A]\npages = ['']", "agents.A.pages.0"),
    "a page that is none": ("version = 1\n[agents.A]\npages = ['my page']", "agents.A"),
    "a page with an id cut short": (f"version = 1\n[agents.A]\npages = ['{PAGE[:-1]}']", "agents.A"),
    "a page elsewhere": (
        f"version = 1\n[agents.A]\npages = ['https://evil.example/{PAGE}']",
        "agents.A",
    ),
    "everything": ("version = 1\n[agents.A]\npages = ['*']", "agents.A"),
    "a data source that is none": ("version = 1\n[agents.A]\ndata_sources = ['工单']", "agents.A"),
    "data sources that are a table": (
        "version = 1\n[agents.A.data_sources]\na = 1",
        "agents.A.data_sources",
    ),
    "an unknown kind": ("version = 1\n[agents.A]\nask = ['block.explode']", "agents.A.ask.0"),
    "a kind's name in the code": ("version = 1\n[agents.A]\nask = ['BLOCK_APPEND']", "agents.A.ask.0"),
    "all kinds": ("version = 1\n[agents.A]\nask = ['*']", "agents.A.ask.0"),
    "kinds that are text": ("version = 1\n[agents.A]\nask = 'block.append'", "agents.A.ask"),
    "a yes in place of kinds": ("version = 1\n[agents.A]\nask = true", "agents.A.ask"),
}
NO_TOML = {
    "a comma too many": "version = 1,",
    "a key twice": "version = 1\nlevel = 1\nlevel = 3",
    "an agent twice": "version = 1\n[agents.A]\nlevel = 1\n[agents.A]\nlevel = 2",
    "half a table": "version = 1\n[agents.A",
    "no quotes": "version = 1\nmode = normal",
    "JSON": '{"version": 1}',
    "YAML": "version: 1",
    "a text without end": "version = 1\nmode = 'normal",
}


@pytest.mark.parametrize(("text", "key"), BROKEN.values(), ids=BROKEN)
def test_a_policy_that_says_something_unknown_is_refused_by_its_key(text: str, key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_policy(text, name="mine.toml")

    assert caught.value.message_key == "config.policy.key"
    assert (caught.value.facts["file"], caught.value.facts["key"]) == ("mine.toml", key)


@pytest.mark.parametrize("text", NO_TOML.values(), ids=NO_TOML)
def test_a_policy_that_is_no_toml_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_policy(text)

    assert caught.value.message_key == "config.policy.toml"


def test_without_a_file_every_agent_has_level_one_and_its_own_ticket(tmp_path: Path) -> None:
    policy = load_policy(tmp_path / "policy.toml")

    assert policy == Policy()
    assert policy.entry("anybody") == Entry(level=Level.STANDARD, roots=frozenset(), ask=frozenset())


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("version = 1\nlevel = 2\n", encoding="utf-8")

    assert load_policy(file) == Policy(level=Level.ADVANCED)


def test_a_file_that_everybody_may_write_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("version = 1", encoding="utf-8")
    file.chmod(0o646)

    with pytest.raises(ConfigurationError) as caught:
        load_policy(file)

    assert caught.value.message_key == "config.policy.writable"


@pytest.mark.parametrize("content", [b"version = 1\n# \xff", b"\xff\xfev\x00"])
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(content)

    with pytest.raises(ConfigurationError) as caught:
        load_policy(file)

    assert caught.value.message_key == "config.policy.unreadable"


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").mkdir()

    with pytest.raises(ConfigurationError) as caught:
        load_policy(tmp_path / "policy.toml")

    assert caught.value.message_key == "config.policy.unreadable"


entry = Entry(level=Level.ADVANCED, roots=frozenset({PAGE}), ask=frozenset({Kind.BLOCK_APPEND}))
whole = Policy(level=Level.ADVANCED, mode="normal", agents={"A": entry})


@pytest.mark.parametrize(
    "other",
    [
        replace(whole, level=Level.ADMIN),
        replace(whole, mode="preview"),
        replace(whole, agents={}),
        replace(whole, agents={"B": entry}),
        replace(whole, agents={"A": replace(entry, level=Level.ADMIN)}),
        replace(whole, agents={"A": replace(entry, roots=frozenset())}),
        replace(whole, agents={"A": replace(entry, ask=frozenset())}),
    ],
)
def test_the_hash_changes_with_each_part_of_the_policy(other: Policy) -> None:
    assert other.hash != whole.hash


def test_the_hash_does_not_depend_on_the_order_in_the_file() -> None:
    one = parse_policy("version = 1\n[agents.A]\nlevel = 2\n[agents.B]\nlevel = 1\n")
    other = parse_policy("version = 1\n[agents.B]\nlevel = 1\n[agents.A]\nlevel = 2\n")

    assert one.hash == other.hash
