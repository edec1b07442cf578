"""How a run tells those who watch what it is doing. Nothing depends on who listens."""

from typing import Protocol


class Progress(Protocol):
    """Hears events such as `ticket.picked_up`, with facts; a page's words are never among them."""

    def tell(self, event: str, **facts: object) -> None:
        """Something happened."""
        ...


class Silent:
    """Listens to nothing."""

    def tell(self, event: str, **facts: object) -> None:
        """Let it pass."""
