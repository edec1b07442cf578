"""Settings: what counts, where it came from, and that nothing is guessed and no secret shown."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings as examples, strategies as st

from lakelight.bootstrap.house import read_roster
from lakelight.errors import ConfigurationError
from lakelight.guard import load_policy
from lakelight.llm import load_routes
from lakelight.settings import FILE_NAME, Loaded, Settings, home, load

TOKEN = "ntn_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ3f9a"


def written(folder: Path, text: str) -> Path:
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    return folder


def value(loaded: Loaded, key: str) -> Any:
    found: Any = loaded.settings
    for part in key.split("."):
        found = getattr(found, part)
    return found


def refusal(folder: Path, environment: dict[str, str]) -> tuple[str, dict[str, object]]:
    with pytest.raises(ConfigurationError) as caught:
        load(folder, environment)
    return caught.value.message_key, caught.value.facts


def test_without_a_file_or_variables_everything_is_its_default(tmp_path: Path) -> None:
    loaded = load(tmp_path, {})

    assert loaded == Loaded(Settings(), {})
    assert {origin for _, _, origin in loaded.rows()} == {"default"}


def test_the_environment_goes_before_the_file_and_the_file_before_the_default(tmp_path: Path) -> None:
    folder = written(tmp_path, "[tickets]\npoll_seconds = 10\nat_once = 2\n")

    loaded = load(folder, {"LAKELIGHT_TICKETS__POLL_SECONDS": "5"})

    assert loaded.settings.tickets.poll_seconds == 5
    assert loaded.settings.tickets.at_once == 2
    assert loaded.settings.tickets.retry_seconds == 60
    assert loaded.origins == {
        "tickets.poll_seconds": "LAKELIGHT_TICKETS__POLL_SECONDS",
        "tickets.at_once": FILE_NAME,
    }


def test_a_variable_of_ours_goes_before_an_earlier_name(tmp_path: Path) -> None:
    loaded = load(tmp_path, {"GH_NOTION_TOKEN": "earlier", "LAKELIGHT_NOTION__TOKEN": "ours"})

    assert loaded.settings.notion.token is not None
    assert loaded.settings.notion.token.get_secret_value() == "ours"
    assert loaded.origins == {"notion.token": "LAKELIGHT_NOTION__TOKEN"}


ALIASES = [
    ("GH_NOTION_TICKET_DB_ID", " abc ", "notion.ticket_database", "abc"),
    ("GH_LLM_BASE_URL", "http://127.0.0.1:1", "model.base_url", "http://127.0.0.1:1"),
    ("AGENT_POLL_INTERVAL", "30000", "tickets.poll_seconds", 30.0),
    ("AGENT_POLL_INTERVAL", "500", "tickets.poll_seconds", 0.5),
    ("AGENT_LOG_LEVEL", "INFO", "log_level", "info"),
    ("AGENT_LOG_LEVEL", "warn", "log_level", "warning"),
    ("AGENT_LOG_LEVEL", "trace", "log_level", "debug"),
    ("AGENT_LOG_LEVEL", "Error", "log_level", "error"),
]


@pytest.mark.parametrize(("variable", "text", "key", "wanted"), ALIASES)
def test_an_earlier_name_is_taken_for_its_key(
    tmp_path: Path, variable: str, text: str, key: str, wanted: object
) -> None:
    loaded = load(tmp_path, {variable: text})

    assert value(loaded, key) == wanted
    assert loaded.origins == {key: variable}


VARIABLES = [
    ("LAKELIGHT_NOTION__RETRY_WAITS", "0,0", "notion.retry_waits", (0, 0)),
    ("LAKELIGHT_MODEL__RETRY_WAITS", "0.5, 1", "model.retry_waits", (0.5, 1)),
    ("LAKELIGHT_MODEL__RETRY_WAITS", "3", "model.retry_waits", (3,)),
    ("LAKELIGHT_NOTION__BURST", "7", "notion.burst", 7),
    ("LAKELIGHT_TICKETS__COLUMNS__TITLE", "标题", "tickets.columns.title", "标题"),
    ("LAKELIGHT_TICKETS__STATUSES__DONE", "已完成", "tickets.statuses.done", "已完成"),
    ("LAKELIGHT_LANGUAGE", "zh", "language", "zh"),
    ("LAKELIGHT_EMBEDDED_PORT", "0", "embedded_port", 0),
]


@pytest.mark.parametrize(("variable", "text", "key", "wanted"), VARIABLES)
def test_every_key_can_be_a_variable(
    tmp_path: Path, variable: str, text: str, key: str, wanted: object
) -> None:
    loaded = load(tmp_path, {variable: text})

    assert value(loaded, key) == wanted
    assert loaded.origins == {key: variable}


def test_a_variable_that_is_empty_is_not_set(tmp_path: Path) -> None:
    empty = {"LAKELIGHT_NOTION__TOKEN": "", "LAKELIGHT_LOG_LEVEL": " ", "AGENT_POLL_INTERVAL": ""}

    assert load(tmp_path, empty) == Loaded(Settings(), {})


def test_variables_that_are_not_settings_are_left_alone(tmp_path: Path) -> None:
    others = {"LAKELIGHT_HOME": "/x", "LAKELIGHT_LANG": "zh", "LAKELIGHT_TEST_KEY": "1", "PATH": "/bin"}

    assert load(tmp_path, others) == Loaded(Settings(), {})


def test_a_file_that_begins_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"\xef\xbb\xbflanguage = 'zh'\n")

    assert load(tmp_path, {}).settings.language == "zh"


@pytest.mark.parametrize(
    "content",
    [
        b"language = zh",
        b"[notion",
        b"language = 'zh'\nlanguage = 'en'",
        b"language = '\xff'",
        b'{"notion": {}}',
    ],
    ids=["no quotes", "half a table", "a key twice", "no UTF-8", "JSON"],
)
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)

    key, facts = refusal(tmp_path, {})

    assert (key, facts["file"]) == ("config.file", tmp_path / FILE_NAME)


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()

    assert refusal(tmp_path, {})[0] == "config.file"


UNKNOWN = [
    ("[notion]\ntokn = 'x'", "notion.tokn", "notion.token"),
    ("[notion]\ntoken_ = 'x'", "notion.token_", "notion.token"),
    ("[ticket]\npoll_seconds = 1", "ticket.poll_seconds", "tickets.poll_seconds"),
    ("poll_seconds = 1", "poll_seconds", "tickets.poll_seconds"),
    ("[tickets.columns]\ntitel = 'x'", "tickets.columns.titel", "tickets.columns.title"),
    ("[notion.token]\nvalue = 'x'", "notion.token.value", "notion.token"),
    ("Language = 'zh'", "Language", "language"),
]


@pytest.mark.parametrize(("text", "key", "nearest"), UNKNOWN)
def test_an_unknown_key_in_the_file_is_refused_with_the_nearest_one(
    tmp_path: Path, text: str, key: str, nearest: str
) -> None:
    told, facts = refusal(written(tmp_path, text), {})

    assert told == "config.unknown_key"
    assert facts == {"key": key, "origin": str(tmp_path / FILE_NAME), "nearest": nearest}


def test_no_key_is_suggested_where_none_is_near(tmp_path: Path) -> None:
    told, facts = refusal(written(tmp_path, "[colours]\nbackground = 'red'"), {})

    assert told == "config.no_such_setting"
    assert facts == {"key": "colours.background", "origin": str(tmp_path / FILE_NAME)}


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("LAKELIGHT_NOTION_TOKEN", "notion.token"),
        ("LAKELIGHT_NOTION__TOKENS", "notion.token"),
        ("LAKELIGHT_LOGLEVEL", "log_level"),
        ("LAKELIGHT_TICKETS__POLL__SECONDS", "tickets.poll_seconds"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_key(
    tmp_path: Path, variable: str, nearest: str
) -> None:
    told, facts = refusal(tmp_path, {variable: TOKEN})

    assert told == "config.unknown_key"
    assert (facts["origin"], facts["nearest"]) == (variable, nearest)


WRONG = [
    ("LAKELIGHT_TICKETS__POLL_SECONDS", "soon", "tickets.poll_seconds"),
    ("LAKELIGHT_TICKETS__POLL_SECONDS", "0", "tickets.poll_seconds"),
    ("LAKELIGHT_TICKETS__POLL_SECONDS", "nan", "tickets.poll_seconds"),
    ("LAKELIGHT_TICKETS__POLL_SECONDS", "inf", "tickets.poll_seconds"),
    ("LAKELIGHT_TICKETS__AT_ONCE", "0", "tickets.at_once"),
    ("LAKELIGHT_TICKETS__AT_ONCE", "1.5", "tickets.at_once"),
    ("LAKELIGHT_NOTION__SETTLE", "-1", "notion.settle"),
    ("LAKELIGHT_NOTION__RETRY_WAITS", "1;2", "notion.retry_waits"),
    ("LAKELIGHT_NOTION__RETRY_WAITS", "1,,2", "notion.retry_waits"),
    ("LAKELIGHT_NOTION__RETRY_WAITS", "1,-2", "notion.retry_waits"),
    ("LAKELIGHT_LANGUAGE", "fr", "language"),
    ("LAKELIGHT_EMBEDDED_PORT", "70000", "embedded_port"),
    ("AGENT_LOG_LEVEL", "loud", "log_level"),
    ("AGENT_POLL_INTERVAL", "0", "tickets.poll_seconds"),
    ("AGENT_POLL_INTERVAL", "30s", "AGENT_POLL_INTERVAL"),
    ("AGENT_POLL_INTERVAL", "30.5", "AGENT_POLL_INTERVAL"),
]


@pytest.mark.parametrize(("variable", "text", "key"), WRONG)
def test_a_wrong_value_names_the_variable_that_it_came_from(
    tmp_path: Path, variable: str, text: str, key: str
) -> None:
    told, facts = refusal(tmp_path, {variable: text})

    assert told == "config.value"
    assert (facts["key"], facts["origin"]) == (key, variable)
    assert facts["expected"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[tickets]\npoll_seconds = 'soon'", "tickets.poll_seconds"),
        ("[notion]\ntoken = 7", "notion.token"),
        ("[notion]\nretry_waits = 1", "notion.retry_waits"),
        ("[notion]\nretry_waits = ['x']", "notion.retry_waits"),
        ("[tickets.columns]\ntitle = 7", "tickets.columns.title"),
        ("log_level = 'loud'", "log_level"),
    ],
)
def test_a_wrong_value_in_the_file_names_the_file(tmp_path: Path, text: str, key: str) -> None:
    told, facts = refusal(written(tmp_path, text), {})

    assert told == "config.value"
    assert (facts["key"], facts["origin"]) == (key, FILE_NAME)


def test_a_secret_is_described_and_never_shown(tmp_path: Path) -> None:
    loaded = load(tmp_path, {"GH_NOTION_TOKEN": TOKEN, "LAKELIGHT_MODEL__API_KEY": TOKEN[::-1]})

    rows = {key: (shown, origin) for key, shown, origin in loaded.rows()}
    assert rows["notion.token"] == ("set (GH_NOTION_TOKEN, 54 characters, ends …3f9a)", "GH_NOTION_TOKEN")
    assert rows["model.api_key"][1] == "LAKELIGHT_MODEL__API_KEY"
    for text in (repr(loaded), str(loaded.settings), repr(rows), loaded.settings.model_dump_json()):
        assert TOKEN not in text
        assert TOKEN[::-1] not in text


@pytest.mark.parametrize(
    "text",
    [
        f"[notion]\ntoken = ['{TOKEN}']",
        f"[notion]\nversion = ['{TOKEN}']",
        f"[tickets]\npoll_seconds = '{TOKEN}'",
        f"log_level = '{TOKEN}'",
        f"[notion]\ntoken = {TOKEN}",
        f"[notion]\ntoken = '{TOKEN}",
        f"[notion]\nsecret = '{TOKEN}'",
    ],
)
def test_an_error_never_shows_the_value(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(written(tmp_path, text), {})

    error: BaseException | None = caught.value
    while error is not None:
        assert TOKEN not in f"{error!r} {error}"
        error = error.__cause__


def test_rows_name_every_key_once(tmp_path: Path) -> None:
    keys = [key for key, _, _ in load(tmp_path, {}).rows()]

    assert len(keys) == len(set(keys))
    assert {"notion.token", "tickets.columns.title", "language"} <= set(keys)


def test_rows_show_values_as_they_are_written(tmp_path: Path) -> None:
    rows = {key: shown for key, shown, _ in load(tmp_path, {}).rows()}

    assert rows["notion.token"] == "not set"
    assert rows["notion.retry_waits"] == "1, 2, 4"
    assert rows["tickets.columns.assignee"] == "负责Agent"
    assert rows["notion.requests_per_minute"] == "180"


@pytest.mark.parametrize(
    ("variables", "configured"),
    [
        ({}, False),
        ({"GH_LLM_API_KEY": "sk-1"}, True),
        ({"GH_LLM_BASE_URL": "http://127.0.0.1:1"}, True),
        ({"LAKELIGHT_MODEL__NAME": "qwen"}, False),
    ],
)
def test_a_model_is_configured_by_a_key_or_an_address(
    tmp_path: Path, variables: dict[str, str], configured: bool
) -> None:
    assert load(tmp_path, variables).settings.model.configured == configured


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"LAKELIGHT_HOME": "/srv/lake", "HOME": "/home/a"}, "/srv/lake"),
        ({"XDG_DATA_HOME": "/data", "HOME": "/home/a"}, "/data/lakelight"),
        ({"HOME": "/home/a"}, "/home/a/.local/share/lakelight"),
        ({"LAKELIGHT_HOME": "", "XDG_DATA_HOME": "", "HOME": "/home/a"}, "/home/a/.local/share/lakelight"),
    ],
)
def test_the_home_is_given_or_in_the_users_data_folder(environment: dict[str, str], folder: str) -> None:
    assert home(environment) == Path(folder)


def test_a_home_that_is_relative_is_taken_from_here() -> None:
    assert home({"LAKELIGHT_HOME": "state"}) == Path.cwd() / "state"


@examples(max_examples=50)
@given(
    st.dictionaries(
        st.sampled_from([variable for variable, *_ in VARIABLES + ALIASES]),
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
    )
)
def test_any_environment_is_either_read_or_refused_with_an_error_of_ours(environment: dict[str, str]) -> None:
    told = "read"
    try:
        load(Path("/nowhere"), environment).rows()
    except ConfigurationError as error:
        told = error.message_key

    assert told in {"read", "config.value", "config.model_url", "config.address_credentials"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + "[" * 50_000, id="brackets"),
        pytest.param("[" + "a." * 20_000 + "b]\n", id="a dotted name"),
        pytest.param("[" + "a." * 20_000 + "b]\nx = 1\n", id="a dotted name with a value"),
    ],
)
def test_a_file_that_is_nested_too_deep_is_an_error_and_no_traceback(tmp_path: Path, text: str) -> None:
    (tmp_path / "lakelight.toml").write_text(text, encoding="utf-8")

    with pytest.raises(ConfigurationError) as refusal:
        load(tmp_path, {})

    assert refusal.value.message_key == "config.file"
    assert refusal.value.facts["cause"] == "nested too deep"


@pytest.mark.parametrize(
    ("key", "address", "complaint"),
    [
        ("notion.base_url", "https://me:pw-123@notion.example", "config.address_credentials"),
        ("notion.base_url", "https://me@notion.example/v1", "config.address_credentials"),
        ("notion.base_url", "ftp://notion.example", "config.notion_base_url"),
        ("notion.base_url", "file:///etc/passwd", "config.notion_base_url"),
        ("notion.base_url", "notion.example", "config.notion_base_url"),
        ("notion.base_url", "http://[::1", "config.notion_base_url"),
        ("model.base_url", "https://:pw-123@model.example/v1", "config.address_credentials"),
        ("model.base_url", "ws://model.example/v1", "config.model_url"),
    ],
)
def test_an_address_with_a_password_or_of_another_kind_is_refused_and_not_repeated(
    tmp_path: Path, key: str, address: str, complaint: str
) -> None:
    section, name = key.split(".")
    written(tmp_path, f"[{section}]\n{name} = '{address}'\n")

    told, facts = refusal(tmp_path, {})

    assert told == complaint
    assert address not in str(facts)
    assert "pw-123" not in str(facts)


@pytest.mark.parametrize("variable", ["GH_NOTION_TOKEN", "LAKELIGHT_NOTION__TOKEN", "GH_LLM_API_KEY"])
def test_a_secret_that_is_nothing_but_blanks_is_an_error_that_names_its_variable(
    tmp_path: Path, variable: str
) -> None:
    told, facts = refusal(tmp_path, {variable: " \n"})

    assert (told, facts["origin"]) == ("config.blank", variable)


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


def _huge(file: Path) -> None:
    file.write_text("# " + "x" * 1_000_000, encoding="utf-8")


@pytest.mark.parametrize("place", [_pipe, _endless, _huge, Path.mkdir])
@pytest.mark.parametrize(
    ("name", "read", "complaint"),
    [
        (FILE_NAME, lambda file: load(file.parent, {}), "config.file"),
        ("policy.toml", load_policy, "config.policy"),
        ("models.toml", load_routes, "config.models.unreadable"),
        ("agents.json", lambda file: read_roster(file.parent, None), "config.roster.unreadable"),
    ],
)
def test_what_is_no_plain_file_of_a_sane_size_is_refused_and_not_waited_for(
    tmp_path: Path, place: Callable[[Path], None], name: str, read: Callable[[Path], object], complaint: str
) -> None:
    place(tmp_path / name)

    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path / name)

    assert caught.value.message_key.startswith(complaint)
