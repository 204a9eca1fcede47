-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- How many bytes a text has in an answer, its quotes and escapes included. Of a text it is immutable: what to_json writes of
-- one depends on no setting.
CREATE FUNCTION json_bytes(value text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(octet_length(to_json(value)::text), 4);

-- How much of a page each row takes, as far as it may be much. Stored, so that a page can be cut without reading the rows behind
-- its end. Each of the three tables is rewritten once.
ALTER TABLE "case" ADD COLUMN "bytes" integer NOT NULL GENERATED ALWAYS AS (
    coalesce(octet_length("fields"::text), 4) + coalesce(octet_length("external_ref"::text), 4)
        + json_bytes("title") + json_bytes("persona_id")) STORED;
ALTER TABLE "training" ADD COLUMN "bytes" integer NOT NULL GENERATED ALWAYS AS (
    coalesce(octet_length("external_ref"::text), 4)) STORED;
ALTER TABLE "assignment" ADD COLUMN "bytes" integer NOT NULL GENERATED ALWAYS AS (
    json_bytes("note") + json_bytes("title")) STORED;
