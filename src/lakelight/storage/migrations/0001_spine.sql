-- What we know about this state file: one word a row.
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- The ledger: one row a ticket page that was ever seen, with what we made of it.
CREATE TABLE tickets (
    page_id TEXT PRIMARY KEY,
    number TEXT NOT NULL,
    title TEXT NOT NULL,
    url TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('backlog', 'queued', 'working', 'waiting', 'skipped', 'done', 'failed', 'ignored')),
    reason TEXT NOT NULL DEFAULT '',
    reason_facts TEXT NOT NULL DEFAULT '{}',
    agent TEXT NOT NULL DEFAULT '',
    content_hash TEXT NOT NULL,
    stamp TEXT NOT NULL,
    run_id TEXT,
    receipt INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

-- A run: one ticket being worked on, one turn of a chat, one undoing. `advance` jobs carry it, or a process of its
-- own (`owner`); this row and its steps are the truth.
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL DEFAULT 'ticket' CHECK (kind IN ('ticket', 'chat', 'undo')),
    page_id TEXT REFERENCES tickets (page_id),
    session_id TEXT,
    agent TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('queued', 'working', 'waiting', 'done', 'failed', 'dropped')),
    reason TEXT NOT NULL DEFAULT '',
    reason_facts TEXT NOT NULL DEFAULT '{}',
    job_id TEXT NOT NULL,
    jobs INTEGER NOT NULL DEFAULT 1,
    tries INTEGER NOT NULL DEFAULT 0,
    due_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX runs_by_state ON runs (state, due_at);
CREATE UNIQUE INDEX one_live_run_a_ticket ON runs (page_id) WHERE state IN ('queued', 'working', 'waiting');
CREATE INDEX runs_by_session ON runs (session_id, id);

-- The journal: what a run has found, decided and done. A step is written once.
CREATE TABLE steps (
    run_id TEXT NOT NULL REFERENCES runs (id),
    seq INTEGER NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (run_id, name)
);

-- The number that a receipt bears.
CREATE TABLE receipts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE REFERENCES runs (id)
);

-- Intents: said before a request goes out, with what is needed to find out afterwards whether it arrived.
CREATE TABLE intents (
    operation_id TEXT PRIMARY KEY,
    operation TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    run_id TEXT NOT NULL,
    anchor TEXT NOT NULL,
    sends INTEGER NOT NULL,
    sent_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('sent', 'unsent', 'written', 'refused', 'overtaken')),
    outcome TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX intents_by_state ON intents (state);

-- The trail: append-only, each row bound to the one before it.
CREATE TABLE audit_events (
    seq INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    actor TEXT NOT NULL,
    source TEXT NOT NULL,
    body TEXT NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE TRIGGER audit_events_are_never_changed BEFORE UPDATE ON audit_events BEGIN
    SELECT RAISE(ABORT, 'the trail is append-only');
END;
CREATE TRIGGER audit_events_are_never_removed BEFORE DELETE ON audit_events BEGIN
    SELECT RAISE(ABORT, 'the trail is append-only');
END;
-- INSERT OR REPLACE removes a row without asking the trigger above.
CREATE TRIGGER audit_events_are_never_replaced BEFORE INSERT ON audit_events
WHEN EXISTS (SELECT 1 FROM audit_events WHERE seq >= NEW.seq OR event_id = NEW.event_id) BEGIN
    SELECT RAISE(ABORT, 'the trail is append-only');
END;

-- Approvals wait for a person for as long as it takes.
CREATE TABLE approvals (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    operation_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    agent TEXT NOT NULL,
    run_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    policy_hash TEXT NOT NULL,
    preview TEXT NOT NULL DEFAULT '{}',
    pre_state TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'used', 'stale', 'superseded', 'withdrawn')),
    successor INTEGER REFERENCES approvals (number),
    created_at TEXT NOT NULL,
    decided_at TEXT,
    decided_by TEXT NOT NULL DEFAULT '',
    comment TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX one_question_an_operation ON approvals (operation_id) WHERE state IN ('pending', 'approved');

-- Every call of a model, failed ones too.
CREATE TABLE model_usage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    ticket TEXT NOT NULL,
    run_id TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    outcome TEXT NOT NULL
);
