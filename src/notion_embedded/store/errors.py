"""What can keep a workspace file from being opened or used."""


class StoreError(Exception):
    """The workspace file cannot be used; the message says why and what to do."""


class WorkspaceInUse(StoreError):
    """Another server holds the file."""
