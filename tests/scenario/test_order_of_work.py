"""In which order a ticket is worked on, as Notion sees it."""

from typing import Any


async def test_persona_mark_context_model_receipt_and_outcome_come_in_this_order(
    office: Any, model: Any
) -> None:
    office.environment |= model.settings()
    memory = await office.new_page(office.agents_page, "译典A05 记忆", "上次：先备份。")
    office.write_roster(译典A05={"memoryPageId": memory})
    page = await office.ticket()
    persona = office.personas["译典A05"]

    await office.work()

    of_the_ticket = [
        (method, path)
        for method, path in office.requests()
        if any(id_ in path for id_ in (page, persona, memory))
    ]
    order = [
        ("GET", f"/pages/{persona}/markdown"),
        ("PATCH", f"/pages/{page}"),
        ("GET", f"/pages/{page}/markdown"),
        ("GET", f"/pages/{memory}/markdown"),
        ("PATCH", f"/blocks/{page}/children"),
        ("PATCH", f"/pages/{page}"),
    ]
    assert [request for request in of_the_ticket if request in order] == order
    assert "上次：先备份。" in model.asked[0]["messages"][1]["content"]


async def test_while_a_ticket_is_worked_on_its_self_check_says_by_whom_and_since_when(
    office: Any, model: Any
) -> None:
    office.environment |= model.settings()
    model.answer = lambda: model.completion("")
    page = await office.ticket()

    await office.work()

    said = await office.value(page, "自检结果")
    assert said.startswith("⚡ 已接单 · 译典·配置开发 · 20")
    assert said.endswith("Z")
