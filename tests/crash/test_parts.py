"""A receipt too long for one request, killed between its parts."""

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# Some of it twice, so that a line alone does not tell which part it belongs to.
ANSWER = "\n".join(
    ["核对结果："] + [f"- 第 {n // 2} 项：端口、超时与重试次数和文档一致。" for n in range(230)]
)


class _Model(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        message = {"role": "assistant", "content": ANSWER}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "qwen-plus",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 900, "total_tokens": 910},
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def model() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def at_write(number: int, fate: str) -> Callable[[Any], str]:
    writes = itertools.count(1)
    return lambda request: fate if request.writes and next(writes) == number else "pass"


@pytest.mark.parametrize("fate", ["kill_before", "kill_after"])
def test_a_kill_at_any_part_of_a_long_receipt_leaves_it_whole(stage: Any, model: str, fate: str) -> None:
    # The name tells a size that is trusted with tools.
    stage.settings |= {"LAKELIGHT_MODEL__BASE_URL": model, "LAKELIGHT_MODEL__NAME": "qwen-72b"}
    stage.open_ledger()

    # Write 1 is the pick-up; then come the three parts.
    for number in (2, 3, 4):
        page = stage.add_ticket()
        assert stage.up(at_write(number, fate)).killed
        assert stage.proxy.counted[-1].path == f"/v1/blocks/{page}/children"
        stage.until_done(page)
        stage.check_done(page)

    assert stage.query("SELECT count(*) FROM intents WHERE operation LIKE '%block.append%'") == [(9,)]
    stage.check_sends()
    stage.check_trail()
