"""The link on a card: of an embedded workspace it leads to that workspace's own view."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

from lakelight.console.card import card_of
from lakelight.console.visitor import Visitor
from lakelight.messages import Messages
from lakelight.notion.viewing import view_url

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_a_card_leads_to_where_its_page_can_be_seen(house: Any) -> None:
    house.park(house.archive())
    notion = Visitor(messages=Messages("en"), now=NOON)
    embedded = Visitor(
        messages=Messages("en"), now=NOON, link=partial(view_url, base_url="http://127.0.0.1:8123")
    )

    there, here = card_of(house.get(1), notion), card_of(house.get(1), embedded)

    assert there.url == there.notion_url == here.notion_url
    assert there.url.startswith("https://app.notion.com/p/Roadmap-")
    assert here.url == "http://127.0.0.1:8123/view/11111111222243338444555555555555"
