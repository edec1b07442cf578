"""The Python client, `notion-client`, works through every endpoint that it shares with the server."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from notion_client import APIResponseError, Client as Notion, RetryOptions
from notion_client.api_endpoints import Endpoint
from notion_client.helpers import collect_paginated_api

pytestmark = pytest.mark.xdist_group("official client")

Json = dict[str, Any]

VERSIONS = ("2025-09-03", "2026-03-11")


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


def paragraph(words: str) -> Json:
    return {"paragraph": {"rich_text": text(words)}}


def users_are_listed_and_found(notion: Notion, root: str) -> None:
    me = notion.users.me()
    everyone = collect_paginated_api(notion.users.list, page_size=1)

    assert me["id"] in [user["id"] for user in everyone]
    assert notion.users.retrieve(me["id"]) | {"request_id": ""} == me | {"request_id": ""}


def a_page_is_made_moved_trashed_and_restored(notion: Notion, root: str) -> None:
    page = notion.pages.create(parent={"page_id": root}, properties={"title": text("A")})
    other = notion.pages.create(parent={"page_id": root}, properties={"title": text("B")})
    notion.pages.update(page["id"], icon={"emoji": "🌿"}, properties={"title": text("C")})
    moved = notion.pages.move(page["id"], parent={"page_id": other["id"]})
    assert moved["parent"]["page_id"] == other["id"]
    assert notion.pages.update(page["id"], in_trash=True)["in_trash"] is True
    assert notion.pages.update(page["id"], in_trash=False)["in_trash"] is False

    found = notion.pages.retrieve(page["id"])
    item = notion.pages.properties.retrieve(page["id"], "title")

    assert found["properties"]["title"]["title"][0]["plain_text"] == "C"
    assert [one["title"]["plain_text"] for one in item["results"]] == ["C"]


def markdown_is_read_and_edited(notion: Notion, root: str) -> None:
    page = notion.pages.create(parent={"page_id": root}, markdown="# Title\n\nfirst\n- second")
    edit = {"content_updates": [{"old_str": "first", "new_str": "changed"}]}
    notion.pages.update_markdown(page["id"], type="update_content", update_content=edit)

    assert notion.pages.retrieve_markdown(page["id"])["markdown"] == "changed\n- second"


def blocks_are_appended_edited_trashed_and_restored(notion: Notion, root: str) -> None:
    page = notion.pages.create(parent={"page_id": root}, children=[paragraph("a")])
    more = notion.blocks.children.append(page["id"], children=[paragraph("b"), paragraph("c")])
    block = more["results"][0]["id"]
    notion.blocks.update(block, paragraph={"rich_text": text("B")})
    notion.blocks.delete(block)
    notion.blocks.update(block, in_trash=False)
    found = collect_paginated_api(notion.blocks.children.list, block_id=page["id"], page_size=2)

    assert [one["paragraph"]["rich_text"][0]["plain_text"] for one in found] == ["a", "B", "c"]
    assert notion.blocks.retrieve(block)["in_trash"] is False


def a_database_and_its_sources_are_made_changed_and_queried(notion: Notion, root: str) -> None:
    database = notion.databases.create(
        parent={"type": "page_id", "page_id": root},
        title=text("Table"),
        initial_data_source={"properties": {"Name": {"title": {}}, "Count": {"number": {}}}},
    )
    first = database["data_sources"][0]["id"]
    notion.databases.update(database["id"], description=text("of numbers"))
    second = notion.data_sources.create(
        parent={"type": "database_id", "database_id": database["id"]}, properties={"Name": {"title": {}}}
    )
    notion.data_sources.update(first, properties={"Count": {"name": "Number"}})
    for number in (1, 2):
        notion.pages.create(parent={"data_source_id": first}, properties={"Number": {"number": number}})
    rows = notion.data_sources.query(first, filter={"property": "Number", "number": {"greater_than": 1}})

    assert [row["properties"]["Number"]["number"] for row in rows["results"]] == [2]
    assert "Number" in notion.data_sources.retrieve(first)["properties"]
    sources = notion.databases.retrieve(database["id"])["data_sources"]
    assert [source["id"] for source in sources] == [first, second["id"]]


def search_finds_by_title(notion: Notion, root: str) -> None:
    page = notion.pages.create(parent={"page_id": root}, properties={"title": text("灯笼报告")})
    found = notion.search(query="灯笼", filter={"property": "object", "value": "page"}, page_size=1)

    assert [one["id"] for one in found["results"]] == [page["id"]]
    notion.pages.update(page["id"], in_trash=True)


def comments_are_made_listed_reworded_and_deleted(notion: Notion, root: str) -> None:
    page = notion.pages.create(parent={"page_id": root}, properties={"title": text("Talk")})
    comment = notion.comments.create(parent={"page_id": page["id"]}, rich_text=text("hello"))
    notion.comments.update(comment["id"], rich_text=text("good morning"))
    found = notion.comments.retrieve(comment["id"])
    listed = notion.comments.list(block_id=page["id"])
    notion.comments.delete(comment["id"])

    assert found["rich_text"][0]["plain_text"] == "good morning"
    assert [one["id"] for one in listed["results"]] == [comment["id"]]
    assert notion.comments.list(block_id=page["id"])["results"] == []


def a_file_is_sent_whole_and_in_parts(notion: Notion, root: str) -> None:
    whole = notion.file_uploads.create(filename="a.txt", content_type="text/plain")
    notion.file_uploads.send(whole["id"], file=("a.txt", b"hello", "text/plain"))
    parts = notion.file_uploads.create(
        mode="multi_part", filename="b.txt", content_type="text/plain", number_of_parts=1
    )
    notion.file_uploads.send(parts["id"], file=("b.txt", b"hi", "text/plain"), part_number="1")
    notion.file_uploads.complete(parts["id"])
    uploaded = notion.file_uploads.list(status="uploaded")

    assert notion.file_uploads.retrieve(whole["id"])["content_length"] == 5
    assert {whole["id"], parts["id"]} <= {upload["id"] for upload in uploaded["results"]}


def a_public_connection_is_let_in_and_shut_out(notion: Notion, root: str, connection: Json) -> None:
    client = {key: connection[key] for key in ("client_id", "client_secret")}
    granted = notion.oauth.token(**client, grant_type="authorization_code", code=connection["code"])
    token = granted["access_token"]

    assert notion.users.me(auth=token)["id"] == granted["bot_id"]
    assert notion.oauth.introspect(**client, token=token)["active"] is True
    notion.oauth.revoke(**client, token=token)
    assert notion.oauth.introspect(**client, token=token)["active"] is False


SCENARIOS: tuple[Callable[..., None], ...] = (
    a_file_is_sent_whole_and_in_parts,
    a_public_connection_is_let_in_and_shut_out,
    users_are_listed_and_found,
    a_page_is_made_moved_trashed_and_restored,
    markdown_is_read_and_edited,
    blocks_are_appended_edited_trashed_and_restored,
    a_database_and_its_sources_are_made_changed_and_queried,
    search_finds_by_title,
    comments_are_made_listed_reworded_and_deleted,
)


@pytest.fixture(scope="module")
def clients(stage: Any) -> Iterator[dict[str, Notion]]:
    with ExitStack() as stack:
        yield {
            version: stack.enter_context(
                Notion(
                    auth=stage.workspace.token,
                    base_url=stage.url,
                    notion_version=version,
                    retry=RetryOptions(max_retries=0),
                    log_level=50,
                )
            )
            for version in VERSIONS
        }


@pytest.fixture(scope="module")
def played(clients: dict[str, Notion], stage: Any) -> dict[tuple[str, str], Exception | None]:
    """Every scenario in every version, with what went wrong."""
    ends: dict[tuple[str, str], Exception | None] = {}
    for version, client in clients.items():
        for scenario in SCENARIOS:
            try:
                with_code = scenario is a_public_connection_is_let_in_and_shut_out
                more = {"connection": stage.new_code()} if with_code else {}
                scenario(client, stage.workspace.root_page_id, **more)
            except (APIResponseError, AssertionError, LookupError) as error:
                ends[scenario.__name__, version] = error
            else:
                ends[scenario.__name__, version] = None
    return ends


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("scenario", [scenario.__name__ for scenario in SCENARIOS])
def test_the_python_client_succeeds_where(played: Any, scenario: str, version: str) -> None:
    error = played[scenario, version]
    if error is not None:
        raise error


class Noted:
    """A client that sends nothing and notes what it was to send."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []

    def request(self, *, path: str, method: str, **_more: Any) -> None:
        self.requests.append((method, f"/{path}"))


def known_requests() -> list[tuple[str, str]]:
    """The method and address of each request that the client can make."""
    noted = Noted()
    kinds = [Endpoint]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        for name, call in vars(kind).items():
            if not name.startswith("_") or name == "__call__":
                ids = {key: "id" for key in call.__annotations__ if key not in ("kwargs", "return")}
                call(kind(noted), **ids)
    return noted.requests


def test_every_endpoint_that_the_python_client_knows_was_called(
    played: Any, stage: Any, find_endpoint: Callable[[str, str], str | None]
) -> None:
    shared = {find_endpoint(method, path) for method, path in known_requests()} - {None}

    assert len(shared) >= 36
    assert shared - stage.witness.served() == set()


def test_every_answer_to_the_python_client_is_of_its_type(played: Any, stage: Any, types: Any) -> None:
    good = [exchange for exchange in stage.witness.exchanges if exchange.status == 200]
    faults = {fault for exchange in good for fault in types.faults(exchange)}

    assert sorted(faults) == []


def test_what_the_server_does_not_have_is_refused_as_no_address_of_the_api(
    clients: dict[str, Notion], find_endpoint: Callable[[str, str], str | None]
) -> None:
    lacking = [request for request in known_requests() if find_endpoint(*request) is None]

    assert lacking
    for method, path in lacking:
        with pytest.raises(APIResponseError) as refused:
            clients[VERSIONS[-1]].request(path=path.removeprefix("/"), method=method)
        assert (refused.value.code, refused.value.status) == ("invalid_request_url", 400)
