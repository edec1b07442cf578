"""How providers of the same protocol differ, as a table. Pure."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a provider wants otherwise than the others."""

    name: str
    max_tokens_field: str = "max_tokens"
    key_optional: bool = False
    untempered: tuple[str, ...] = ()
    """Beginnings of names of models that refuse a temperature."""
    thinkers: tuple[str, ...] = ()
    """Beginnings of names of models that think unless `thinking_off` is in the request."""
    thinking_off: Mapping[str, object] = field(default_factory=dict)
    stream_only: tuple[str, ...] = ()
    """Beginnings of names of models that answer in a stream or not at all; they cannot be kept from
    thinking, and while they think no tool may be required of them."""
    strict: bool = False
    """It holds a model to a tool's schema when the schema is of the strict form."""
    schemas: Literal["json_schema", "json_object", "none"] = "json_object"
    """What `response_format` may ask for; where it is not a schema, the schema goes into the prompt."""
    schema_models: tuple[str, ...] = ()
    """Beginnings of names of models for which it may ask for a schema all the same."""
    tool_choice: Literal["named", "required", "none"] = "named"
    """How a request may say which tool is to be called."""
    calls_in_text: bool = True
    """Its models may write a call into the text; where they never do, such a text is a quotation."""
    weak_tools: bool = False
    """Its models are weak at calling tools unless their name tells of a size that is not."""


_OPENAI = Profile(
    name="openai",
    max_tokens_field="max_completion_tokens",
    untempered=("o1", "o3", "o4", "gpt-5"),
    strict=True,
    schemas="json_schema",
    calls_in_text=False,
)
_DASHSCOPE = Profile(
    name="dashscope",
    # These models think only in a stream: without the switch the answer is a 400.
    thinkers=("qwen3",),
    thinking_off={"enable_thinking": False},
    stream_only=("qwq", "qvq"),
    schema_models=("qwen-plus",),
)
_DEEPSEEK = Profile(name="deepseek")
_MOONSHOT = Profile(name="moonshot")
_ZHIPU = Profile(
    name="zhipu",
    thinkers=("glm-4.5", "glm-4.6", "glm-4.7", "glm-5"),
    thinking_off={"thinking": {"type": "disabled"}},
    # Anything but `auto` is a 400 there.
    tool_choice="none",
)
_SILICONFLOW = Profile(
    name="siliconflow", thinkers=("Qwen/Qwen3",), thinking_off={"enable_thinking": False}, tool_choice="none"
)
_GEMINI = Profile(name="gemini", schemas="json_schema", tool_choice="required", calls_in_text=False)
_ANTHROPIC = Profile(name="anthropic", schemas="none", calls_in_text=False)
_LOCAL = Profile(
    name="local", key_optional=True, schemas="json_schema", tool_choice="required", weak_tools=True
)
_PLAIN = Profile(name="plain")

PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        _OPENAI,
        _DASHSCOPE,
        _DEEPSEEK,
        _MOONSHOT,
        _ZHIPU,
        _SILICONFLOW,
        _GEMINI,
        _ANTHROPIC,
        _LOCAL,
        _PLAIN,
    )
}

_BY_HOST: Sequence[tuple[str, Profile]] = (
    ("api.openai.com", _OPENAI),
    ("aliyuncs.com", _DASHSCOPE),
    ("api.deepseek.com", _DEEPSEEK),
    ("moonshot.cn", _MOONSHOT),
    ("moonshot.ai", _MOONSHOT),
    ("bigmodel.cn", _ZHIPU),
    ("z.ai", _ZHIPU),
    ("siliconflow.cn", _SILICONFLOW),
    ("siliconflow.com", _SILICONFLOW),
    ("generativelanguage.googleapis.com", _GEMINI),
    ("api.anthropic.com", _ANTHROPIC),
)

_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)
_STRONG_FROM = 7.0
"""Billions of parameters; measured with 1.5, which need a plan first."""


def profile_for(host: str) -> Profile:
    """The profile of the provider at `host`; a machine of the owner's own network is `local`."""
    for suffix, profile in _BY_HOST:
        if host == suffix or host.endswith(f".{suffix}"):
            return profile
    return _LOCAL if is_local(host) else _PLAIN


def is_local(host: str) -> bool:
    """Whether `host` is this machine or one beside it, by its name alone."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".lan", ".internal", ".localhost"))
    return address.is_loopback or address.is_private or address.is_link_local


def weak_at_tools(profile: Profile, model: str) -> bool:
    """Whether `model` should not call tools freely, by the size in its name or else by its provider."""
    sizes = [float(size) for size in _SIZE.findall(model)]
    return max(sizes) < _STRONG_FROM if sizes else profile.weak_tools
