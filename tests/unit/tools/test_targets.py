"""A name is an id, a link or a whole title; anything else is a question, and never a guess."""

from typing import Any

from lakelight.notion.links import page_url
from lakelight.tools import Question
from lakelight.tools.targets import find_database, find_page, find_place, folded

INVENTED = "abcdefab-1234-4abc-8abc-abcdefabcdef"


def one(found: dict[str, Any] | Question) -> str:
    assert not isinstance(found, Question), found
    return str(found["id"])


def asked(found: dict[str, Any] | Question) -> Question:
    assert isinstance(found, Question), found["id"]
    return found


async def test_a_page_is_found_by_id_link_or_whole_title(desk: Any) -> None:
    page = desk.ids["计划"]
    names = [
        page,
        page.replace("-", "").upper(),
        page_url(page),
        f"{page_url(page)}?pvs=4#x",
        "项目计划",
        " 《项目计划》 ",
    ]

    found = [one(await find_page(name, desk.context())) for name in names]

    assert found == [page] * len(names)


async def test_a_title_counts_whole_and_folded(desk: Any) -> None:
    await desk.page("ＡＰＩ  Notes")

    whole = await find_page("api notes", desk.context())
    part = await find_page("api", desk.context())

    assert one(whole)
    assert asked(part).key == "ask.no_such_page"
    assert [one.title for one in asked(part).candidates] == ["ＡＰＩ  Notes"]


async def test_two_pages_of_one_title_are_a_question_with_both(desk: Any) -> None:
    question = asked(await find_page("周报", desk.context()))

    assert question.key == "ask.which_page"
    assert question.facts == {"name": "周报"}
    assert {one.id for one in question.candidates} == {desk.ids["周报 1"], desk.ids["周报 2"]}
    assert all(one.url for one in question.candidates)


async def test_an_invented_or_shortened_id_is_a_question(desk: Any) -> None:
    names = ["your_page_id", "<page_id>", "393abc1e", "None", "{{page}}", "current page"]

    questions = [asked(await find_page(name, desk.context())) for name in names]

    assert [question.key for question in questions] == ["ask.no_such_page"] * len(names)


async def test_an_id_shortened_to_eight_digits_is_not_completed(desk: Any) -> None:
    question = asked(await find_page(desk.ids["计划"][:8], desk.context()))

    assert question.key == "ask.no_such_page"


async def test_an_id_of_nothing_is_a_question(desk: Any) -> None:
    for name in (INVENTED, f"https://www.notion.so/x-{INVENTED.replace('-', '')}"):
        question = asked(await find_page(name, desk.context()))

        assert (question.key, question.candidates) == ("ask.no_such_page", ())


async def test_a_name_that_is_near_is_offered_and_not_taken(desk: Any) -> None:
    question = asked(await find_page("项目的计划", desk.context()))

    assert question.key == "ask.no_such_page"
    assert "项目计划" in [one.title for one in question.candidates]


async def test_a_name_of_quotation_marks_alone_means_no_page_without_a_title(desk: Any) -> None:
    await desk.page("")

    questions = [asked(await find_page(name, desk.context())) for name in ("《》", '""', " “ ” ")]

    assert [question.key for question in questions] == ["ask.no_such_page"] * 3


async def test_without_a_name_the_page_of_the_user_counts(desk: Any) -> None:
    here = await find_page(None, desk.context(page=page_url(desk.ids["登录"])))
    blank = await find_page("  ", desk.context(page="项目计划"))
    nowhere = await find_page(None, desk.context(target=desk.ids["任务"]))

    assert one(here) == desk.ids["登录"]
    assert one(blank) == desk.ids["计划"]
    assert asked(nowhere).key == "ask.page_missing"


async def test_a_database_is_found_by_either_id_link_or_title(desk: Any) -> None:
    names = [desk.ids["任务"], desk.ids["任务库"], page_url(desk.ids["任务库"]), "任务"]

    found = [one(await find_database(name, desk.context())) for name in names]
    target = await find_database(None, desk.context(target=desk.ids["任务库"]))

    assert found == [desk.ids["任务"]] * len(names)
    assert one(target) == desk.ids["任务"]
    assert asked(await find_database(None, desk.context())).key == "ask.database_missing"
    assert asked(await find_database("没有", desk.context())).key == "ask.no_such_database"


async def test_a_database_of_two_sources_is_a_question_with_both(desk: Any) -> None:
    body = {
        "parent": {"type": "database_id", "database_id": desk.ids["任务库"]},
        "title": [{"text": {"content": "2026"}}],
        "properties": {"Name": {"title": {}}},
    }
    second = (await desk.notion.send("POST", "/data_sources", body)).body["id"]

    question = asked(await find_database(desk.ids["任务库"], desk.context()))

    assert question.key == "ask.which_database"
    assert {one.id for one in question.candidates} == {desk.ids["任务"], second}


async def test_a_page_and_a_database_of_one_title_are_a_question_where_either_will_do(desk: Any) -> None:
    page = await desk.page("任务")

    question = asked(await find_place("任务", desk.context()))

    assert {(one.id, one.type) for one in question.candidates} == {
        (page, "page"),
        (desk.ids["任务"], "data_source"),
    }
    assert one(await find_page("任务", desk.context())) == page


async def test_a_place_without_a_name_is_the_target_before_the_page(desk: Any) -> None:
    both = await find_place(None, desk.context(page=desk.ids["计划"], target=desk.ids["任务"]))
    page = await find_place(None, desk.context(page=desk.ids["计划"]))

    assert (one(both), one(page)) == (desk.ids["任务"], desk.ids["计划"])
    assert asked(await find_place(None, desk.context())).key == "ask.place_missing"


class Lagging:
    """A workspace whose search has not noticed anything yet."""

    def __init__(self, notion: Any) -> None:
        self._notion = notion

    def __getattr__(self, name: str) -> Any:
        return getattr(self._notion, name)

    async def search(self, text: str, kind: str | None = None, limit: int = 100) -> list[dict[str, Any]]:
        return []


async def test_what_the_search_has_not_noticed_yet_is_found_where_the_user_is(desk: Any) -> None:
    desk.notion = Lagging(desk.notion)

    row = await find_page("修复登录", desk.context(target=desk.ids["任务库"]))
    inside = await find_page("周报", desk.context(page=desk.ids["计划"]))
    elsewhere = await find_page("周报", desk.context(target=desk.ids["任务"]))

    assert one(row) == desk.ids["登录"]
    assert one(inside) == desk.ids["周报 2"]
    assert asked(elsewhere).key == "ask.no_such_page"


def test_titles_are_compared_without_width_case_spaces_and_quotation_marks() -> None:
    assert folded(" 「ＡＰＩ  Notes」 ") == "api notes"
