"""Comments on pages and blocks, in discussions."""

from notion_embedded.http.call import Call, listing, page_size, start_cursor, wrong_cursor
from notion_embedded.http.desk import Desk
from notion_embedded.markdown.block_reader import read_runs
from notion_embedded.model.checks import (
    UNDEFINED,
    Json,
    a_string,
    a_uuid,
    an_array,
    an_object,
    failed,
    failed_all,
    one_of,
    only_keys,
)
from notion_embedded.model.dates import stamp
from notion_embedded.model.errors import guessed
from notion_embedded.model.rich_text import RichText, read_rich_text
from notion_embedded.store import talk
from notion_embedded.store.talk import Comment

MAX_ATTACHMENTS = 3


def create_comment(desk: Desk, call: Call) -> Json:
    """Say something on a page or block, or in a discussion that goes on there."""
    call.only("parent", "discussion_id", "rich_text", "markdown", "attachments", "display_name")
    if ("parent" in call.body) == ("discussion_id" in call.body):
        raise failed_all([(f"body.{key}", "defined", UNDEFINED) for key in ("parent", "discussion_id")])
    attachments = _attachments(desk, call)
    text = _text(desk, call, optional=bool(attachments))
    name, closed = _display_name(desk, call), False
    if "parent" in call.body:
        parent_id, kind = _parent(desk, call)
        discussion = desk.new_id()
    else:
        discussion = a_uuid(call.body["discussion_id"], "body.discussion_id")
        first = next(iter(talk.in_discussion(desk.connection, discussion)), None)
        if first is None or not desk.sees(first.parent):
            raise desk.missing("discussion", discussion)
        desk.check_editable(desk.find(first.parent, "block", ("page", "block")))
        parent_id, kind, closed = first.parent, first.parent_kind, first.resolved
    comment = Comment(
        id=desk.new_id(),
        discussion_id=discussion,
        parent=parent_id,
        parent_kind=kind,
        rich_text=text,
        display_name=name,
        created_time=desk.minute,
        created_by=desk.token.user.id,
        edited_time=desk.minute,
        attachments=attachments,
        resolved=closed,
    )
    talk.add(desk.connection, comment)
    return _show(comment)


def list_comments(desk: Desk, call: Call) -> Json:
    """The comments of the open discussions on a page or block; the cursor is the next comment's id."""
    given = next(iter(call.query.get("block_id", [])), UNDEFINED)
    block_id = a_uuid(given, "query.block_id")
    desk.find(block_id, "block", ("page", "block", "database"))
    size, cursor = page_size(call, in_body=False), start_cursor(call, in_body=False)
    found = talk.on(desk.connection, block_id)
    ids = [comment.id for comment in found]
    if cursor is not None and cursor not in ids:
        raise wrong_cursor(cursor)
    first = 0 if cursor is None else ids.index(cursor)
    rest = ids[first + size :]
    shown = [_show(comment) for comment in found[first : first + size]]
    return listing("comment", shown, rest[0] if rest and size else None)


def get_comment(desk: Desk, call: Call) -> Json:
    """One comment."""
    return _show(_find(desk, call))


def update_comment(desk: Desk, call: Call) -> Json:
    """Say it in other words."""
    call.only("rich_text", "markdown")
    comment = _find(desk, call)
    _check_own(desk, comment)
    changed = talk.reword(desk.connection, comment, _text(desk, call), desk.minute)
    return _show(changed)


def delete_comment(desk: Desk, call: Call) -> Json:
    """Take a comment back."""
    comment = _find(desk, call)
    _check_own(desk, comment)
    talk.remove(desk.connection, comment)
    return _show(comment)


def _find(desk: Desk, call: Call) -> Comment:
    comment_id = call.id("comment_id")
    comment = talk.find(desk.connection, comment_id)
    if comment is None or not desk.sees(comment.parent):
        raise desk.missing("comment", comment_id)
    return comment


def _check_own(desk: Desk, comment: Comment) -> None:
    if comment.created_by != desk.token.user.id:
        raise guessed("Only the author of a comment can change it.")


def _text(desk: Desk, call: Call, *, optional: bool = False) -> RichText:
    """What is said. Markdown is read as one line of text: in a comment there are no blocks."""
    if call.body.get("markdown") is not None:
        if "rich_text" in call.body:
            raise failed("body.markdown", "not present", call.body["markdown"])
        runs = read_runs(a_string(call.body["markdown"], "body.markdown"))
        return read_rich_text(runs, "body.markdown", desk, limited=False)
    if optional and "rich_text" not in call.body:
        return []
    return read_rich_text(call.given("rich_text"), "body.rich_text", desk)


def _attachments(desk: Desk, call: Call) -> list[Json]:
    """The files on the comment, each an upload of the caller's that is complete."""
    given = call.body.get("attachments")
    if given is None:
        return []
    found: list[Json] = []
    for at, item in enumerate(an_array(given, "body.attachments", at_most=MAX_ATTACHMENTS)):
        path = f"body.attachments[{at}]"
        body = an_object(item, path)
        only_keys(body, path, ("type", "file_upload_id"))
        found.append(desk.attachment(a_uuid(body.get("file_upload_id", UNDEFINED), f"{path}.file_upload_id")))
    return found


def _parent(desk: Desk, call: Call) -> tuple[str, talk.ParentKind]:
    body = an_object(call.body["parent"], "body.parent")
    if "page_id" in body:
        page = desk.find(a_uuid(body["page_id"], "body.parent.page_id"), "page", ("page",))
        desk.check_editable(page)
        return page.id, "page_id"
    if "block_id" in body:
        block = desk.find(a_uuid(body["block_id"], "body.parent.block_id"), "block", ("block", "page"))
        desk.check_editable(block)
        return block.id, "page_id" if block.kind == "page" else "block_id"
    raise failed_all([(f"body.parent.{key}", "defined", UNDEFINED) for key in ("page_id", "block_id")])


def _display_name(desk: Desk, call: Call) -> Json:
    given = call.body.get("display_name")
    bot = desk.token.user.type == "bot"
    if given is None:
        return {"type": "integration" if bot else "user", "resolved_name": desk.token.user.name}
    body = an_object(given, "body.display_name")
    kind = one_of(body.get("type", UNDEFINED), "body.display_name.type", ("integration", "user", "custom"))
    if kind == "custom":
        custom = an_object(body.get("custom", UNDEFINED), "body.display_name.custom")
        name = a_string(custom.get("name", UNDEFINED), "body.display_name.custom.name")
        return {"type": kind, "resolved_name": name}
    return {"type": kind, "resolved_name": desk.token.user.name}


def _show(comment: Comment) -> Json:
    return {
        "object": "comment",
        "id": comment.id,
        "parent": {"type": comment.parent_kind, comment.parent_kind: comment.parent},
        "discussion_id": comment.discussion_id,
        "created_time": stamp(comment.created_time),
        "last_edited_time": stamp(comment.edited_time),
        "created_by": {"object": "user", "id": comment.created_by},
        "rich_text": comment.rich_text,
        "display_name": comment.display_name,
        **({"attachments": comment.attachments} if comment.attachments else {}),
    }
