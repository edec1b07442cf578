"""The tree of Lakelight's own errors.

Every error carries a stable `code`: surfaces print it, tests assert it, and
`lakelight.messages` holds the sentence (cause, next step) that people read for it in
Chinese and English. `facts` are the values that the sentence names; never a secret.

    LakelightError
      ConfigurationError            lakelight.toml, agents.json, policy.toml, environment
      NotionError                   (lakelight.notion.errors: refused, unreachable, limited)
      ModelError                    (lakelight.llm.errors: unreachable, refused, unusable answer)
      StorageError                  our own database: damaged, locked, full, of a newer version
      TrailError                    the audit trail could not be written
      PermitError                   a permit is spent or was made for other bytes
"""

from typing import ClassVar


class LakelightError(Exception):
    """Base of all of ours."""

    code: ClassVar[str] = "lakelight.error"

    def __init__(self, message: str = "", /, **facts: object) -> None:
        super().__init__(message or ", ".join(f"{name}={value!r}" for name, value in facts.items()))
        self.facts = facts

    @property
    def message_key(self) -> str:
        """The key of this error's sentence in the message catalogue; `code` unless a subclass narrows it."""
        return self.code


class ConfigurationError(LakelightError):
    """A setting, the roster or the policy cannot be used as it stands."""

    code = "config.invalid"

    def __init__(self, key: str, message: str = "", /, **facts: object) -> None:
        super().__init__(message, **facts)
        self._key = key

    @property
    def message_key(self) -> str:
        """`config.<what>`: which setting is wrong and how."""
        return self._key


class StorageError(LakelightError):
    """Our own database could not be read or written."""

    code = "storage.failed"


class StorageFull(StorageError):
    """No room for another row; what was there is whole."""

    code = "storage.full"


class StorageNewer(StorageError):
    """The file was written by a newer Lakelight; this one leaves it alone."""

    code = "storage.newer"


class TrailError(LakelightError):
    """The audit trail could not be written; before a write that means no write."""

    code = "trail.unavailable"


class PermitError(LakelightError):
    """A permit is spent or was made for other bytes."""

    code = "permit.invalid"
