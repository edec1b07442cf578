"""The closed list of effects that a write can have, each with its level and risk.

The level is what an agent must hold; the risk decides whether a person is asked. The table
is the manual's page on kinds, and the only place where a kind is named.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Level(IntEnum):
    """What an agent, or the installation, is allowed at most."""

    READ_ONLY = 0
    STANDARD = 1
    ADVANCED = 2
    ADMIN = 3


class Risk(IntEnum):
    """How much a mistake costs."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    CRITICAL = 3


class Kind(StrEnum):
    """One effect on a workspace."""

    TICKET_MARK = "ticket.mark"
    PAGE_CREATE = "page.create"
    BLOCK_APPEND = "block.append"
    BLOCK_UPDATE = "block.update"
    PAGE_PROPERTIES_UPDATE = "page.properties.update"
    PAGE_META_UPDATE = "page.meta.update"
    COMMENT_CREATE = "comment.create"
    COMMENT_UPDATE = "comment.update"
    MARKDOWN_EDIT = "markdown.edit"
    PAGE_ARCHIVE = "page.archive"
    PAGE_RESTORE = "page.restore"
    PAGE_LOCK = "page.lock"
    PAGE_MOVE = "page.move"
    BLOCK_DELETE = "block.delete"
    BLOCK_RESTORE = "block.restore"
    MARKDOWN_REPLACE = "markdown.replace"
    COMMENT_DELETE = "comment.delete"
    DATABASE_CREATE = "database.create"
    DATABASE_UPDATE = "database.update"
    SCHEMA_EXTEND = "schema.extend"
    SCHEMA_ALTER = "schema.alter"
    DATABASE_ARCHIVE = "database.archive"
    DATABASE_MOVE = "database.move"
    PAGE_ERASE = "page.erase"

    @property
    def level(self) -> Level:
        """The level that this effect needs."""
        return _TABLE[self].level

    @property
    def risk(self) -> Risk:
        """How much a mistake with this effect costs."""
        return _TABLE[self].risk


@dataclass(frozen=True, slots=True)
class _Row:
    level: Level
    risk: Risk


_TABLE = {
    Kind.TICKET_MARK: _Row(Level.STANDARD, Risk.LOW),
    Kind.PAGE_CREATE: _Row(Level.STANDARD, Risk.LOW),
    Kind.BLOCK_APPEND: _Row(Level.STANDARD, Risk.LOW),
    Kind.PAGE_META_UPDATE: _Row(Level.STANDARD, Risk.LOW),
    Kind.BLOCK_UPDATE: _Row(Level.STANDARD, Risk.MEDIUM),
    Kind.PAGE_PROPERTIES_UPDATE: _Row(Level.STANDARD, Risk.MEDIUM),
    Kind.MARKDOWN_EDIT: _Row(Level.STANDARD, Risk.MEDIUM),
    Kind.COMMENT_CREATE: _Row(Level.STANDARD, Risk.MEDIUM),
    Kind.COMMENT_UPDATE: _Row(Level.STANDARD, Risk.MEDIUM),
    Kind.DATABASE_CREATE: _Row(Level.ADVANCED, Risk.MEDIUM),
    Kind.DATABASE_UPDATE: _Row(Level.ADVANCED, Risk.MEDIUM),
    Kind.SCHEMA_EXTEND: _Row(Level.ADVANCED, Risk.MEDIUM),
    Kind.PAGE_RESTORE: _Row(Level.ADVANCED, Risk.MEDIUM),
    Kind.BLOCK_RESTORE: _Row(Level.ADVANCED, Risk.MEDIUM),
    Kind.PAGE_LOCK: _Row(Level.ADVANCED, Risk.MEDIUM),
    Kind.PAGE_ARCHIVE: _Row(Level.ADVANCED, Risk.HIGH),
    Kind.PAGE_MOVE: _Row(Level.ADVANCED, Risk.HIGH),
    Kind.BLOCK_DELETE: _Row(Level.ADVANCED, Risk.HIGH),
    Kind.MARKDOWN_REPLACE: _Row(Level.ADVANCED, Risk.HIGH),
    Kind.COMMENT_DELETE: _Row(Level.ADVANCED, Risk.HIGH),
    Kind.SCHEMA_ALTER: _Row(Level.ADMIN, Risk.CRITICAL),
    Kind.DATABASE_ARCHIVE: _Row(Level.ADMIN, Risk.CRITICAL),
    Kind.DATABASE_MOVE: _Row(Level.ADMIN, Risk.CRITICAL),
    Kind.PAGE_ERASE: _Row(Level.ADMIN, Risk.CRITICAL),
}
