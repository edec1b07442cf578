"""`python -m notion_embedded`: the same as the command `notion-embedded`."""

from notion_embedded.cli import run

if __name__ == "__main__":
    run()
