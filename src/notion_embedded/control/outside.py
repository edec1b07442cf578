"""Which addresses the server may call by itself, and how: no redirects, a time limit, a size limit."""

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from httpx2 import AsyncClient, HTTPError, InvalidURL

from notion_embedded.model.addresses import split_web_address

SECONDS = 10.0


class OutsideError(Exception):
    """What was called did not give what was asked for; the message says why."""

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file from elsewhere."""

    content: bytes
    content_type: str | None


def is_loopback(host: str | None) -> bool:
    """Whether the host is this machine by its name or number."""
    return host in ("localhost", "127.0.0.1", "::1")


async def fetch(url: str, *, max_bytes: int, private: bool) -> Fetched:
    """The file at a URL on the public internet; with `private`, one on this machine or network too.

    Raises:
        OutsideError: It cannot be had.
    """
    parts = split_web_address(url)
    if parts is None:
        raise OutsideError("invalid_url", "The URL should be a public HTTPS URL.")
    try:
        async with asyncio.timeout(SECONDS):
            address = await _address(parts, private=private)
            return await _fetched(parts, address, max_bytes)
    except TimeoutError:
        raise OutsideError("timeout", f"The file was not there within {SECONDS:g} seconds.") from None
    except (HTTPError, InvalidURL, OSError) as error:
        raise OutsideError("connection_failed", f"The file could not be fetched: {error}") from error


async def _address(parts: SplitResult, *, private: bool) -> str:
    """The number that the host's name stands for, checked; it is then called by that number."""
    loop = asyncio.get_running_loop()
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = await loop.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    numbers = [str(item[4][0]).partition("%")[0] for item in found]
    if not numbers:
        raise OutsideError("connection_failed", "The host has no address.")
    if not private and not all(ipaddress.ip_address(number).is_global for number in numbers):
        raise OutsideError(
            "private_address", "The URL leads to a private address, which is not fetched from."
        )
    return numbers[0]


async def _fetched(parts: SplitResult, address: str, max_bytes: int) -> Fetched:
    host = f"[{address}]" if ":" in address else address
    port = "" if parts.port is None else f":{parts.port}"
    url = parts._replace(netloc=f"{host}{port}", fragment="").geturl()
    named = parts.netloc.rpartition("@")[2]
    content = bytearray()
    async with (
        _client(parts.scheme) as http,
        http.stream(
            "GET", url, headers={"host": named}, extensions={"sni_hostname": parts.hostname or ""}
        ) as answer,
    ):
        if not answer.is_success:
            raise OutsideError("http_error", f"The host answered {answer.status_code}.", answer.status_code)
        async for chunk in answer.aiter_bytes():
            content += chunk
            if len(content) > max_bytes:
                raise OutsideError("file_too_large", f"The file has more than {max_bytes} bytes.")
        return Fetched(bytes(content), answer.headers.get("content-type"))


def _client(scheme: str) -> AsyncClient:
    # Certificates take long to load, and plain http needs none.
    verify = scheme == "https"
    return AsyncClient(verify=verify, trust_env=False, follow_redirects=False, timeout=SECONDS)


async def post(url: str, body: bytes, headers: dict[str, str]) -> int:
    """Send a body, and return the status of the answer.

    Raises:
        OutsideError: There was none.
    """
    try:
        async with asyncio.timeout(SECONDS), _client(urlsplit(url).scheme) as http:
            return (await http.post(url, content=body, headers=headers)).status_code
    except TimeoutError:
        raise OutsideError("timeout", f"no answer within {SECONDS:g} seconds") from None
    except (HTTPError, InvalidURL, OSError) as error:
        raise OutsideError("connection_failed", str(error) or type(error).__name__) from error
