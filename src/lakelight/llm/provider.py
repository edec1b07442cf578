"""How providers of the same protocol differ, as a table, and the request it leads to. Pure."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakelight.llm.port import Message

_UNSENDABLE = re.compile("[\ud800-\udfff]")


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


_OPENAI = Profile(
    name="openai", max_tokens_field="max_completion_tokens", untempered=("o1", "o3", "o4", "gpt-5")
)
# These models think only in a stream: without the switch the answer is a 400.
_DASHSCOPE = Profile(name="dashscope", thinkers=("qwen3",), thinking_off={"enable_thinking": False})
_LOCAL = Profile(name="local", key_optional=True)
_PLAIN = Profile(name="plain")

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (_OPENAI, _DASHSCOPE, _LOCAL, _PLAIN)}

_BY_HOST: Sequence[tuple[str, Profile]] = (
    ("api.openai.com", _OPENAI),
    ("aliyuncs.com", _DASHSCOPE),
)


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


def request_body(
    profile: Profile, model: str, messages: Sequence[Message], *, max_tokens: int, temperature: float
) -> dict[str, Any]:
    """The body of a chat completion request as the provider wants it."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": _sendable(message.content)} for message in messages],
        profile.max_tokens_field: max_tokens,
    }
    if not model.startswith(profile.untempered):
        body["temperature"] = temperature
    if model.startswith(profile.thinkers):
        body.update(profile.thinking_off)
    return body


def _sendable(text: str) -> str:
    """`text` with half characters, which JSON can carry and UTF-8 cannot, replaced."""
    return _UNSENDABLE.sub("\ufffd", text)
