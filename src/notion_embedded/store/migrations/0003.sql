-- What a token may do, discussions that are over, files on comments, and a search that lags.

ALTER TABLE token ADD COLUMN capabilities TEXT;                     -- JSON; nothing: all of them

ALTER TABLE comment ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';      -- JSON
ALTER TABLE comment ADD COLUMN resolved INTEGER NOT NULL DEFAULT 0;

ALTER TABLE workspace ADD COLUMN search_lag INTEGER NOT NULL DEFAULT 0;     -- milliseconds

-- What search still knows a page or data source by, while it lags behind a change of title.
CREATE TABLE former_title (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    node INTEGER NOT NULL,
    title TEXT,                     -- nothing: it was not there before
    changed_time INTEGER            -- nothing: in the transaction that is going on
);

CREATE INDEX former_title_node ON former_title (node, seq);
CREATE INDEX former_title_now ON former_title (seq) WHERE changed_time IS NULL;

CREATE TRIGGER title_given AFTER INSERT ON node
WHEN NEW.kind IN ('page', 'data_source') AND (SELECT search_lag FROM workspace) > 0
BEGIN
    INSERT INTO former_title (node, title) VALUES (NEW.seq, NULL);
END;

CREATE TRIGGER title_changed AFTER UPDATE OF title ON node
WHEN OLD.title IS NOT NEW.title AND NEW.kind IN ('page', 'data_source')
    AND (SELECT search_lag FROM workspace) > 0
BEGIN
    INSERT INTO former_title (node, title) VALUES (NEW.seq, OLD.title);
END;
