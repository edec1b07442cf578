// Notion's own client works through the server: one scenario a line, told as JSON on stdout.
// Its argument says as JSON where the server is, with which token and version it is asked, under which page
// everything is made, and a public connection with the code that its user brought back.
import assert from "node:assert/strict";
import { Client, collectPaginatedAPI, iteratePaginatedAPI, isFullPage, APIErrorCode } from "@notionhq/client";

const { baseUrl, auth, version, root, connection } = JSON.parse(process.argv[2]);
const notion = new Client({ baseUrl, auth, notionVersion: version, retry: false, logLevel: "error" });

const text = (content) => [{ text: { content } }];
const paragraph = (content) => ({ paragraph: { rich_text: text(content) } });
const words = (list) => list.results.map((block) => block[block.type].rich_text.map((run) => run.plain_text).join(""));

async function page(title = "Page", more = {}) {
  return notion.pages.create({ parent: { page_id: root }, properties: { title: text(title) }, ...more });
}

async function table(properties = {}) {
  const database = await notion.databases.create({
    parent: { type: "page_id", page_id: root },
    title: text("Table"),
    initial_data_source: { properties: { Name: { title: {} }, ...properties } },
  });
  return database.data_sources[0].id;
}

async function refused(call, code, status) {
  await assert.rejects(call, (error) => {
    assert.equal(error.code, code);
    assert.equal(error.status, status);
    return true;
  });
}

const COLUMNS = {
  No: { unique_id: { prefix: "T" } },
  Stage: { status: {} },
  Kind: { select: { options: [{ name: "a", color: "blue" }] } },
  Tags: { multi_select: { options: [{ name: "x" }] } },
  Note: { rich_text: {} },
  Count: { number: { format: "percent" } },
  Due: { date: {} },
  Who: { people: {} },
  Files: { files: {} },
  Ok: { checkbox: {} },
  Link: { url: {} },
  Mail: { email: {} },
  Phone: { phone_number: {} },
  Made: { created_time: {} },
  Maker: { created_by: {} },
  Edited: { last_edited_time: {} },
  Editor: { last_edited_by: {} },
  Twice: { formula: { expression: 'prop("Count") * 2' } },
};

const scenarios = {
  async "users are listed and found"() {
    const me = await notion.users.me({});
    const everyone = await collectPaginatedAPI(notion.users.list, { page_size: 1 });
    const found = await notion.users.retrieve({ user_id: me.id });
    assert.equal(me.type, "bot");
    assert.ok(everyone.length >= 2);
    assert.equal(found.id, me.id);
  },

  async "a page lives through everything a page can"() {
    const made = await page("A plan", { icon: { emoji: "🌿" }, children: [paragraph("first")] });
    assert.ok(isFullPage(made));
    const other = await page("Elsewhere");
    const cover = { external: { url: "https://example.com/cover.png" } };
    await notion.pages.update({ page_id: made.id, cover, is_locked: true, properties: { title: text("A better plan") } });
    await notion.pages.update({ page_id: made.id, is_locked: false, icon: null });
    const moved = await notion.pages.move({ page_id: made.id, parent: { page_id: other.id } });
    assert.equal(moved.parent.page_id, other.id);
    const trashed = await notion.pages.update({ page_id: made.id, in_trash: true });
    assert.equal(trashed.in_trash, true);
    await notion.pages.update({ page_id: made.id, in_trash: false });
    const found = await notion.pages.retrieve({ page_id: made.id });
    assert.equal(found.properties.title.title[0].plain_text, "A better plan");
  },

  async "a page is refused that is not there"() {
    await refused(
      () => notion.pages.retrieve({ page_id: "11111111-1111-4111-8111-111111111111" }),
      APIErrorCode.ObjectNotFound,
      404,
    );
    await refused(() => notion.pages.retrieve({ page_id: "nonsense" }), APIErrorCode.ValidationError, 400);
  },

  async "every kind of value is written and paged"() {
    const source = await table(COLUMNS);
    const me = await notion.users.me({});
    const written = await notion.pages.create({
      parent: { data_source_id: source },
      properties: {
        Name: { title: text("Row") },
        Stage: { status: { name: "Done" } },
        Kind: { select: { name: "b" } },
        Tags: { multi_select: [{ name: "x" }, { name: "y" }] },
        Note: { rich_text: [...text("plain "), { text: { content: "bold" }, annotations: { bold: true } }] },
        Count: { number: 0.5 },
        Due: { date: { start: "2026-05-09", end: "2026-05-11" } },
        Who: { people: [{ id: me.id }] },
        Files: { files: [{ name: "f", external: { url: "https://example.com/f.png" } }] },
        Ok: { checkbox: true },
        Link: { url: "https://example.com" },
        Mail: { email: "a@example.com" },
        Phone: { phone_number: "+49 1" },
      },
    });
    const bare = await notion.pages.create({ parent: { data_source_id: source }, properties: {} });
    for (const row of [written, bare]) {
      for (const value of Object.values(row.properties)) {
        const item = await notion.pages.properties.retrieve({ page_id: row.id, property_id: value.id });
        assert.ok(["list", "property_item"].includes(item.object));
      }
    }
    const only = await notion.pages.retrieve({ page_id: written.id, filter_properties: ["title", written.properties.Count.id] });
    assert.deepEqual(Object.keys(only.properties).sort(), ["Count", "Name"]);
  },

  async "blocks of every type are appended and read back"() {
    const here = await page("Blocks");
    const plain = { rich_text: text("a") };
    const external = { external: { url: "https://example.com/a.png" } };
    const children = [
      { paragraph: { ...plain, color: "blue" } },
      { heading_1: { ...plain, is_toggleable: true, children: [paragraph("in")] } },
      { heading_2: plain },
      { heading_3: plain },
      { heading_4: plain },
      { bulleted_list_item: { ...plain, children: [{ bulleted_list_item: { ...plain, children: [paragraph("deep")] } }] } },
      { numbered_list_item: plain },
      { to_do: { ...plain, checked: true } },
      { toggle: { ...plain, children: [paragraph("in")] } },
      { quote: plain },
      { callout: { ...plain, icon: { emoji: "💡" }, color: "gray_background" } },
      { code: { ...plain, language: "python", caption: text("c") } },
      { equation: { expression: "x^2" } },
      { divider: {} },
      { breadcrumb: {} },
      { table_of_contents: {} },
      { table: { table_width: 2, has_column_header: true, children: [{ table_row: { cells: [text("a"), []] } }] } },
      { column_list: { children: [{ column: { children: [paragraph("l")] } }, { column: { children: [paragraph("r")] } }] } },
      { synced_block: { synced_from: null, children: [paragraph("s")] } },
      { link_to_page: { page_id: root } },
      { bookmark: { url: "https://example.com" } },
      { embed: { url: "https://example.com" } },
      { image: { ...external, caption: text("c") } },
      { video: external },
      { audio: external },
      { pdf: external },
      { file: { ...external, name: "a.png" } },
      { tab: { children: [paragraph("t")] } },
    ];
    const made = await notion.blocks.children.append({ block_id: here.id, children });
    assert.equal(made.results.length, children.length);
    for (const block of made.results) {
      const found = await notion.blocks.retrieve({ block_id: block.id });
      assert.equal(found.type, block.type);
      if (found.has_children) await notion.blocks.children.list({ block_id: block.id });
    }
    const read = await collectPaginatedAPI(notion.blocks.children.list, { block_id: here.id, page_size: 10 });
    assert.deepEqual(read.map((block) => block.id), made.results.map((block) => block.id));
  },

  async "rich text of every kind comes back"() {
    const me = await notion.users.me({});
    const source = await table();
    const linked = await page("Linked");
    const rich_text = [
      { text: { content: "linked", link: { url: "https://example.com/a" } }, annotations: { italic: true, color: "red" } },
      { equation: { expression: "e" } },
      { mention: { user: { id: me.id } } },
      { mention: { page: { id: linked.id } } },
      { mention: { database: { id: source } } },
      { mention: { date: { start: "2026-05-09" } } },
      { mention: { template_mention: { template_mention_date: "today" } } },
    ].filter((run) => !run.mention?.database);
    const made = await notion.blocks.children.append({ block_id: linked.id, children: [{ paragraph: { rich_text } }] });
    assert.equal(made.results[0].paragraph.rich_text.length, rich_text.length);
  },

  async "blocks are put in place, edited, trashed and restored"() {
    const here = await page("Places");
    const first = await notion.blocks.children.append({ block_id: here.id, children: ["a", "d"].map(paragraph) });
    const after_block = { id: first.results[0].id };
    await notion.blocks.children.append({
      block_id: here.id,
      children: ["b", "c"].map(paragraph),
      ...(version === "2026-03-11" ? { position: { type: "after_block", after_block } } : { after: after_block.id }),
    });
    assert.deepEqual(words(await notion.blocks.children.list({ block_id: here.id })), ["a", "b", "c", "d"]);
    await notion.blocks.update({ block_id: after_block.id, paragraph: { rich_text: text("A") } });
    await notion.blocks.delete({ block_id: first.results[1].id });
    assert.deepEqual(words(await notion.blocks.children.list({ block_id: here.id })), ["A", "b", "c"]);
    await notion.blocks.update({ block_id: first.results[1].id, in_trash: false });
    assert.deepEqual(words(await notion.blocks.children.list({ block_id: here.id })), ["A", "b", "c", "d"]);
  },

  async "a database is made, described, trashed and restored"() {
    const database = await notion.databases.create({
      parent: { type: "page_id", page_id: root },
      title: text("Projects"),
      is_inline: true,
      initial_data_source: { properties: { Name: { title: {} } } },
    });
    const changed = await notion.databases.update({
      database_id: database.id,
      title: text("All projects"),
      description: text("of ours"),
      icon: { emoji: "📚" },
      is_inline: false,
    });
    assert.equal(changed.is_inline, false);
    await notion.databases.update({ database_id: database.id, in_trash: true });
    await notion.databases.update({ database_id: database.id, in_trash: false });
    const found = await notion.databases.retrieve({ database_id: database.id });
    assert.equal(found.title[0].plain_text, "All projects");
    assert.equal(found.in_trash, false);
  },

  async "a data source is made, changed and read"() {
    const database = await notion.databases.create({ parent: { type: "page_id", page_id: root }, title: text("Two") });
    const first = database.data_sources[0].id;
    const second = await notion.dataSources.create({
      parent: { type: "database_id", database_id: database.id },
      title: text("Second"),
      properties: { Task: { title: {} }, Of: { relation: { data_source_id: first, single_property: {} } } },
    });
    await notion.dataSources.update({
      data_source_id: second.id,
      title: text("Tasks"),
      properties: { Stage: { status: {} }, Kind: { select: {} } },
    });
    const changed = await notion.dataSources.update({
      data_source_id: second.id,
      properties: { Stage: { name: "State" }, Kind: { multi_select: {} }, Of: null },
    });
    const found = await notion.dataSources.retrieve({ data_source_id: second.id });
    assert.deepEqual(Object.keys(found.properties).sort(), ["Kind", "State", "Task"]);
    assert.equal(changed.properties.Kind.type, "multi_select");
  },

  async "rows are filtered, sorted and paged"() {
    const source = await table({ Count: { number: {} }, Kind: { select: {} } });
    for (const number of [1, 2, 3]) {
      const properties = { Count: { number }, Kind: { select: { name: number % 2 ? "odd" : "even" } } };
      await notion.pages.create({ parent: { data_source_id: source }, properties });
    }
    const odd = await notion.dataSources.query({
      data_source_id: source,
      filter: { and: [{ property: "Kind", select: { equals: "odd" } }, { property: "Count", number: { greater_than: 0 } }] },
      sorts: [{ property: "Count", direction: "descending" }],
    });
    assert.deepEqual(odd.results.map((row) => row.properties.Count.number), [3, 1]);
    const all = [];
    for await (const row of iteratePaginatedAPI(notion.dataSources.query, { data_source_id: source, page_size: 2 })) all.push(row);
    assert.equal(all.length, 3);
    await refused(
      () => notion.dataSources.query({ data_source_id: source, filter: { property: "Kind", status: { equals: "odd" } } }),
      APIErrorCode.ValidationError,
      400,
    );
  },

  async "relations are written and paged"() {
    const target = await table();
    const source = await table({ Of: { relation: { data_source_id: target, single_property: {} } } });
    const rows = [];
    for (let number = 0; number < 27; number++)
      rows.push(await notion.pages.create({ parent: { data_source_id: target }, properties: {} }));
    const related = await notion.pages.create({
      parent: { data_source_id: source },
      properties: { Of: { relation: rows.map(({ id }) => ({ id })) } },
    });
    assert.equal(related.properties.Of.relation.length, 25);
    assert.equal(related.properties.Of.has_more, true);
    const items = await collectPaginatedAPI(notion.pages.properties.retrieve, {
      page_id: related.id,
      property_id: related.properties.Of.id,
      page_size: 20,
    });
    assert.deepEqual(items.map((item) => item.relation.id), rows.map((row) => row.id));
  },

  async "two sides of a relation agree, and a rollup counts over it"() {
    const target = await table();
    const source = await table({ Of: { relation: { data_source_id: target, dual_property: { synced_property_name: "From" } } } });
    await notion.dataSources.update({
      data_source_id: target,
      properties: {
        Count: { rollup: { relation_property_name: "From", rollup_property_name: "Name", function: "count" } },
        Names: { rollup: { relation_property_name: "From", rollup_property_name: "Name", function: "show_original" } },
      },
    });
    const other = await notion.pages.create({ parent: { data_source_id: target }, properties: {} });
    const row = await notion.pages.create({
      parent: { data_source_id: source },
      properties: { Name: { title: text("One") }, Of: { relation: [{ id: other.id }] } },
    });
    const read = await notion.pages.retrieve({ page_id: other.id });
    assert.deepEqual(read.properties.From.relation, [{ id: row.id }]);
    assert.equal(read.properties.Count.rollup.number, 1);
    for (const { id } of Object.values(read.properties))
      await notion.pages.properties.retrieve({ page_id: other.id, property_id: id });
    await notion.dataSources.retrieve({ data_source_id: target });
    await notion.dataSources.query({ data_source_id: target, filter: { property: "From", relation: { contains: row.id } } });
  },

  async "search finds pages and data sources by title"() {
    const made = await page(`Quarterly lantern report, ${version}`);
    const found = await notion.search({ query: `lantern report, ${version}`, filter: { property: "object", value: "page" } });
    assert.deepEqual(found.results.map((result) => result.id), [made.id]);
    const sources = await notion.search({
      filter: { property: "object", value: "data_source" },
      sort: { timestamp: "last_edited_time", direction: "ascending" },
      page_size: 1,
    });
    assert.equal(sources.results[0].object, "data_source");
  },

  async "comments are made, answered, reworded and deleted"() {
    const here = await page("Talk", { children: [paragraph("a")] });
    const [block] = (await notion.blocks.children.list({ block_id: here.id })).results;
    const first = await notion.comments.create({ parent: { page_id: here.id }, rich_text: text("hello") });
    const answer = await notion.comments.create({ discussion_id: first.discussion_id, rich_text: text("yes") });
    await notion.comments.create({ parent: { block_id: block.id }, rich_text: text("on a block"), display_name: { type: "custom", custom: { name: "Someone" } } });
    await notion.comments.update({ comment_id: answer.id, rich_text: text("no") });
    const found = await notion.comments.retrieve({ comment_id: answer.id });
    assert.equal(found.rich_text[0].plain_text, "no");
    assert.equal((await notion.comments.list({ block_id: here.id })).results.length, 2);
    assert.equal((await notion.comments.list({ block_id: block.id })).results.length, 1);
    await notion.comments.delete({ comment_id: answer.id });
    assert.equal((await notion.comments.list({ block_id: here.id })).results.length, 1);
  },

  async "a page is read and edited as Markdown"() {
    const made = await notion.pages.create({ parent: { page_id: root }, markdown: "# Title\n\nfirst\n- second" });
    assert.equal(made.properties.title.title[0].plain_text, "Title");
    await notion.pages.updateMarkdown({
      page_id: made.id,
      type: "update_content",
      update_content: { content_updates: [{ old_str: "first", new_str: "changed" }] },
    });
    await notion.pages.updateMarkdown({ page_id: made.id, type: "insert_content", insert_content: { content: "last" } });
    const read = await notion.pages.retrieveMarkdown({ page_id: made.id });
    assert.equal(read.markdown, "changed\n- second\nlast");
    await notion.pages.updateMarkdown({ page_id: made.id, type: "replace_content", replace_content: { new_str: "all new" } });
  },

  async "a file is sent whole, and stands in a block, a value, a cover and a comment"() {
    const announced = await notion.fileUploads.create({ filename: "a.txt", content_type: "text/plain" });
    assert.equal(announced.status, "pending");
    const data = new Blob(["hello"], { type: "text/plain" });
    const sent = await notion.fileUploads.send({ file_upload_id: announced.id, file: { filename: "a.txt", data } });
    assert.equal(sent.status, "uploaded");
    assert.equal(sent.content_length, 5);
    const file_upload = { id: announced.id };
    const here = await page("Files", { cover: { file_upload } });
    assert.equal(here.cover.type, "file");
    const made = await notion.blocks.children.append({ block_id: here.id, children: [{ file: { file_upload } }] });
    assert.equal(await (await fetch(made.results[0].file.file.url)).text(), "hello");
    const source = await table({ Files: { files: {} } });
    const row = await notion.pages.create({
      parent: { data_source_id: source },
      properties: { Files: { files: [{ name: "a.txt", file_upload }] } },
    });
    assert.equal(row.properties.Files.files[0].type, "file");
    await notion.comments.create({ parent: { page_id: here.id }, rich_text: text("see"), attachments: [{ file_upload_id: announced.id }] });
    await notion.comments.list({ block_id: here.id });
  },

  async "a file is sent in parts"() {
    const announced = await notion.fileUploads.create({
      mode: "multi_part",
      filename: "big.txt",
      content_type: "text/plain",
      number_of_parts: 1,
    });
    const data = new Blob(["all of it"], { type: "text/plain" });
    await notion.fileUploads.send({ file_upload_id: announced.id, file: { filename: "big.txt", data }, part_number: "1" });
    const complete = await notion.fileUploads.complete({ file_upload_id: announced.id });
    assert.equal(complete.status, "uploaded");
    assert.equal((await notion.fileUploads.retrieve({ file_upload_id: announced.id })).content_length, 9);
    const uploads = await collectPaginatedAPI(notion.fileUploads.list, { status: "uploaded", page_size: 1 });
    assert.ok(uploads.some((upload) => upload.id === announced.id));
  },

  async "a public connection is let in, refreshed and shut out"() {
    const { code, ...client } = connection;
    const granted = await notion.oauth.token({ ...client, grant_type: "authorization_code", code });
    assert.equal((await notion.users.me({ auth: granted.access_token })).id, granted.bot_id);
    const renewed = await notion.oauth.token({ ...client, grant_type: "refresh_token", refresh_token: granted.refresh_token });
    const token = renewed.access_token;
    assert.equal((await notion.oauth.introspect({ ...client, token })).active, true);
    await notion.oauth.revoke({ ...client, token });
    assert.equal((await notion.oauth.introspect({ ...client, token })).active, false);
    await refused(() => notion.users.me({ auth: token }), APIErrorCode.Unauthorized, 401);
  },

  async "a bad token is refused"() {
    await refused(() => notion.users.me({ auth: "wrong" }), APIErrorCode.Unauthorized, 401);
  },
};

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

for (const [scenario, run] of Object.entries(scenarios)) {
  try {
    await run();
    say({ scenario, failed: null });
  } catch (error) {
    const told = { code: error.code, status: error.status, body: error.body, message: error.message, stack: error.stack };
    say({ scenario, failed: told });
  }
}
