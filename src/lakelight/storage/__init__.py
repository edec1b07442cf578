"""Our own database: one SQLite file a workspace, transactions, numbered migrations."""

from lakelight.storage.database import Connection, Database, once_committed
from lakelight.storage.migrate import migrate, newest_schema, schema_of

__all__ = ["Connection", "Database", "migrate", "newest_schema", "once_committed", "schema_of"]
