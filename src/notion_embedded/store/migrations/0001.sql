-- The workspace: who is in it, what each token sees, and everything it holds as one tree.

CREATE TABLE workspace (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    id_prefix TEXT NOT NULL,        -- the first twelve digits of every page's and block's id
    root_page TEXT NOT NULL,
    first_token TEXT NOT NULL,
    created_time INTEGER NOT NULL
);

CREATE TABLE user (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,             -- person, bot
    name TEXT NOT NULL,
    email TEXT
);

CREATE TABLE token (
    id TEXT PRIMARY KEY,
    secret TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES user (id),
    read_only INTEGER NOT NULL,
    created_time INTEGER NOT NULL
);

CREATE TABLE share (
    token_id TEXT NOT NULL REFERENCES token (id),
    node_id TEXT NOT NULL,
    PRIMARY KEY (token_id, node_id)
) WITHOUT ROWID;

-- Pages, databases, data sources and blocks. A page or database stands among its parent's blocks
-- (as child_page, child_database), so one order by rank holds them all.
CREATE TABLE node (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,             -- page, database, data_source, block
    type TEXT NOT NULL,             -- of a block; child_page and child_database of the others
    parent TEXT,                    -- nothing: the workspace itself
    parent_kind TEXT,
    rank REAL NOT NULL,             -- the place among the parent's children
    title TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON
    created_time INTEGER NOT NULL,  -- milliseconds since 1970; pages, blocks, data sources: whole minutes
    created_by TEXT NOT NULL,
    edited_time INTEGER NOT NULL,
    edited_by TEXT NOT NULL,
    trashed INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    locked INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX node_children ON node (parent, rank, seq);
CREATE INDEX page_edited ON node (parent, trashed, archived, edited_time, seq) WHERE kind = 'page';
CREATE INDEX page_created ON node (parent, trashed, archived, created_time, seq) WHERE kind = 'page';
CREATE INDEX found_by_search ON node (edited_time, seq) WHERE kind IN ('page', 'data_source');

-- Which rows hold which option (or unique number), so that a query by status need not read every row.
CREATE TABLE choice (
    data_source TEXT NOT NULL,
    column_id TEXT NOT NULL,
    value TEXT NOT NULL,
    page INTEGER NOT NULL,
    PRIMARY KEY (data_source, column_id, value, page)
) WITHOUT ROWID;

CREATE INDEX choice_of_page ON choice (page);

-- The last number that a unique_id column gave out. Numbers are never given twice.
CREATE TABLE counter (
    data_source TEXT NOT NULL,
    column_id TEXT NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (data_source, column_id)
) WITHOUT ROWID;

CREATE TABLE comment (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    discussion_id TEXT NOT NULL,
    parent TEXT NOT NULL,
    parent_kind TEXT NOT NULL,
    rich_text TEXT NOT NULL,        -- JSON
    display_name TEXT NOT NULL,     -- JSON
    created_time INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    edited_time INTEGER NOT NULL
);

CREATE INDEX comment_parent ON comment (parent, seq);
CREATE INDEX comment_discussion ON comment (discussion_id, seq);
