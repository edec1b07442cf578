"""The guard's yes, as a thing that can be used once and for one operation only."""

from lakelight.errors import PermitError
from lakelight.operations import Operation


class Permit:
    """Made by the guard for the bytes of one operation; spent by the executor."""

    def __init__(self, operation: Operation, policy_hash: str) -> None:
        self.policy_hash = policy_hash
        self._payload_hash = operation.payload_hash
        self._operation_id = operation.id
        self._spent = False

    def spend(self, operation: Operation) -> None:
        """Use the permit up.

        Raises:
            PermitError: It is spent, or it was made for other bytes.
        """
        if self._spent:
            raise PermitError(operation=operation.id, why="spent")
        if (operation.id, operation.payload_hash) != (self._operation_id, self._payload_hash):
            raise PermitError(operation=operation.id, why="made for another operation")
        self._spent = True
