-- Results, their metrics and the keys that signed them. The first migration: it assumes no older code.
-- Ids and keys are 64 lower-case hexadecimal digits as text, so that a prefix is a range of the index.
-- Words of the document ('public', 'measured', 'complete', ...) are stored as the document writes them.

CREATE TABLE keys (
    key_id TEXT NOT NULL PRIMARY KEY CHECK (length(key_id) = 64),
    public_key TEXT NOT NULL CHECK (length(public_key) = 64),
    first_seen_ms BIGINT NOT NULL,
    trust TEXT NOT NULL DEFAULT 'unknown' CHECK (trust IN ('unknown', 'trusted', 'revoked'))
);

CREATE TABLE results (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 64),
    key_id TEXT NOT NULL REFERENCES keys (key_id),
    received_ms BIGINT NOT NULL,
    started_ms BIGINT NOT NULL,
    suite TEXT NOT NULL,
    drive TEXT NOT NULL,
    drive_slug TEXT NOT NULL,
    -- As on a data sheet, lower case, no space: '2tb'. NULL when the drive reports none.
    capacity TEXT,
    capacity_bytes BIGINT,
    transport TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('measured', 'simulated')),
    visibility TEXT NOT NULL CHECK (visibility IN ('public', 'unlisted')),
    outcome TEXT NOT NULL CHECK (outcome IN ('complete', 'interrupted', 'failed')),
    hidden BOOLEAN NOT NULL DEFAULT FALSE,
    bundle_bytes BIGINT NOT NULL,
    -- What a search looks through: drive, suite, file system, host and labels, lower case.
    search TEXT NOT NULL,
    -- The model's ResultSummary, so that a list needs no bundle.
    summary_json TEXT NOT NULL
);

CREATE TABLE metrics (
    result_id TEXT NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    metric TEXT NOT NULL,
    method TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('complete', 'partial', 'void', 'failed')),
    count BIGINT NOT NULL,
    -- NULL when no loop was finished; deviation also with fewer than two.
    median DOUBLE PRECISION,
    mean DOUBLE PRECISION,
    min DOUBLE PRECISION,
    max DOUBLE PRECISION,
    deviation DOUBLE PRECISION,
    PRIMARY KEY (result_id, position)
);

CREATE INDEX results_newest ON results (received_ms DESC, id DESC) WHERE visibility = 'public' AND NOT hidden;
CREATE INDEX results_drive ON results (drive_slug, received_ms DESC);
CREATE INDEX results_key ON results (key_id);
CREATE INDEX metrics_by_metric ON metrics (metric, median) WHERE status = 'complete';
