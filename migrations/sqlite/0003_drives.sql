-- What catalogue, rankings and the pages of keys ask for. Assumes the rows of 0001; number 0002 may stand beside it.
-- The new columns are derived from summary_json. The server fills those of rows whose `derived` is below the number
-- that it knows (crates/store/src/derived.rs), before it answers anything: so it does when the rules change later.

ALTER TABLE results ADD COLUMN derived BIGINT NOT NULL DEFAULT 0;
-- As far as the drive's name tells it; '' when it does not.
ALTER TABLE results ADD COLUMN make TEXT NOT NULL DEFAULT '';
-- What a search for drives looks through: name, make and capacity, lower case.
ALTER TABLE results ADD COLUMN drive_search TEXT NOT NULL DEFAULT '';
-- The model's ResultHead, so that a ranking reads no metrics but its own; '' when the row is damaged.
ALTER TABLE results ADD COLUMN head_json TEXT NOT NULL DEFAULT '';

CREATE INDEX results_derived ON results (derived);
CREATE INDEX results_by_drive ON results (origin, make, drive_slug);
CREATE INDEX metrics_by_method ON metrics (method, result_id);
