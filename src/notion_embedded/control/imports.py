"""Files that an upload names by URL: fetched after the request, once, and kept or failed."""

import asyncio
from dataclasses import replace

from notion_embedded.control.outside import Fetched, OutsideError, fetch
from notion_embedded.http.file_uploads import imported, is_type
from notion_embedded.model.checks import Json
from notion_embedded.model.dates import milliseconds
from notion_embedded.store import files, settings
from notion_embedded.store.files import Upload
from notion_embedded.store.workspace import Workspace


class Importer:
    """Fetches files from elsewhere, from private addresses only where that was allowed."""

    def __init__(self, workspace: Workspace, *, private: bool) -> None:
        self._workspace = workspace
        self._private = private

    async def fetch_next(self) -> bool:
        """Fetch one file that waits; whether there was one. A crash before the end lets it wait again."""
        upload, limit = await asyncio.to_thread(self._next)
        if upload is None:
            return False
        try:
            found = await fetch(upload.external_url or "", max_bytes=limit, private=self._private)
            await asyncio.to_thread(self._keep, upload, found)
        except OutsideError as error:
            await asyncio.to_thread(self._fail, upload, error)
        except Exception as error:  # noqa: BLE001  whatever it is, the files behind this one must not wait for it
            why = f"The file could not be fetched: {error}"
            await asyncio.to_thread(self._fail, upload, OutsideError("connection_failed", why))
        return True

    def _next(self) -> tuple[Upload | None, int]:
        with self._workspace.reading() as connection:
            return files.next_import(connection), settings.max_file_bytes(connection)

    def _keep(self, upload: Upload, found: Fetched) -> None:
        now = milliseconds(self._workspace.now())
        told = (found.content_type or "").partition(";")[0].strip()
        content_type = upload.content_type or (told if is_type(told) else "application/octet-stream")
        with self._workspace.writing() as connection:
            files.put_part(connection, upload.id, 1, found.content)
            done = replace(
                upload,
                status="uploaded",
                content_length=len(found.content),
                content_type=content_type,
                edited_time=now,
                import_result=imported(now),
            )
            files.save(connection, done)

    def _fail(self, upload: Upload, error: OutsideError) -> None:
        now = milliseconds(self._workspace.now())
        told: Json = {
            "type": "validation_error"
            if error.code in ("invalid_url", "private_address")
            else "download_error",
            "code": error.code,
            "message": str(error),
            "parameter": "external_url",
            "status_code": error.status,
        }
        with self._workspace.writing() as connection:
            files.save(
                connection,
                replace(upload, status="failed", edited_time=now, import_result=imported(now, told)),
            )
