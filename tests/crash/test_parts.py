"""A receipt too long for one request, killed between its parts."""

from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# Some of it twice, so that a line alone does not tell which part it belongs to.
ANSWER = "\n".join(
    ["核对结果："] + [f"- 第 {n // 2} 项：端口、超时与重试次数和文档一致。" for n in range(230)]
)


@pytest.fixture
def model(models: Any) -> str:
    return str(models(lambda _asked: {"content": ANSWER}))


@pytest.mark.parametrize("fate", ["kill_before", "kill_after"])
def test_a_kill_at_any_part_of_a_long_receipt_leaves_it_whole(stage: Any, model: str, fate: str) -> None:
    # The name tells a size that is trusted with tools.
    stage.settings |= {"LAKELIGHT_MODEL__BASE_URL": model, "LAKELIGHT_MODEL__NAME": "qwen-72b"}
    stage.open_ledger()

    # Write 1 is the pick-up; then come the three parts.
    for number in (2, 3, 4):
        page = stage.add_ticket()
        assert stage.up(stage.at_write(number, fate)).killed
        assert stage.proxy.counted[-1].path == f"/v1/blocks/{page}/children"
        stage.until_done(page)
        stage.check_done(page)

    assert stage.query("SELECT count(*) FROM intents WHERE operation LIKE '%block.append%'") == [(9,)]
    stage.check_sends()
    stage.check_trail()
