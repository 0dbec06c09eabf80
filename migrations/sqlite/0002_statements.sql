-- What signers say of their results later: released, or withdrawn.
-- `results.visibility` is 'public' as soon as a result is public, whatever its document says; `received_ms` is then
-- when it came, or when an unlisted one was released, so that what is new to everyone stands first.

-- When an unlisted result becomes public by itself; NULL when nothing is planned.
ALTER TABLE results ADD COLUMN release_ms BIGINT;

CREATE INDEX results_release ON results (release_ms) WHERE release_ms IS NOT NULL;

-- Every statement that was accepted, as it was signed; a nonce counts once.
CREATE TABLE statements (
    result_id TEXT NOT NULL CHECK (length(result_id) = 64),
    nonce TEXT NOT NULL CHECK (length(nonce) = 32),
    action TEXT NOT NULL CHECK (action IN ('withdraw', 'release', 'points')),
    made_ms BIGINT NOT NULL,
    received_ms BIGINT NOT NULL,
    envelope TEXT NOT NULL,
    PRIMARY KEY (result_id, nonce)
);

-- All that is left of a withdrawn result: that it is gone, and who may say so.
CREATE TABLE withdrawn (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 64),
    key_id TEXT NOT NULL REFERENCES keys (key_id),
    -- Whether it had been public: else only its whole id is told to be withdrawn.
    listed BOOLEAN NOT NULL,
    withdrawn_ms BIGINT NOT NULL
);
