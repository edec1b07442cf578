-- What a workspace has beside its tree: settings, files, public connections, and the events for webhooks.

CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL             -- JSON
) WITHOUT ROWID;

INSERT INTO setting (name, value) VALUES ('signing_key', '"' || lower(hex(randomblob(32))) || '"');

CREATE TABLE file_upload (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    mode TEXT NOT NULL,             -- single_part, multi_part, external_url
    filename TEXT,
    content_type TEXT,
    external_url TEXT,
    parts INTEGER NOT NULL,         -- how many there are to be
    status TEXT NOT NULL,           -- pending, uploaded, expired, failed
    content_length INTEGER,
    created_time INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    edited_time INTEGER NOT NULL,
    expiry_time INTEGER,            -- nothing once it is attached
    import_result TEXT              -- JSON
);

CREATE INDEX file_upload_waiting ON file_upload (expiry_time) WHERE expiry_time IS NOT NULL;
CREATE INDEX file_upload_import ON file_upload (seq) WHERE mode = 'external_url' AND status = 'pending';

-- The bytes stand in the workspace file, so that a file is there exactly when its upload says so.
CREATE TABLE file_part (
    upload TEXT NOT NULL REFERENCES file_upload (id),
    number INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (upload, number)
);

CREATE TABLE oauth_client (
    id TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,    -- JSON
    bot TEXT REFERENCES user (id),  -- made when it is first let in
    created_time INTEGER NOT NULL
);

CREATE TABLE oauth_code (
    code TEXT PRIMARY KEY,
    client TEXT NOT NULL REFERENCES oauth_client (id),
    redirect_uri TEXT NOT NULL,
    owner TEXT NOT NULL REFERENCES user (id),
    shares TEXT NOT NULL,           -- JSON
    expires INTEGER NOT NULL,
    token_id TEXT                   -- what it was redeemed for
);

CREATE TABLE oauth_grant (
    token_id TEXT PRIMARY KEY REFERENCES token (id),
    client TEXT NOT NULL REFERENCES oauth_client (id),
    owner TEXT NOT NULL REFERENCES user (id),
    refresh TEXT NOT NULL UNIQUE
);

CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    token_id TEXT NOT NULL REFERENCES token (id),
    verification_token TEXT NOT NULL,
    status TEXT NOT NULL,           -- pending, active
    events TEXT,                    -- JSON; nothing means all
    api_version TEXT NOT NULL,
    knobs TEXT NOT NULL,            -- JSON
    created_time INTEGER NOT NULL
);

-- What a transaction did, until its end, when `outbox.seal` makes events of it.
CREATE TABLE change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,          -- page, database, data_source, block, comment, file_upload
    id TEXT NOT NULL,
    deed TEXT NOT NULL,             -- made, edited, removed
    author TEXT NOT NULL,
    before TEXT,                    -- JSON
    after TEXT                      -- JSON
);

-- Events on their way to a subscriber.
CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    webhook TEXT NOT NULL REFERENCES webhook (id),
    type TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity TEXT NOT NULL,
    moment INTEGER NOT NULL,
    authors TEXT NOT NULL,          -- JSON
    data TEXT NOT NULL,             -- JSON
    attempt INTEGER NOT NULL,       -- how many there were
    due INTEGER,                    -- when the next one is; nothing once it is delivered or given up
    outcome TEXT                    -- of the last one
);

CREATE INDEX event_due ON event (due, seq) WHERE due IS NOT NULL;

CREATE TRIGGER node_made AFTER INSERT ON node
WHEN EXISTS (SELECT 1 FROM webhook WHERE status = 'active')
BEGIN
    INSERT INTO change (subject, id, deed, author) VALUES (new.kind, new.id, 'made', new.edited_by);
END;

CREATE TRIGGER node_edited AFTER UPDATE OF parent, body, trashed, locked ON node
WHEN (old.parent IS NOT new.parent OR old.body IS NOT new.body OR old.trashed <> new.trashed
    OR old.locked <> new.locked) AND EXISTS (SELECT 1 FROM webhook WHERE status = 'active')
BEGIN
    INSERT INTO change (subject, id, deed, author, before, after) VALUES (
        new.kind, new.id, 'edited', new.edited_by,
        json_object('parent', old.parent, 'trashed', old.trashed, 'locked', old.locked, 'body', json(old.body)),
        json_object('parent', new.parent, 'trashed', new.trashed, 'locked', new.locked, 'body', json(new.body))
    );
END;

CREATE TRIGGER comment_made AFTER INSERT ON comment
WHEN EXISTS (SELECT 1 FROM webhook WHERE status = 'active')
BEGIN
    INSERT INTO change (subject, id, deed, author, after)
    VALUES ('comment', new.id, 'made', new.created_by, json_object('parent', new.parent));
END;

CREATE TRIGGER comment_edited AFTER UPDATE OF rich_text ON comment
WHEN EXISTS (SELECT 1 FROM webhook WHERE status = 'active')
BEGIN
    INSERT INTO change (subject, id, deed, author, after)
    VALUES ('comment', new.id, 'edited', new.created_by, json_object('parent', new.parent));
END;

CREATE TRIGGER comment_removed AFTER DELETE ON comment
WHEN EXISTS (SELECT 1 FROM webhook WHERE status = 'active')
BEGIN
    INSERT INTO change (subject, id, deed, author, after)
    VALUES ('comment', old.id, 'removed', old.created_by, json_object('parent', old.parent));
END;

CREATE TRIGGER file_upload_made AFTER INSERT ON file_upload
WHEN EXISTS (SELECT 1 FROM webhook WHERE status = 'active')
BEGIN
    INSERT INTO change (subject, id, deed, author, after)
    VALUES ('file_upload', new.id, 'made', new.created_by, json_object('status', new.status));
END;

CREATE TRIGGER file_upload_edited AFTER UPDATE OF status ON file_upload
WHEN old.status <> new.status AND EXISTS (SELECT 1 FROM webhook WHERE status = 'active')
BEGIN
    INSERT INTO change (subject, id, deed, author, after) VALUES (
        'file_upload', new.id, 'edited', new.created_by,
        json_object('status', new.status, 'result', json(new.import_result))
    );
END;
