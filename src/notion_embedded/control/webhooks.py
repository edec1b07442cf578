"""Sending events to subscribers: signed, tried again, and as badly as a subscription's knobs ask for."""

import asyncio
import hashlib
import hmac
import json
import sys
import traceback
from typing import Any

from notion_embedded.control.outside import OutsideError, post
from notion_embedded.http.call import NEWEST
from notion_embedded.model.dates import milliseconds, stamp
from notion_embedded.store import tokens, webhooks
from notion_embedded.store.webhooks import BACKOFF, MAX_ATTEMPTS, Event, Webhook
from notion_embedded.store.workspace import Workspace

API_VERSIONS = ("2025-09-03", NEWEST)
SIGNATURE = "x-notion-signature"
PATIENCE = 1.0
"""Seconds that whoever makes a subscription waits for its subscriber."""

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


class Handshakes:
    """Sends verification tokens; a subscriber that takes its time is not waited for long."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[str]] = set()

    async def offer(self, webhook: Webhook) -> str:
        """Send the verification token; what came of it so far, in words."""
        task = asyncio.create_task(_shake_hands(webhook))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        return task.result() if done else "not answered yet"


async def _shake_hands(webhook: Webhook) -> str:
    body = json.dumps({"verification_token": webhook.verification_token}).encode()
    try:
        return f"answered {await _send(webhook, body)}"
    except OutsideError as error:
        return f"not answered: {error}"
    except Exception as error:  # noqa: BLE001  the subscription stands, whatever became of its first message
        return f"not sent: {error}"


class Sender:
    """Delivers what is due: to each subscription by itself, so that a slow one delays no other."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._under_way: dict[str, asyncio.Task[None]] = {}

    async def deliver(self) -> bool:
        """Begin to send what is due now; whether anything waits for its time."""
        due, waiting = await asyncio.to_thread(self._look)
        for webhook_id in due:
            if webhook_id not in self._under_way:
                self._under_way[webhook_id] = asyncio.create_task(self._to_one(webhook_id))
        return waiting

    async def stop(self) -> None:
        """Break off what is under way; it is sent again after the next start."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _look(self) -> tuple[list[str], bool]:
        with self._workspace.reading() as connection:
            due = webhooks.with_due(connection, milliseconds(self._workspace.now()))
            return due, webhooks.any_waiting(connection)

    async def _to_one(self, webhook_id: str) -> None:
        try:
            while (found := await asyncio.to_thread(self._due, webhook_id)) is not None:
                webhook, events = found
                for event in reversed(events) if webhook.knobs.reorder else events:
                    outcome, delivered = await self._tried(webhook, event)
                    await asyncio.to_thread(self._record, webhook, event, outcome, delivered)
        except Exception as error:  # noqa: BLE001  the file could not be read or written; it is tried again soon
            sys.stderr.write("".join(traceback.format_exception(error)))
        else:
            # What came due while the last look was under way is looked for at once.
            self._workspace.bell.ring()
        finally:
            del self._under_way[webhook_id]

    def _due(self, webhook_id: str) -> tuple[Webhook, list[Event]] | None:
        with self._workspace.reading() as connection:
            webhook = webhooks.find(connection, webhook_id)
            events = webhooks.due(connection, webhook_id, milliseconds(self._workspace.now()))
            return None if webhook is None or not events else (webhook, events)

    async def _tried(self, webhook: Webhook, event: Event) -> tuple[str, bool]:
        try:
            body = await asyncio.to_thread(self._body, webhook, event)
            status = await _send(webhook, body)
            for _ in range(webhook.knobs.duplicates):
                await _send(webhook, body)
        except OutsideError as error:
            return f"not answered: {error}", False
        except Exception as error:  # noqa: BLE001  whatever it is, it was one attempt, and the next is later
            return f"not sent: {error}", False
        return f"answered {status}", 200 <= status < 300  # noqa: PLR2004  HTTP's own range for success

    def _record(self, webhook: Webhook, event: Event, outcome: str, delivered: bool) -> None:
        again = None
        if not delivered and event.attempt + 1 < MAX_ATTEMPTS:
            wait = BACKOFF[event.attempt] * webhook.knobs.backoff_scale
            again = milliseconds(self._workspace.now()) + round(wait * 1000)
        with self._workspace.writing() as connection:
            webhooks.record(connection, event, outcome, again)

    def _body(self, webhook: Webhook, event: Event) -> bytes:
        with self._workspace.reading() as connection:
            held = {token.id: token for token, _ in tokens.all_tokens(connection)}[webhook.token_id]
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


async def _send(webhook: Webhook, body: bytes) -> int:
    headers = {
        "content-type": "application/json",
        "user-agent": "notion-api",
        SIGNATURE: sign(webhook.verification_token, body),
    }
    return await post(webhook.url, body, headers)
