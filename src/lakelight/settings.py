"""Settings: one TOML file, every key also in the environment, and where each value came from.

Precedence: environment, then `lakelight.toml` in the home, then the default. A key is
`LAKELIGHT_<SECTION>__<KEY>` in the environment, and the names that earlier set-ups use
(`GH_NOTION_TOKEN`, …) are taken for the same keys. What is unknown is an error that names the nearest
key; nothing is guessed.

pydantic does the types. Its settings package would not tell where a value came from, and takes
most of a second to import.
"""

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from lakelight.errors import ConfigurationError
from lakelight.owner_file import read_owner_file
from lakelight.redaction import describe

PREFIX = "LAKELIGHT_"
HOME_VARIABLE = "LAKELIGHT_HOME"
FILE_NAME = "lakelight.toml"

_Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
_Positive = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=1, le=10_000)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class NotionSettings(_Section):
    """Section `notion`."""

    token: SecretStr | None = None
    """The integration's token; without one the embedded workspace is used."""
    base_url: str = "https://api.notion.com"
    version: str = "2026-03-11"
    ticket_database: str | None = None
    """Id or URL of the ticket database, or of one of its data sources."""
    requests_per_minute: _Count = 180
    burst: _Count = 60
    read_timeout: _Positive = 30
    write_timeout: _Positive = 60
    retry_waits: tuple[_Seconds, ...] = (1, 2, 4)
    settle: _Seconds = 60
    """Seconds after a send without an answer before "it is not there" counts."""


class ModelSettings(_Section):
    """Section `model`."""

    api_key: SecretStr | None = None
    base_url: str | None = None
    name: str | None = None
    """One model for every task, for an endpoint that serves just one."""
    timeout: _Positive = 120
    retry_waits: tuple[_Seconds, ...] = (1, 2, 4)

    @property
    def configured(self) -> bool:
        """True when a key or an address is set: then no template stands in for a model."""
        return self.api_key is not None or self.base_url is not None


class Columns(_Section):
    """Section `tickets.columns`: what the ticket database calls each column."""

    number: str = "编号"
    title: str = "任务标题"
    assignee: str = "负责Agent"
    status: str = "状态"
    priority: str = "优先级"
    brief: str = "开发内容"
    constraints: str = "约束"
    branch: str = "分支名"
    repository: str = "仓库路径"
    handoff: str = "下一轮指引"
    self_check: str = "自检结果"
    created: str = "创建时间"


class Statuses(_Section):
    """Section `tickets.statuses`: the status words; only those that are set are ever written."""

    ready: str = "待开发"
    working: str | None = None
    needs_you: str | None = None
    done: str | None = None


class TicketSettings(_Section):
    """Section `tickets`."""

    poll_seconds: _Positive = 30
    full_query_seconds: _Positive = 900
    persona_seconds: _Seconds = 600
    """How long a persona is remembered."""
    retry_seconds: _Positive = 60
    """The first wait before a waiting ticket is tried again; it doubles up to 30 minutes."""
    at_once: Annotated[int, Field(ge=1, le=64)] = 4
    columns: Columns = Columns()
    statuses: Statuses = Statuses()


class Settings(_Section):
    """Everything that can be set."""

    notion: NotionSettings = NotionSettings()
    model: ModelSettings = ModelSettings()
    tickets: TicketSettings = TicketSettings()
    language: Literal["auto", "zh", "en"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    embedded_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """Port of the embedded workspace; 0 takes a free one."""
    console_port: Annotated[int, Field(ge=0, le=65_535)] = 9800
    """Port of the page of approvals; a taken one is exchanged for a free one."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and for each key that is not a default where it came from."""

    settings: Settings
    origins: Mapping[str, str] = field(default_factory=dict)

    def rows(self) -> list[tuple[str, str, str]]:
        """(key, value, origin) of every setting; secrets are described and not shown."""
        return [
            (key, _shown(value, self.origins.get(key, "default")), self.origins.get(key, "default"))
            for key, value in _flatten(self.settings)
        ]


SECRETS = frozenset({"notion.token", "model.api_key"})
"""The keys whose values are never shown."""

ALIASES: Mapping[str, str] = {
    "GH_NOTION_TOKEN": "notion.token",
    "GH_NOTION_TICKET_DB_ID": "notion.ticket_database",
    "GH_LLM_API_KEY": "model.api_key",
    "GH_LLM_BASE_URL": "model.base_url",
    "AGENT_POLL_INTERVAL": "tickets.poll_seconds",
    "AGENT_LOG_LEVEL": "log_level",
}
"""Names from earlier set-ups. `AGENT_POLL_INTERVAL` is in milliseconds."""

DEFAULT_MODEL_URL = "https://dashscope.aliyuncs.com/compatible-mode/v1"
"""Where a key without an address is used."""


def home(environment: Mapping[str, str]) -> Path:
    """The folder that holds all state: `LAKELIGHT_HOME`, else `lakelight` in the user's data folder."""
    given = environment.get(HOME_VARIABLE)
    if given:
        return Path(given).expanduser().absolute()
    data = environment.get("XDG_DATA_HOME")
    base = Path(data) if data else Path(environment.get("HOME") or Path.home()) / ".local" / "share"
    return base / "lakelight"


def load(folder: Path, environment: Mapping[str, str] | None = None) -> Loaded:
    """The settings of the home `folder`.

    Raises:
        ConfigurationError: `config.file` (unreadable, no TOML), `config.unknown_key` (with the nearest
            one), `config.value` (with what is expected), `config.blank` (a secret's variable that holds
            nothing but blanks), or what is wrong with an address.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for key, value in _from_file(folder / FILE_NAME):
        _put(values, key, value)
        origins[key] = FILE_NAME
    for variable, key, value in _from_environment(os.environ if environment is None else environment):
        _put(values, key, value)
        origins[key] = variable
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise _complaint(error, origins) from None
    _check_addresses(settings, origins)
    return Loaded(settings, origins)


def _from_file(file: Path) -> list[tuple[str, Any]]:
    try:
        text = read_owner_file(file)
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError("config.file", file=file, cause=str(error)) from error
    try:
        pairs = _walk(tomllib.loads(text))
    except ValueError as error:
        raise ConfigurationError("config.file", file=file, cause=str(error)) from error
    except RecursionError:
        # A dotted name is read at any depth; it is only walking it that ends here.
        raise ConfigurationError("config.file", file=file, cause="nested too deep") from None
    for key, _ in pairs:
        _check_known(key, str(file))
    return pairs


def _from_environment(environment: Mapping[str, str]) -> list[tuple[str, str, Any]]:
    found: list[tuple[str, str, Any]] = []
    for variable, key in ALIASES.items():
        value = _stripped(environment.get(variable, ""), variable, key)
        if value:
            found.append((variable, key, _alias_value(variable, value)))
    for variable in sorted(environment):
        if not variable.startswith(PREFIX) or variable in {
            HOME_VARIABLE,
            "LAKELIGHT_LANG",
            "LAKELIGHT_DEBUG",
        }:
            continue
        if variable.startswith("LAKELIGHT_TEST_"):
            continue
        key = variable.removeprefix(PREFIX).lower().replace("__", ".")
        _check_known(key, variable)
        value = _stripped(environment[variable], variable, key)
        if value:
            found.append((variable, key, value.split(",") if key.endswith("retry_waits") else value))
    return found


def _stripped(value: str, variable: str, key: str) -> str:
    """`value` without blanks around it; an empty one counts as not set."""
    stripped = value.strip()
    if value and not stripped and key in SECRETS:
        # To go on without it would be to work on another workspace than was meant.
        raise ConfigurationError("config.blank", origin=variable, key=key)
    return stripped


def _alias_value(variable: str, value: str) -> Any:
    if variable == "AGENT_LOG_LEVEL":
        return {"warn": "warning", "trace": "debug"}.get(value.lower(), value.lower())
    if variable != "AGENT_POLL_INTERVAL":
        return value
    try:
        return int(value) / 1000
    except ValueError:
        raise ConfigurationError(
            "config.value", key=variable, origin=variable, expected="a whole number of milliseconds"
        ) from None


def _check_known(key: str, origin: str) -> None:
    known = [name for name, _ in _flatten(Settings())]
    if key in known:
        return
    nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    if not nearest:
        raise ConfigurationError("config.no_such_setting", key=key, origin=origin)
    raise ConfigurationError("config.unknown_key", key=key, origin=origin, nearest=nearest[0])


def _check_addresses(settings: Settings, origins: Mapping[str, str]) -> None:
    """Refuse what is no address, or would show a password wherever addresses are shown."""
    addresses = (
        ("notion.base_url", settings.notion.base_url, "config.notion_base_url"),
        ("model.base_url", settings.model.base_url, "config.model_url"),
    )
    for key, given, complaint in addresses:
        if given is None:
            continue
        try:
            address = urlsplit(given.strip())
        except ValueError:
            raise ConfigurationError(complaint) from None
        if "@" in address.netloc:
            raise ConfigurationError(
                "config.address_credentials", key=key, origin=origins.get(key, FILE_NAME)
            )
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise ConfigurationError(complaint)


def _complaint(error: ValidationError, origins: Mapping[str, str]) -> ConfigurationError:
    first = error.errors(include_input=False, include_url=False)[0]
    path = [str(part) for part in first["loc"] if not isinstance(part, int)]
    key = ".".join(path)
    return ConfigurationError(
        "config.value", key=key, origin=origins.get(key, FILE_NAME), expected=first["msg"]
    )


def _walk(content: Mapping[str, Any], above: str = "") -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for name, value in content.items():
        key = f"{above}{name}"
        if isinstance(value, dict):
            pairs.extend(_walk(value, f"{key}."))
        else:
            pairs.append((key, value))
    return pairs


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    *above, name = key.split(".")
    place = values
    for part in above:
        place = place.setdefault(part, {})
    place[name] = value


def _flatten(section: BaseModel, above: str = "") -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            pairs.extend(_flatten(value, f"{above}{name}."))
        else:
            pairs.append((f"{above}{name}", value))
    return pairs


def _shown(value: Any, origin: str) -> str:
    match value:
        case SecretStr():
            return describe(value.get_secret_value(), origin)
        case None:
            return "not set"
        case tuple():
            return ", ".join(f"{part:g}" for part in value)
        case _:
            return str(value)
