"""Which texts pass for an answer, and which do not."""

import pytest

from lakelight.llm.quality import Fault, answer_in, fault_of

CHINESE = "接口文档已经整理完毕,共三处改动:登录、查询和导出。请先合并分支,再通知录册。"
ENGLISH = "The export now writes UTF-8 with a byte order mark, so that Excel opens it as intended."
CODE = "```python\n" + "\n".join(f"    table[{n}] = 0x{n * 7919:08x}" for n in range(60)) + "\n```"
TABLE = "| 编号 | 状态 | 说明 |\n|---|---|---|\n" + "\n".join(
    f"| T-{n} | 待开发 | 第{n}项 |" for n in range(40)
)
FULL_WIDTH = "“你好”——《接口》(第1版):¥100!"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("好。", id="short Chinese"),
        pytest.param("是", id="one character"),
        pytest.param("OK", id="short English"),
        pytest.param("42", id="a number"),
        pytest.param("✅", id="a tick"),
        pytest.param("👍", id="an emoji"),
        pytest.param(CHINESE, id="Chinese"),
        pytest.param(ENGLISH, id="English"),
        pytest.param("Déjà vu : l'été, où êtes-vous ? Ça va très bien, là-bas à Besançon.", id="French"),
        pytest.param("Привет, как дела? Отчёт готов, можно смотреть.", id="Russian"),
        pytest.param(FULL_WIDTH, id="Chinese punctuation"),
        pytest.param("联通", id="reads as UTF-8 by accident"),
        pytest.param(CODE, id="code with much repetition"),
        pytest.param(TABLE, id="a table"),
        pytest.param("结果:\n" + "-" * 60 + "\n合计 3 项", id="a rule between lines"),
        pytest.param("哈哈哈哈,好的", id="laughter"),
        pytest.param(
            "One character is lost: \ufffd, the rest of this sentence is whole.", id="one lost character"
        ),
        pytest.param("```html\n<html><body>你好</body></html>\n```", id="HTML as code"),
        pytest.param("<think>先看工单。</think>\n\n已完成。", id="reasoning, then an answer"),
        pytest.param("写提示词时,`<think>` 标签要放在最前面。", id="an answer about the tag"),
    ],
)
def test_an_answer_passes(text: str) -> None:
    assert fault_of(text, "stop") is None
    assert fault_of(text, None) is None


@pytest.mark.parametrize(
    ("text", "finish", "fault"),
    [
        pytest.param("", "stop", "empty", id="nothing"),
        pytest.param(" \n\t　", "stop", "empty", id="white space"),
        pytest.param("\u200b\ufeff", "stop", "empty", id="invisible characters"),
        pytest.param("……。!?", "stop", "empty", id="Chinese punctuation"),
        pytest.param("```\n---\n```", "stop", "empty", id="empty code"),
        pytest.param(
            "<think>用户想要接口文档,我先想想。</think>\n\n", "stop", "reasoning_only", id="reasoning"
        ),
        pytest.param(
            "<think>Let me see what is asked", "stop", "reasoning_only", id="reasoning without an end"
        ),
        pytest.param("Let me see.\n</think>\n", "stop", "reasoning_only", id="reasoning without a beginning"),
        pytest.param("<think>Let me see what", "length", "cut_off", id="cut off while reasoning"),
        pytest.param(CHINESE, "length", "cut_off", id="cut off Chinese"),
        pytest.param(ENGLISH, "length", "cut_off", id="cut off English"),
        pytest.param("", "length", "cut_off", id="cut off before the first word"),
        pytest.param("根据", "content_filter", "filtered", id="filtered"),
        pytest.param("<!DOCTYPE html><html><h1>502</h1></html>", "stop", "html", id="HTML"),
        pytest.param(
            '\n<html lang="zh"><title>网关超时</title></html>', "stop", "html", id="HTML without doctype"
        ),
        pytest.param("接口\ufffd\ufffd文档\ufffd\ufffd已完成", "stop", "garbled", id="lost characters"),
        pytest.param("\x01\x02ok\x03\x1b", "stop", "garbled", id="control characters"),
        pytest.param("\ue000\ue001\ue002答复", "stop", "garbled", id="private characters"),
        pytest.param(CHINESE.encode().decode("latin-1"), "stop", "garbled", id="UTF-8 read as Latin"),
        pytest.param(
            "文档,好的。".encode().decode("latin-1"), "stop", "garbled", id="a little UTF-8 read as Latin"
        ),
        pytest.param("接口文档".encode().decode("gbk"), "stop", "garbled", id="UTF-8 read as GBK"),
        pytest.param("结果:锟斤拷锟斤拷", "stop", "garbled", id="read wrongly twice"),
        pytest.param("好的" * 50, "stop", "repeating", id="one Chinese word"),
        pytest.param("the the " * 40, "stop", "repeating", id="one English word"),
        pytest.param("I am sorry, I can't. " * 20, "stop", "repeating", id="one sentence"),
        pytest.param("好,开始。" + "测试" * 200, "stop", "repeating", id="a beginning, then one word"),
        pytest.param("<think>嗯</think>" + "0" * 500, "stop", "repeating", id="one digit after reasoning"),
    ],
)
def test_what_is_no_answer_is_named(text: str, finish: str, fault: Fault) -> None:
    assert fault_of(text, finish) == fault


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("<think>a</think>\n\nb", "b", id="one"),
        pytest.param("<think>\n\n</think>\n\nb", "b", id="empty"),
        pytest.param("<THINKING>a</THINKING>b", "b", id="another word"),
        pytest.param("<think>a</think><think>b</think>c", "c", id="two"),
        pytest.param("先想想\n再说\n</think>\n\n答案", "答案", id="only its end"),
        pytest.param("a <think>b</think> c", "a <think>b</think> c", id="within the answer"),
        pytest.param(
            "Close it with `</think>`, then go on.", "Close it with `</think>`, then go on.", id="mentioned"
        ),
        pytest.param("<think>a", "", id="no end"),
        pytest.param("  b \n", "b", id="none"),
    ],
)
def test_reasoning_before_the_answer_is_taken_off(text: str, answer: str) -> None:
    assert answer_in(text) == answer
