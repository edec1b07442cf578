"""What the offline planner makes of requests in both languages, and what it must not make of them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lakelight.agent.planners.offline import (
    IndexedColumn,
    IndexedPage,
    IndexedSource,
    OfflinePlanner,
    WorkspaceIndex,
    understands,
)
from lakelight.agent.planners.offline.lookup import Lookup
from lakelight.agent.planners.offline.planner import plan_turn
from lakelight.agent.planning import AskUser, Call, CallTools, Finish, NeedsModel, Plan, Step, Turn
from lakelight.messages import Language, Messages, languages
from lakelight.tools import ToolSpec

TOOLS = (
    "search_workspace",
    "fetch_page_markdown",
    "query_database",
    "get_database_schema",
    "append_content",
    "update_page_property",
    "create_page",
    "archive_page",
    "ask_user",
)
TITLES = (
    "接口文档草稿",
    "部署手册",
    "Docker notes",
    "Unfiled notes",
    "项目计划",
    "Research and Development",
    "Weekly plan",
    "Weekly plan",
    "📌 Pinned: C++/CLI (draft)",
)
TICKETS = ("整理接口文档", "核对部署手册")
BOOKS = ("Clean Code", "Deep Work")

TICKET_COLUMNS = {
    "任务标题": IndexedColumn(type="title"),
    "负责Agent": IndexedColumn(type="select", options=("译典A05", "培园A04", "录册A02")),
    "状态": IndexedColumn(type="status", options=("待开发", "进行中", "待确认", "已完成")),
    "优先级": IndexedColumn(type="select", options=("高", "中", "低")),
    "约束": IndexedColumn(type="rich_text"),
    "创建时间": IndexedColumn(type="created_time"),
}
BOOK_COLUMNS = {
    "Name": IndexedColumn(type="title"),
    "Status": IndexedColumn(type="status", options=("To do", "In progress", "Done")),
    "Tags": IndexedColumn(type="multi_select", options=("docker", "python")),
    "Area": IndexedColumn(type="select", options=("Infra", "People")),
    "Rating": IndexedColumn(type="number"),
    "Finished": IndexedColumn(type="checkbox"),
    "Due": IndexedColumn(type="date"),
    "Note": IndexedColumn(type="rich_text"),
}


def id_of(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def the_index(more: int = 0) -> WorkspaceIndex:
    tickets, books = id_of(900), id_of(901)
    pages = [IndexedPage(id=id_of(at), title=title) for at, title in enumerate(TITLES, 1)]
    pages += [
        IndexedPage(id=id_of(at), title=title, source=tickets, number=f"T-{at - 88}")
        for at, title in enumerate(TICKETS, 100)
    ]
    pages += [IndexedPage(id=id_of(at), title=title, source=books) for at, title in enumerate(BOOKS, 200)]
    pages += [IndexedPage(id=id_of(at), title=f"Filler page {at} 填充") for at in range(2000, 2000 + more)]
    sources = (
        IndexedSource(id=tickets, title="半体工单", database=id_of(990), columns=TICKET_COLUMNS),
        IndexedSource(id=books, title="Reading list", columns=BOOK_COLUMNS),
    )
    return WorkspaceIndex(pages=tuple(pages), sources=sources)


INDEX = the_index()
LOOKUP = Lookup(INDEX)
NAMES = {page.id: page.title for page in INDEX.pages} | {source.id: source.title for source in INDEX.sources}


def told(plan: Plan) -> str:
    """A plan on one line, with titles for ids."""
    match plan:
        case CallTools(calls=calls):
            return " | ".join(f"{call.tool} {_arguments(call.arguments)}" for call in calls)
        case AskUser(question=question):
            near = ", ".join(candidate.title for candidate in question.candidates)
            return f"{question.key}: {near}" if near else question.key
        case NeedsModel(why=why):
            return f"needs_model.{why}"
        case Finish():
            return "finish"


def _arguments(arguments: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={_value(value)}" for name, value in arguments.items())


def _value(value: Any) -> str:
    match value:
        case str():
            return f"<{NAMES.get(value, value)}>"
        case {"column": column, "op": op, **rest}:
            return f"{column} {op} {_value(rest['value'])}" if rest else f"{column} {op}"
        case {"column": column, "direction": direction}:
            return f"{column} {direction}"
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return f"{{{', '.join(f'{name}={_value(inner)}' for name, inner in value.items())}}}"
        case _:
            return repr(value)


def a_turn(request: str, **more: Any) -> Turn:
    return Turn(request=request, language="en", **more)


def after(turn: Turn, plan: Plan, *data: Mapping[str, Any]) -> Turn:
    """The turn after what `plan` called went well and brought `data`."""
    assert isinstance(plan, CallTools)
    reads = {"search_workspace", "fetch_page_markdown", "query_database", "get_database_schema"}
    steps = [
        Step(call=call, outcome="found" if call.tool in reads else "written", text="", data=brought)
        for call, brought in zip(plan.calls, data or [{}] * len(plan.calls), strict=True)
    ]
    return replace(turn, steps=(*turn.steps, *steps), memo=json.loads(json.dumps(plan.memo)))


def plan(turn: Turn) -> Plan:
    return plan_turn(turn, LOOKUP, TOOLS)


READS = (
    ("list the entries of reading", "query_database database=<Reading list>"),
    ("search for docker cheat sheets", "search_workspace query=<docker cheat sheets>"),
    ("搜索 Docker 相关的笔记。", "search_workspace query=<Docker>"),
    ("有没有关于部署的笔记？", "search_workspace query=<部署>"),
    ("find pages about hiring", "search_workspace query=<hiring>"),
    ("where is the deployment guide?", "search_workspace query=<the deployment guide>"),
    ("search for how to archive pages", "search_workspace query=<how to archive pages>"),
    ("read Docker notes", "fetch_page_markdown page=<Docker notes>"),
    ("Could you please read Docker notes for me?", "fetch_page_markdown page=<Docker notes>"),
    ("读取项目计划页面 Markdown。", "fetch_page_markdown page=<项目计划>"),
    ("部署手册里写了什么？", "fetch_page_markdown page=<部署手册>"),
    ("what does Docker notes say?", "fetch_page_markdown page=<Docker notes>"),
    ('read "📌 Pinned: C++/CLI (draft)"', "fetch_page_markdown page=<📌 Pinned: C++/CLI (draft)>"),
    ("read Pinned: C++/CLI (draft)", "fetch_page_markdown page=<📌 Pinned: C++/CLI (draft)>"),
    (
        "read https://www.notion.so/Somewhere-1234567890abcdef1234567890abcdef",
        "fetch_page_markdown page=<12345678-90ab-cdef-1234-567890abcdef>",
    ),
    ("summarise Docker notes", "fetch_page_markdown page=<Docker notes>"),
    ("总结一下项目计划", "fetch_page_markdown page=<项目计划>"),
    (
        "看看接口文档草稿和部署手册",
        "fetch_page_markdown page=<接口文档草稿> | fetch_page_markdown page=<部署手册>",
    ),
    ("读取页面“部署手册”", "fetch_page_markdown page=<部署手册>"),
    ("read ticket 12", "fetch_page_markdown page=<整理接口文档>"),
    ("read T-13", "fetch_page_markdown page=<核对部署手册>"),
    ("show me task #12", "fetch_page_markdown page=<整理接口文档>"),
    ("打开任务 12", "fetch_page_markdown page=<整理接口文档>"),
    ("看看工单13和部署手册", "fetch_page_markdown page=<核对部署手册> | fetch_page_markdown page=<部署手册>"),
    ("读一下草稿", "fetch_page_markdown page=<接口文档草稿>"),
    ("list 半体工单", "query_database database=<半体工单>"),
    ("列出半体工单里状态为待开发的工单", "query_database database=<半体工单> filters=[状态 equals <待开发>]"),
    (
        "查询 半体工单 中 状态 为 待开发 的",
        "query_database database=<半体工单> filters=[状态 equals <待开发>]",
    ),
    (
        "列出半体工单中优先级为中的工单，按创建时间倒序",
        "query_database database=<半体工单> filters=[优先级 equals <中>] sorts=[创建时间 descending]",
    ),
    (
        "list tickets in 半体工单 where 状态 is 待开发 and 优先级 is 高",
        "query_database database=<半体工单> filters=[状态 equals <待开发>, 优先级 equals <高>]",
    ),
    (
        "列出 Reading list 里 Status 是 Done 而且 Rating 大于 3 的页面",
        "query_database database=<Reading list> filters=[Status equals <Done>, Rating greater 3]",
    ),
    (
        "list pages in Reading list where Rating is greater than 3 and Status is not Done",
        "query_database database=<Reading list> filters=[Rating greater 3, Status not_equals <Done>]",
    ),
    (
        "which books in Reading list are Done?",
        "query_database database=<Reading list> filters=[Status equals <Done>]",
    ),
    ("how many items are in Reading list?", "query_database database=<Reading list>"),
    ("show the first 3 rows of Reading list", "query_database database=<Reading list> limit=3"),
    (
        "show Reading list sorted by Due descending",
        "query_database database=<Reading list> sorts=[Due descending]",
    ),
    ("半体工单里有多少工单", "query_database database=<半体工单>"),
    ("Reading list 有哪些字段", "get_database_schema database=<Reading list>"),
    ("what columns does Reading list have?", "get_database_schema database=<Reading list>"),
    ("show me the schema of 半体工单", "get_database_schema database=<半体工单>"),
)
WRITES = (
    ('append "buy milk" to Docker notes', "append_content page=<Docker notes> markdown=<buy milk>"),
    ("append buy milk to Docker notes", "append_content page=<Docker notes> markdown=<buy milk>"),
    (
        "append to Docker notes: buy milk, eggs and bread",
        "append_content page=<Docker notes> markdown=<buy milk, eggs and bread>",
    ),
    (
        "在部署手册末尾追加：4. 重启服务，然后检查日志",
        "append_content page=<部署手册> markdown=<4. 重启服务，然后检查日志>",
    ),
    ("把“第三阶段：收尾”加到项目计划末尾", "append_content page=<项目计划> markdown=<第三阶段：收尾>"),
    (
        'add a todo "update the image" to Docker notes',
        "append_content page=<Docker notes> markdown=<- [ ] update the image>",
    ),
    (
        "在 Docker notes 里加一条待办：更新镜像",
        "append_content page=<Docker notes> markdown=<- [ ] 更新镜像>",
    ),
    (
        'append "archive Docker notes" to 部署手册',
        "append_content page=<部署手册> markdown=<archive Docker notes>",
    ),
    ("在页面“部署手册”末尾追加：完成", "append_content page=<部署手册> markdown=<完成>"),
    ("在页面 部署手册 的最后面加一行：完成", "append_content page=<部署手册> markdown=<完成>"),
    ("在部署手册最后追加：完成", "append_content page=<部署手册> markdown=<完成>"),
    ("把“完成”加到部署手册最末尾", "append_content page=<部署手册> markdown=<完成>"),
    ("在部署手册文末写上：完成", "append_content page=<部署手册> markdown=<完成>"),
    ("add a line to Docker notes: done", "append_content page=<Docker notes> markdown=<done>"),
    ("add a line to the page “Docker notes”: done", "append_content page=<Docker notes> markdown=<done>"),
    (
        "append another paragraph at the very end of Docker notes: done",
        "append_content page=<Docker notes> markdown=<done>",
    ),
    ('add a line saying "done" to Docker notes', "append_content page=<Docker notes> markdown=<done>"),
    ("append to T-12: done", "append_content page=<整理接口文档> markdown=<done>"),
    ("在任务 12 末尾追加：完成", "append_content page=<整理接口文档> markdown=<完成>"),
    ("把 T-13 的优先级改为高", "update_page_property page=<核对部署手册> column=<优先级> value=<高>"),
    ("set 优先级 of ticket 13 to 高", "update_page_property page=<核对部署手册> column=<优先级> value=<高>"),
    ("把“不要归档”追加到部署手册", "append_content page=<部署手册> markdown=<不要归档>"),
    (
        "set Status of Clean Code to Done",
        "update_page_property page=<Clean Code> column=<Status> value=<Done>",
    ),
    ("mark Clean Code as Done", "update_page_property page=<Clean Code> column=<Status> value=<Done>"),
    (
        "把《核对部署手册》的优先级改为高",
        "update_page_property page=<核对部署手册> column=<优先级> value=<高>",
    ),
    (
        "请帮我把 Clean Code 的 Status 改成 in progress，谢谢",
        "update_page_property page=<Clean Code> column=<Status> value=<In progress>",
    ),
    ("set Rating of Clean Code to 4.5", "update_page_property page=<Clean Code> column=<Rating> value=4.5"),
    (
        "set Finished of Clean Code to yes",
        "update_page_property page=<Clean Code> column=<Finished> value=True",
    ),
    (
        "set Due of Clean Code to 2026/3/1",
        "update_page_property page=<Clean Code> column=<Due> value=<2026-03-01>",
    ),
    (
        "把 Clean Code 的 Note 改为“明天看，不急”",
        "update_page_property page=<Clean Code> column=<Note> value=<明天看，不急>",
    ),
    (
        "set Tags of Clean Code to docker",
        "update_page_property page=<Clean Code> column=<Tags> value=<docker>",
    ),
    ("tag Clean Code with docker", "fetch_page_markdown page=<Clean Code>"),
    ("clear the Due of Clean Code", "update_page_property page=<Clean Code> column=<Due> value=None"),
    (
        'rename Clean Code to "Cleaner Code"',
        "update_page_property page=<Clean Code> column=<Name> value=<Cleaner Code>",
    ),
    (
        "把 Docker notes 重命名为 Docker 指南",
        "update_page_property page=<Docker notes> column=<title> value=<Docker 指南>",
    ),
    ("create a page called Meeting notes in 项目计划", "create_page parent=<项目计划> title=<Meeting notes>"),
    ("在项目计划下新建页面“会议纪要”", "create_page parent=<项目计划> title=<会议纪要>"),
    (
        'add a ticket "Fix login" to 半体工单 with 优先级 高',
        "create_page parent=<半体工单> title=<Fix login> properties={优先级=<高>}",
    ),
    (
        'create a page "Log" in Unfiled notes with the text "first line"',
        "create_page parent=<Unfiled notes> title=<Log> markdown=<first line>",
    ),
    ("archive Docker notes", "archive_page page=<Docker notes>"),
    ("归档页面 “部署手册”", "archive_page page=<部署手册>"),
    ("把页面部署手册归档", "archive_page page=<部署手册>"),
    ("归档名为“部署手册”的页面", "archive_page page=<部署手册>"),
    ("把部署手册归档", "archive_page page=<部署手册>"),
    ("delete Research and Development", "archive_page page=<Research and Development>"),
    ("archive Docker notes, 部署手册 and Clean Code", "archive_page page=<Docker notes>"),
    ("归档部署手册，项目计划", "archive_page page=<部署手册>"),
    ("archive Docker notes and 部署手册", "archive_page page=<Docker notes>"),
    (
        "归档 https://www.notion.so/Docker-00000003000040008000000000000003",
        "archive_page page=<Docker notes>",
    ),
    (
        "tag every page in Reading list with Infra",
        "query_database database=<Reading list> limit=100 filters=[Area not_equals <Infra>]",
    ),
    (
        "把半体工单里的每一页标为高",
        "query_database database=<半体工单> limit=100 filters=[优先级 not_equals <高>]",
    ),
    (
        "把半体工单里状态为待开发的工单的优先级改为高",
        "query_database database=<半体工单> limit=100 filters=[状态 equals <待开发>, 优先级 not_equals <高>]",
    ),
    ("read Docker notes and archive it", "fetch_page_markdown page=<Docker notes>"),
    ("读取部署手册，然后把它归档", "fetch_page_markdown page=<部署手册>"),
    ("read Docker notes, but do not change it", "fetch_page_markdown page=<Docker notes>"),
)
QUESTIONS = (
    ("read the handbook on deploying 部署手册", "ask.no_such_page: 部署手册"),
    ("archive Weekly plan", "ask.which_page: Weekly plan, Weekly plan"),
    ("archive the deployment manual", "ask.no_such_page: Research and Development"),
    ("归档旧的项目计划", "ask.no_such_page: 项目计划"),
    ("read the roadmap of 2031", "ask.no_such_page"),
    ("read ticket 99", "ask.no_such_page"),
    ("归档任务 99", "ask.no_such_page"),
    ("add a line to Docker notes", "ask.quote_text"),
    ("archive", "ask.missing.archive_page.page"),
    ("归档", "ask.missing.archive_page.page"),
    ("append to Docker notes", "ask.missing.append_content.markdown"),
    ('append "buy milk"', "ask.missing.append_content.page"),
    ("create a page in 项目计划", "ask.missing.create_page.title"),
    ("新建一个页面", "ask.missing.create_page.parent"),
    ("set Status of Clean Code to Finished", "ask.which_option: To do, In progress, Done"),
    ("把核对部署手册的进度改为高", "ask.no_such_column: 任务标题, 负责Agent, 状态, 优先级, 约束, 创建时间"),
    (
        "set 优先级 of Clean Code to 高",
        "ask.no_such_column: Name, Status, Tags, Area, Rating, Finished, Due, Note",
    ),
    ("mark Docker notes as Done", "ask.no_columns"),
    ("set Rating of Clean Code to many", "ask.bad_value"),
    ("tag every page in Unfiled notes with Infra", "ask.not_a_database"),
    ("list rows of Atlantis", "ask.no_such_database"),
    ("archive it", "ask.missing.archive_page.page"),
    ("set Status of Clean Code", "ask.missing.update_page_property.value"),
)
MODEL = (
    ("translate Docker notes to Chinese", "needs_model.prose"),
    ("翻译新手指南", "needs_model.prose"),
    ("写一份周报", "needs_model.prose"),
    ("在页面末尾插入总结。", "needs_model.prose"),
    ("append a summary of Docker notes to 项目计划", "needs_model.prose"),
    ("总结项目计划并追加到部署手册", "needs_model.prose"),
    ("write a poem about Docker in Unfiled notes", "needs_model.prose"),
    ("why is Docker notes so long?", "needs_model.reasoning"),
    ("Suggest one area tag for every page in Unfiled notes. Do not move anything.", "needs_model.reasoning"),
    ("逐步核对部署手册，标出过时的步骤。", "needs_model.reasoning"),
    ("把登录和工单列表两个接口的请求、返回和错误码整理成一页。错误码从哪里来？", "needs_model.prose"),
    ("hello", "needs_model.unknown"),
    ("导入 GitHub 收藏", "needs_model.unknown"),
)
NOT_ACTED = (
    ("do not archive Docker notes", "ask.negated"),
    ("Please never archive Docker notes.", "ask.negated"),
    ("Don't, under any circumstances, archive Docker notes", "ask.negated"),
    ("不要归档 Docker notes", "ask.negated"),
    ("千万别删除部署手册", "ask.negated"),
    ("我不想归档部署手册", "ask.negated"),
    ("archive Docker notes, no wait", "ask.negated"),
    ("Archive Docker notes. Actually, do not.", "ask.negated"),
    ("archive Docker notes but do not delete anything", "ask.negated"),
    ("archive all pages except Docker notes", "ask.negated"),
    ("除了部署手册，全部归档", "ask.negated"),
    ("Instead of archiving Docker notes, read it", "ask.negated"),
    ("can you archive Docker notes?", "ask.is_it_a_command"),
    ("可以归档 Docker notes 吗", "ask.is_it_a_command"),
    ("把部署手册归档了吗？", "ask.is_it_a_command"),
    ("怎么归档 Docker notes", "needs_model.reasoning"),
    ("how do I archive Docker notes", "needs_model.reasoning"),
    ("should I archive Docker notes?", "needs_model.reasoning"),
    ("部署手册归档了吗？", "needs_model.unknown"),
    ("someone archived Docker notes", "needs_model.unknown"),
    ('he said "archive Docker notes"', "needs_model.unknown"),
    ("他说“归档部署手册”", "needs_model.unknown"),
    ("archive Docker notes if it is empty", "needs_model.reasoning"),
    ("如果部署手册是空的就归档它", "needs_model.reasoning"),
    ("tomorrow archive Docker notes", "needs_model.reasoning"),
    ("明天归档部署手册", "needs_model.reasoning"),
    ("archive Docker notes draft", "ask.no_such_page: Docker notes, Unfiled notes"),
    ("summarise and archive Docker notes", "ask.missing.fetch_page_markdown.page"),
    ("summarise Docker notes, then append it to 项目计划", "ask.quote_text"),
    ("archive everything", "ask.one_page_at_a_time"),
    ("归档所有页面", "ask.one_page_at_a_time"),
    ("删除半体工单", "ask.one_page_at_a_time"),
    ("把半体工单里状态为已完成的工单归档", "ask.one_page_at_a_time"),
    ("append to Docker notes: milk. Then archive 部署手册", "ask.quote_text"),
    ("在部署手册末尾追加：买牛奶，然后归档 Docker notes", "ask.quote_text"),
    ("set Note of Clean Code to hello and archive Deep Work", "ask.quote_text"),
    ("set Note of Clean Code to do not archive Deep Work", "ask.quote_text"),
    ("archive Docker notes and translate 部署手册", "needs_model.prose"),
    ("find Docker notes and delete them all", "ask.quote_text"),
    ("append it to Docker notes", "ask.quote_text"),
    ("append more detail to Unfiled notes", "needs_model.prose"),
    ('add comment "nice" to Docker notes', "ask.quote_text"),
)


@pytest.mark.parametrize(("request_", "expected"), [*READS, *WRITES], ids=lambda text: text[:40])
def test_a_command_becomes_its_first_call(request_: str, expected: str) -> None:
    assert told(plan(a_turn(request_))) == expected


@pytest.mark.parametrize(("request_", "expected"), [*QUESTIONS, *MODEL], ids=lambda text: text[:40])
def test_what_does_not_resolve_is_asked_and_what_takes_a_model_says_so(request_: str, expected: str) -> None:
    assert told(plan(a_turn(request_))) == expected


@pytest.mark.parametrize(("request_", "expected"), NOT_ACTED, ids=lambda text: text[:40])
def test_what_only_sounds_like_a_command_is_not_acted_on(request_: str, expected: str) -> None:
    assert told(plan(a_turn(request_))) == expected


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("archive it", "archive_page page=<Docker notes>"),
        ("把这一页归档", "archive_page page=<Docker notes>"),
        ("append “done” to this page", "append_content page=<Docker notes> markdown=<done>"),
        ("在这里追加：完成", "append_content page=<Docker notes> markdown=<完成>"),
        ("read 部署手册 and archive it", "fetch_page_markdown page=<部署手册>"),
    ],
)
def test_it_is_the_page_that_the_user_is_on_unless_another_was_named(request_: str, expected: str) -> None:
    assert told(plan(a_turn(request_, page=id_of(3)))) == expected


def test_it_is_also_the_one_page_that_was_named_in_the_turn_before() -> None:
    before = (("read Docker notes", "Images are built on every tag."),)
    two = (("read Docker notes and 部署手册", "…"),)

    assert told(plan(a_turn("archive it", history=before))) == "archive_page page=<Docker notes>"
    assert told(plan(a_turn("archive it", history=two))) == "ask.missing.archive_page.page"


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("archive the page", "archive_page page=<Docker notes>"),
        ("archive the page 部署手册", "archive_page page=<部署手册>"),
        ("archive the page “部署手册”", "archive_page page=<部署手册>"),
        ("archive the page 部署手册 and Clean Code", "archive_page page=<部署手册>"),
        ("archive the page Roadmap", "ask.no_such_page"),
        ("归档这个页面“部署手册”", "archive_page page=<部署手册>"),
        ("append to the page Roadmap: done", "ask.quote_text"),
        ("add a line to the page Roadmap: done", "ask.quote_text"),
        ("追加到这个页面路线图：完成", "ask.quote_text"),
        ("append to this page: done", "append_content page=<Docker notes> markdown=<done>"),
    ],
)
def test_the_page_with_a_name_after_it_is_not_the_one_in_hand(request_: str, expected: str) -> None:
    before = (("read Docker notes", "Images are built on every tag."),)

    assert told(plan(a_turn(request_, history=before))) == expected
    assert told(plan(a_turn(request_, page=id_of(3)))) == expected


def test_a_page_that_was_chosen_by_its_id_is_remembered_as_one_that_was_named() -> None:
    before = ((f"read {id_of(3)}", "Images are built on every tag."),)

    assert told(plan(a_turn("archive it", history=before))) == "archive_page page=<Docker notes>"


def test_a_number_that_two_tickets_have_is_asked_about_unless_its_prefix_tells_them_apart() -> None:
    pages = (*INDEX.pages, IndexedPage(id=id_of(300), title="Other", number="BUG-12"))
    lookup = Lookup(replace(INDEX, pages=pages))

    def read(request: str) -> str:
        return told(plan_turn(a_turn(request), lookup, TOOLS))

    assert read("read ticket 12") == "ask.which_page: 整理接口文档, Other"
    assert read("read T-12") == "fetch_page_markdown page=<整理接口文档>"
    assert read("read BUG-12") == f"fetch_page_markdown page=<{id_of(300)}>"


def test_new_pages_go_to_the_target_that_the_user_gave() -> None:
    turn = a_turn("create a page called Minutes", target=id_of(5))

    assert told(plan(turn)) == "create_page parent=<项目计划> title=<Minutes>"


def test_one_write_is_planned_at_a_time_and_the_turn_ends_after_the_last() -> None:
    first = a_turn("read Docker notes and 部署手册, then archive Docker notes and mark Clean Code as Done")
    second = after(first, plan(first))
    third = after(second, plan(second))
    fourth = after(third, plan(third))

    assert [told(plan(turn)) for turn in (first, second, third, fourth)] == [
        "fetch_page_markdown page=<Docker notes> | fetch_page_markdown page=<部署手册>",
        "archive_page page=<Docker notes>",
        "update_page_property page=<Clean Code> column=<Status> value=<Done>",
        "finish",
    ]


def test_a_batch_writes_one_row_after_the_other() -> None:
    first = a_turn("tag every page in Reading list with Infra")
    rows = [{"id": id_of(200), "title": "Clean Code"}, {"id": id_of(201), "title": "Deep Work"}]
    second = after(first, plan(first), {"rows": rows, "total": 2})
    third = after(second, plan(second))
    fourth = after(third, plan(third))

    assert [told(plan(turn)) for turn in (second, third, fourth)] == [
        "update_page_property column=<Area> value=<Infra> page=<Clean Code>",
        "update_page_property column=<Area> value=<Infra> page=<Deep Work>",
        "finish",
    ]


def test_a_batch_of_more_rows_than_were_read_writes_none() -> None:
    first = a_turn("tag every page in Reading list with Infra")
    rows = [{"id": id_of(200), "title": "Clean Code"}]

    assert told(plan(after(first, plan(first), {"rows": rows, "total": 101}))) == "ask.too_many_rows"


def test_a_tag_is_put_beside_those_that_are_there() -> None:
    first = a_turn("tag Clean Code with docker")

    def held(*tags: str) -> str:
        return told(plan(after(first, plan(first), {"properties": {"Tags": list(tags)}})))

    assert held("python") == "update_page_property page=<Clean Code> column=<Tags> value=[<python>, <docker>]"
    assert held("docker") == "finish"
    assert told(plan(after(first, plan(first), {}))) == "ask.not_read_yet"


def test_it_after_a_search_is_what_was_found_if_that_is_one_page() -> None:
    first = a_turn("search for docker then archive it")
    one = {"id": id_of(3), "title": "Docker notes", "type": "page"}
    other = {"id": id_of(2), "title": "部署手册", "type": "page"}

    def found(*results: dict[str, Any]) -> str:
        return told(plan(after(first, plan(first), {"results": list(results)})))

    assert found(one) == "archive_page page=<Docker notes>"
    assert found(one, other) == "ask.which_of_these: Docker notes, 部署手册"
    assert found() == "ask.found_none"


def test_it_after_creating_a_page_is_that_page() -> None:
    first = a_turn('create a page "Log" in Unfiled notes then append "hello" to it')

    turn = after(first, plan(first), {"ids": [id_of(77)]})

    assert told(plan(turn)) == f"append_content page=<{id_of(77)}> markdown=<hello>"


@pytest.mark.parametrize(
    "outcome", ["question", "fault", "refused", "stopped", "parked", "rejected", "unsettled"]
)
def test_nothing_is_done_after_a_step_that_did_not_succeed(outcome: str) -> None:
    first = a_turn("archive Docker notes and 部署手册")
    called = plan(first)
    assert isinstance(called, CallTools)

    turn = replace(first, steps=(Step(call=called.calls[0], outcome=outcome, text=""),))

    assert told(plan(turn)) == "finish"


@pytest.mark.parametrize("kept", [True, False], ids=["with its memo", "without one"])
def test_a_turn_whose_page_is_gone_from_the_index_is_not_begun_again(kept: bool) -> None:
    turn = a_turn("archive Docker notes")
    done = after(turn, plan(turn))
    done = done if kept else replace(done, memo=None)
    without = Lookup(
        replace(INDEX, pages=tuple(page for page in INDEX.pages if page.title != "Docker notes"))
    )

    assert told(plan_turn(done, without, TOOLS)) == "finish"


@pytest.mark.parametrize("request_", ["archive Docker notes and 部署手册", "归档 Docker notes 和 部署手册"])
def test_the_rest_of_a_request_is_done_though_its_first_page_is_gone_from_the_index(request_: str) -> None:
    turn = a_turn(request_)
    done = after(turn, plan(turn))
    without = Lookup(
        replace(INDEX, pages=tuple(page for page in INDEX.pages if page.title != "Docker notes"))
    )

    assert told(plan_turn(done, without, TOOLS)) == "archive_page page=<部署手册>"


def test_steps_that_were_planned_over_another_index_end_in_a_question() -> None:
    turn = a_turn("archive Docker notes and 部署手册")
    done = replace(after(turn, plan(turn)), memo=None)
    pages = tuple(replace(page, title="部署手册") if page.id == id_of(3) else page for page in INDEX.pages)
    renamed = (replace(pages[2], title="Docker notes", id=id_of(500)), *pages[3:], pages[1])

    assert told(plan_turn(done, Lookup(replace(INDEX, pages=renamed)), TOOLS)) == "ask.changed_meanwhile"


def test_a_tool_that_is_not_given_is_not_called() -> None:
    assert told(plan_turn(a_turn("archive Docker notes"), LOOKUP, TOOLS[:4])) == "ask.no_such_tool"


@pytest.mark.parametrize(
    ("brief", "covered"),
    [
        ("读取部署手册。", True),
        ("1. 读取部署手册\n2. 在项目计划末尾追加：第三阶段", True),
        ("tag every page in Reading list with Infra", True),
        ("Read Docker notes. Do not move anything.", True),
        ("汇总本周完成的工单。", False),
        ("page_size 默认 50，最大 100；返回 next_cursor。", False),
        ("列出项目计划里已经完成的阶段。", False),
        ("登录 30 秒后报错，日志里是 ReadTimeout。先写复现步骤。", False),
        ("深色模式下对比度不够。", False),
        ("archive Weekly plan", False),
        ("", False),
    ],
)
def test_a_tickets_brief_is_covered_only_if_all_of_it_is_a_command(brief: str, covered: bool) -> None:
    assert understands(brief, INDEX) is covered


@pytest.mark.parametrize(
    "before", ["Do not ", "never ", "不要", "如果需要就", "Why should I ", "is it true that you "]
)
def test_a_negation_condition_or_question_before_a_command_leaves_no_write(before: str) -> None:
    acted = [request for request, _ in (*WRITES, *NOT_ACTED) if writes_of(plan(a_turn(before + request)))]

    assert acted == []


def writes_of(planned: Plan) -> list[Call]:
    calls = planned.calls if isinstance(planned, CallTools) else ()
    return [
        call
        for call in calls
        if call.tool in {"append_content", "update_page_property", "create_page", "archive_page"}
    ]


WORDS = st.sampled_from(
    [
        *("archive", "delete", "read", "append", "set", "tag", "create a page", "search for", "list", "rename"),
        *("归档", "把", "的", "改为", "在", "末尾追加", "：", ":", "，", ",", "然后", "and", "then", "并", "不要", "do not"),
        *("it", "它", "this page", "every page in", "里的每一页", "标为", "called", "in", "to", "with", "?", "。", "\n"),
        *("“", "”", '"', "'", "《", "》", "qx0x", "qx99999999x", "🎉", "\u200d", "https://notion.so/x", "README.md", "ß", "İ"),
        *(*TITLES, *BOOKS, *TICKETS, "半体工单", "Reading list"),
        *(*BOOK_COLUMNS, *TICKET_COLUMNS, "Done", "高", "Infra", "docker", "{page}", "[x]", "<db>", "(a|b)"),
    ]
)  # fmt: skip
REQUESTS = st.one_of(
    st.text(max_size=80),
    st.lists(WORDS, max_size=8).map(" ".join),
    st.lists(WORDS, max_size=8).map("".join),
)


@settings(max_examples=100, deadline=None)
@given(request_=REQUESTS)
def test_any_text_gets_a_plan_and_a_write_only_falls_on_what_is_known(request_: str) -> None:
    known = set(NAMES)

    planned = plan(a_turn(request_, page=id_of(3)))

    for call in writes_of(planned):
        target = call.arguments.get("page", call.arguments.get("parent"))
        assert target in known or str(target).replace("-", "") in request_.replace("-", "").lower()


async def test_the_planner_reads_the_index_it_is_given_and_keeps_up_with_it() -> None:
    indexes = [WorkspaceIndex(), INDEX]

    async def source() -> WorkspaceIndex:
        return indexes[0]

    planner = OfflinePlanner(source)
    tools = [ToolSpec(name=name, effect="read", description="", parameters={}) for name in TOOLS]

    unknown = await planner.plan(a_turn("read Docker notes"), tools)
    indexes.pop(0)
    known = await planner.plan(a_turn("read Docker notes"), tools)

    assert (told(unknown), told(known)) == ("ask.no_such_page", "fetch_page_markdown page=<Docker notes>")


@pytest.mark.parametrize("language", languages)
def test_every_question_and_excuse_has_its_sentence_and_its_facts(language: Language) -> None:
    messages = Messages(language)
    requests = [request for request, _ in (*QUESTIONS, *MODEL, *NOT_ACTED)]

    for request in requests:
        match plan(a_turn(request)):
            case AskUser(question=question):
                assert messages.has(question.key), question.key
                assert "?" not in messages.say(question.key, **question.facts).replace(request, "")
            case NeedsModel(why=why):
                assert messages.has(f"needs_model.{why}")
            case other:
                raise AssertionError((request, other))
