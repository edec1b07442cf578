"""Every form of link that Notion has used, and what is none."""

import pytest

from lakelight.notion import BadReference
from lakelight.notion.links import Reference, object_id, page_id_from, page_url, reference

DASHED = "393abc1e-edcd-8170-aebf-cf1d14057b30"
HEX = "393abc1eedcd8170aebfcf1d14057b30"
OTHER = "11111111222233334444555555555555"
BLOCK = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HEX, id="bare"),
        pytest.param(HEX.upper(), id="upper case"),
        pytest.param(f"  {DASHED}\n", id="dashed, with space around"),
        pytest.param(f"https://www.notion.so/team/Plan-{HEX}", id="slug"),
        pytest.param(f"https://www.notion.so/team/Cafe-deadbeef-{HEX}", id="slug that ends in hex"),
        pytest.param(f"https://www.notion.so/{HEX}?v={OTHER}", id="database with a view"),
        pytest.param(f"https://notion.so/{DASHED}", id="dashed in the path"),
        pytest.param(f"https://www.notion.so/team/Plan-{DASHED}", id="slug and dashes"),
        pytest.param(f"https://app.notion.com/p/{HEX}", id="app.notion.com"),
        pytest.param(f"https://app.notion.com/p/Plan-{HEX}?pvs=4", id="app.notion.com with a slug"),
        pytest.param(f"https://lab.notion.site/{HEX}", id="public site"),
        pytest.param(f"notion://www.notion.so/team/{HEX}", id="the desktop app's scheme"),
        pytest.param(f"www.notion.so/team/Plan-{HEX}", id="without a scheme"),
        pytest.param(f"<https://www.notion.so/{HEX}>", id="in angle brackets"),
        pytest.param(f"https://www.notion.so/team/%E8%AF%BE%E9%A2%98-{HEX}", id="Chinese slug"),
        pytest.param(f"https://www.notion.so/team/calendar?p={HEX}&v={OTHER}&pm=s", id="peeked page"),
        pytest.param(f"https://www.notion.so/{HEX}?p={OTHER}", id="the path comes first"),
        pytest.param(f"https://www.notion.so/team/{HEX}/", id="last slash"),
    ],
)
def test_a_page_is_found_in_every_form(text: str) -> None:
    assert page_id_from(text) == DASHED


def test_a_block_is_found_in_the_fragment() -> None:
    found = reference(f"https://www.notion.so/Plan-{HEX}#{BLOCK.replace('-', '')}")

    assert found == Reference(DASHED, BLOCK)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "任务库",
        "https://www.notion.so/team",
        f"https://www.notion.so/team?v={HEX}",
        f"https://evil.example/{HEX}",
        f"https://notion.so.evil.example/{HEX}",
        f"https://notion.so@evil.example/{HEX}",
        f"javascript://www.notion.so/{HEX}",
        HEX[:-1],
        HEX + "0",
        "393abc1e-edcd8170-aebf-cf1d14057b30",
        "http://[notion.so/",
        "https://www.notion.so/your-database-id",
    ],
)
def test_what_names_nothing_in_notion_is_refused(text: str) -> None:
    with pytest.raises(BadReference) as caught:
        reference(text)

    assert caught.value.text == text


def test_an_id_has_one_spelling() -> None:
    assert object_id(HEX.upper()) == DASHED


def test_the_link_of_a_page_leads_back_to_it() -> None:
    assert page_url(HEX) == f"https://app.notion.com/p/{HEX}"
    assert page_id_from(page_url(DASHED)) == DASHED
