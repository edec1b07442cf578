"""Numbered migrations, each applied once and never edited after a release."""

from importlib import resources

from lakelight.errors import StorageNewer
from lakelight.storage.database import Database


def migrate(database: Database) -> int:
    """Bring `database` to the newest schema; return its version.

    Raises:
        StorageNewer: The file was written by a newer Lakelight.
    """
    scripts = _scripts()
    with database.durable() as connection:
        version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if version > len(scripts):
            raise StorageNewer(file=database.file.name, version=version, known=len(scripts))
        for number in range(version + 1, len(scripts) + 1):
            for statement in _statements(scripts[number - 1]):
                connection.exec_driver_sql(statement)
            connection.exec_driver_sql(f"PRAGMA user_version = {number}")
    return len(scripts)


def newest_schema() -> int:
    """The version of the schema that this Lakelight works with."""
    return len(_scripts())


def schema_of(database: Database) -> int:
    """The version of the schema in `database`, which is left as it is.

    Raises:
        StorageError: The file cannot be opened or written.
    """
    with database.transaction() as connection:
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def _scripts() -> list[str]:
    folder = resources.files("lakelight.storage") / "migrations"
    return [
        file.read_text(encoding="utf-8")
        for file in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if file.name.endswith(".sql")
    ]


def _statements(script: str) -> list[str]:
    # A statement ends with a semicolon at the end of a line, but for the lines of a
    # trigger, which are indented.
    statements: list[str] = []
    lines: list[str] = []
    for line in script.splitlines():
        if line.strip() and not line.startswith("--"):
            lines.append(line)
        if line.endswith(";") and not line.startswith(" "):
            statements.append("\n".join(lines))
            lines = []
    return statements
