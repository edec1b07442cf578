"""Sending events to subscribers: signed, tried again, and as badly as a subscription's knobs ask for."""

import asyncio
import hashlib
import hmac
import json
from itertools import groupby
from typing import Any

from notion_embedded.control.outside import OutsideError, post
from notion_embedded.http.call import NEWEST
from notion_embedded.model.dates import milliseconds, stamp
from notion_embedded.store import tokens, webhooks
from notion_embedded.store.webhooks import BACKOFF, MAX_ATTEMPTS, Event, Webhook
from notion_embedded.store.workspace import Workspace

API_VERSIONS = ("2025-09-03", NEWEST)
SIGNATURE = "x-notion-signature"

EVENTS = (
    "page.created", "page.content_updated", "page.properties_updated", "page.moved", "page.deleted",
    "page.undeleted", "page.locked", "page.unlocked",
    "database.created", "database.moved", "database.deleted", "database.undeleted",
    "data_source.created", "data_source.content_updated", "data_source.schema_updated", "data_source.moved",
    "data_source.deleted", "data_source.undeleted",
    "comment.created", "comment.updated", "comment.deleted",
    "file_upload.created", "file_upload.completed", "file_upload.expired", "file_upload.upload_failed",
)  # fmt: skip


def sign(verification_token: str, body: bytes) -> str:
    """The signature of a delivery."""
    return "sha256=" + hmac.new(verification_token.encode(), body, hashlib.sha256).hexdigest()


async def shake_hands(webhook: Webhook) -> str:
    """Send the verification token; what came of it, in words."""
    body = json.dumps({"verification_token": webhook.verification_token}).encode()
    try:
        return f"answered {await _send(webhook, body)}"
    except OutsideError as error:
        return f"not answered: {error}"


class Sender:
    """Delivers what is due."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def deliver(self) -> bool:
        """Send everything that is due now; whether there was anything."""
        due, by_id = await asyncio.to_thread(self._due)
        if not due:
            return False
        of_each = groupby(sorted(due, key=lambda event: event.webhook), key=lambda event: event.webhook)
        await asyncio.gather(
            *(self._to_one(by_id[webhook_id], list(events)) for webhook_id, events in of_each)
        )
        return True

    def _due(self) -> tuple[list[Event], dict[str, Webhook]]:
        with self._workspace.reading() as connection:
            due = webhooks.due(connection, milliseconds(self._workspace.now()))
            return due, {webhook.id: webhook for webhook in webhooks.all_webhooks(connection)} if due else {}

    async def _to_one(self, webhook: Webhook, events: list[Event]) -> None:
        if webhook.knobs.reorder:
            events.reverse()
        for event in events:
            body = await asyncio.to_thread(self._body, webhook, event)
            outcome, delivered = await _tried(webhook, body)
            await asyncio.to_thread(self._record, webhook, event, outcome, delivered)

    def _record(self, webhook: Webhook, event: Event, outcome: str, delivered: bool) -> None:
        again = None
        if not delivered and event.attempt + 1 < MAX_ATTEMPTS:
            wait = BACKOFF[event.attempt] * webhook.knobs.backoff_scale
            again = milliseconds(self._workspace.now()) + round(wait * 1000)
        with self._workspace.writing() as connection:
            webhooks.record(connection, event, outcome, again)

    def _body(self, webhook: Webhook, event: Event) -> bytes:
        with self._workspace.reading() as connection:
            held = next((token for token, _ in tokens.all_tokens(connection) if token.id == webhook.token_id))
        payload: dict[str, Any] = {
            "id": event.id,
            "timestamp": stamp(event.moment),
            "workspace_id": self._workspace.workspace_id,
            "workspace_name": self._workspace.name,
            "subscription_id": webhook.id,
            "integration_id": held.user.id,
            "authors": event.authors,
            "attempt_number": event.attempt + 1,
            "api_version": webhook.api_version,
            "entity": {"id": event.entity, "type": event.entity_type},
            "type": event.type,
        }
        if event.data:
            payload["data"] = event.data
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


async def _tried(webhook: Webhook, body: bytes) -> tuple[str, bool]:
    try:
        status = await _send(webhook, body)
        for _ in range(webhook.knobs.duplicates):
            await _send(webhook, body)
    except OutsideError as error:
        return f"not answered: {error}", False
    return f"answered {status}", 200 <= status < 300  # noqa: PLR2004  HTTP's own range for success


async def _send(webhook: Webhook, body: bytes) -> int:
    headers = {
        "content-type": "application/json",
        "user-agent": "notion-api",
        SIGNATURE: sign(webhook.verification_token, body),
    }
    return await post(webhook.url, body, headers)
