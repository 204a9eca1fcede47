-- CreateEnum
CREATE TYPE "usage_kind" AS ENUM ('stored', 'answers');

-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "by_hand_sent" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "by_hand_since" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "team_usage" (
    "tenant_id" UUID NOT NULL,
    "kind" "usage_kind" NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "team_usage_pkey" PRIMARY KEY ("tenant_id","kind")
);

-- AddForeignKey
ALTER TABLE "team_usage" ADD CONSTRAINT "team_usage_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

ALTER TABLE "team_usage" ADD CONSTRAINT "team_usage_check" CHECK ("bytes" >= 0);
-- Every update of a counter stays in its page.
ALTER TABLE "team_usage" SET (fillfactor = 50);

-- What a row counts for: what it holds, uncompressed, and 512 bytes for the row itself, its index entries and its line in the audit log,
-- so that a million empty rows count too.
CREATE FUNCTION stored_bytes(row_of "assignment") RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 512 + coalesce(octet_length(row_of."title"), 0) + coalesce(octet_length(row_of."note"), 0)
$$;

CREATE FUNCTION stored_bytes(row_of "case") RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 512 + coalesce(octet_length(row_of."title"), 0) + coalesce(octet_length(row_of."persona_id"), 0)
        + coalesce(octet_length(row_of."fields"::text), 0) + coalesce(octet_length(row_of."external_ref"::text), 0)
$$;

CREATE FUNCTION stored_bytes(row_of "idempotency_record") RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 512 + octet_length(row_of."key") + octet_length(row_of."answer")
$$;

CREATE FUNCTION count_usage_of_new_team() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "team_usage" ("tenant_id", "kind") SELECT NEW."id", unnest(enum_range(NULL::"usage_kind"));
    RETURN NULL;
END
$$;
CREATE TRIGGER team_count_usage AFTER INSERT ON "team" FOR EACH ROW EXECUTE FUNCTION count_usage_of_new_team();

-- What is there already counts.
INSERT INTO "team_usage" ("tenant_id", "kind", "bytes")
SELECT "id", kind, 0 FROM "team" CROSS JOIN unnest(enum_range(NULL::"usage_kind")) AS kind;

UPDATE "team_usage" SET "bytes" = found."bytes"
  FROM (SELECT "tenant_id", sum("bytes") AS "bytes"
          FROM (SELECT "tenant_id", stored_bytes(a) AS "bytes" FROM "assignment" a
                UNION ALL
                SELECT "tenant_id", stored_bytes(c) FROM "case" c) AS stored
         GROUP BY "tenant_id") AS found
 WHERE "team_usage"."tenant_id" = found."tenant_id" AND "team_usage"."kind" = 'stored';

UPDATE "team_usage" SET "bytes" = found."bytes"
  FROM (SELECT "tenant_id", sum(stored_bytes(r)) AS "bytes" FROM "idempotency_record" r GROUP BY "tenant_id") AS found
 WHERE "team_usage"."tenant_id" = found."tenant_id" AND "team_usage"."kind" = 'answers';
