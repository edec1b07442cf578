"""A ticket that a model works on, killed around its writes: each is there once, and so is the receipt."""

import json
import re
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

TITLE = re.compile(r"标题: (.+)")


def plan(asked: Any) -> dict[str, Any]:
    """Read, append, then say so: one call a round."""
    made = sum(message["role"] == "tool" for message in asked["messages"])
    title = TITLE.findall(asked["messages"][1]["content"])[0]
    plans = (
        ("fetch_page_markdown", {"page": "Journal"}),
        ("append_content", {"page": "Journal", "markdown": f"checked for {title}"}),
    )
    if made == len(plans):
        return {"content": "核对过了。"}
    name, arguments = plans[made]
    call = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"content": "", "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}


@pytest.fixture
def model(models: Any) -> str:
    return str(models(plan))


def test_a_kill_around_a_write_of_a_model_leaves_one_write_and_one_receipt(stage: Any, model: str) -> None:
    # The name tells a size that is trusted with tools.
    stage.settings |= {"LAKELIGHT_MODEL__BASE_URL": model, "LAKELIGHT_MODEL__NAME": "qwen-72b"}
    policy = f'version = 1\n[agents."译典A05"]\npages = ["{stage.workspace.root}"]\n'
    (stage.home / "policy.toml").write_text(policy)
    journal = stage.workspace.add_page("Journal", ["first"])
    stage.open_ledger()

    # Write 1 is the pick-up, 2 the model's, 3 the receipt.
    kills = {"甲": (2, "kill_before"), "乙": (2, "kill_after"), "丙": (3, "kill_after")}
    for title, (number, fate) in kills.items():
        page = stage.add_ticket(title)
        assert stage.up(stage.at_write(number, fate)).killed
        stage.until_done(page)
        stage.check_done(page)

    blocks = stage.workspace.rows("GET", f"/blocks/{journal}/children")
    texts = [block[block["type"]]["rich_text"][0]["plain_text"] for block in blocks]
    assert texts == ["first", *(f"checked for {title}" for title in kills)]
    assert stage.kills == 3
    stage.check_sends(exact=False)
    stage.check_trail()
