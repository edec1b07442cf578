"""Tables written in HTML, as Notion's own Markdown has them."""

from dataclasses import dataclass
from html.parser import HTMLParser


@dataclass(frozen=True, slots=True)
class Rows:
    """The text of a table, cell by cell."""

    cells: list[list[str]]
    header: bool


def rows_of(text: str) -> Rows:
    """The rows of the table in `text`, however its tags are spread over lines."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    cells = [[cell.strip() for cell in row] for row in reader.rows if row]
    return Rows(cells, reader.header)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.header = False
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        match tag:
            case "table":
                self.header = self.header or dict(attrs).get("header-row") == "true"
            case "tr":
                self.rows.append([])
                self._inside = False
            case "td" | "th":
                self.header = self.header or (tag == "th" and len(self.rows) <= 1)
                self.rows = self.rows or [[]]
                self.rows[-1].append("")
                self._inside = True
            case "br":
                self.handle_data("\n")
            case _:
                return

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th", "tr", "table"}:
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.rows[-1][-1] += data
