"""The routing table, and the file that changes it."""

import json
from pathlib import Path

import pytest

from lakelight.errors import ConfigurationError
from lakelight.llm.routes import DEFAULT_ROUTES, Route, load_routes


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    routes = load_routes(tmp_path / "models.toml")

    assert routes == DEFAULT_ROUTES
    assert {task: (route.models, route.max_tokens, route.temperature) for task, route in routes.items()} == {
        "reasoning": (("qwen-plus", "qwen-turbo"), 4000, 0.7),
        "coding": (("qwen-coder-turbo", "qwen-plus", "qwen-turbo"), 8000, 0.3),
        "simple": (("qwen-turbo", "qwen-plus"), 1000, 0.5),
        "thinking": (("qwen-plus", "qwen-turbo"), 8000, 0.8),
    }


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(
        '[coding]\nmodel = "deepseek-chat"\nfallbacks = []\ntemperature = 0\nweak_tools = true\n', "utf-8"
    )

    assert load_routes(path) == {
        **DEFAULT_ROUTES,
        "coding": Route(model="deepseek-chat", fallbacks=(), max_tokens=8000, temperature=0, weak_tools=True),
    }


def test_a_json_file_does_as_well(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    path.write_text(json.dumps({"simple": {"max_tokens": 200}}), "utf-8-sig")

    assert load_routes(path)["simple"].max_tokens == 200


def test_one_model_stands_for_all_names(tmp_path: Path) -> None:
    routes = load_routes(tmp_path / "models.toml", model="qwen2.5:7b")

    assert {route.models for route in routes.values()} == {("qwen2.5:7b",)}
    assert routes["coding"].max_tokens == 8000


def test_a_stand_in_that_is_the_model_itself_is_asked_once() -> None:
    route = Route(model="a", fallbacks=("b", "a", "b"), max_tokens=1, temperature=0)

    assert route.models == ("a", "b")


@pytest.mark.parametrize(
    ("content", "key"),
    [
        pytest.param("[writing]\n", "writing", id="unknown task"),
        pytest.param("simple = 1\n", "simple", id="no table"),
        pytest.param("[simple]\nmodell = 'x'\n", "simple.modell", id="unknown key"),
        pytest.param("[simple]\nmodel = 1\n", "simple.model", id="model is a number"),
        pytest.param("[simple]\nmodel = ' '\n", "simple.model", id="model is blank"),
        pytest.param("[simple]\nfallbacks = 'x'\n", "simple.fallbacks", id="fallbacks is a text"),
        pytest.param("[simple]\nfallbacks = ['x', 2]\n", "simple.fallbacks", id="a fallback is a number"),
        pytest.param("[simple]\nmax_tokens = 0\n", "simple.max_tokens", id="no tokens"),
        pytest.param("[simple]\nmax_tokens = true\n", "simple.max_tokens", id="tokens is a yes"),
        pytest.param("[simple]\nmax_tokens = 1.5\n", "simple.max_tokens", id="half a token"),
        pytest.param("[simple]\ntemperature = 2.1\n", "simple.temperature", id="too hot"),
        pytest.param("[simple]\ntemperature = nan\n", "simple.temperature", id="not a number"),
        pytest.param("[simple]\nweak_tools = 1\n", "simple.weak_tools", id="weak is a number"),
        pytest.param("[simple]\ntemperature = '0.5'\n", "simple.temperature", id="temperature is a text"),
    ],
)
def test_a_wrong_file_is_refused_with_the_key_that_is_wrong(tmp_path: Path, content: str, key: str) -> None:
    path = tmp_path / "models.toml"
    path.write_text(content, "utf-8")

    with pytest.raises(ConfigurationError) as caught:
        load_routes(path)

    assert caught.value.message_key == "config.models.wrong"
    assert caught.value.facts["key"] == key
    assert key in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("models.toml", b"[simple", id="no TOML"),
        pytest.param("models.json", b"{", id="no JSON"),
        pytest.param("models.toml", "# 模型".encode("gbk"), id="no UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(ConfigurationError) as caught:
        load_routes(path)

    assert caught.value.message_key == "config.models.unreadable"
