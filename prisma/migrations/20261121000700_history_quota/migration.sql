-- AlterTable
ALTER TABLE "team_user" ADD COLUMN     "private_bytes" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "webhook_team_day" (
    "tenant_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "detail_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_team_day_pkey" PRIMARY KEY ("tenant_id","day")
);

-- AddForeignKey
ALTER TABLE "webhook_team_day" ADD CONSTRAINT "webhook_team_day_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Every update of a counter stays in its page.
ALTER TABLE "webhook_team_day" SET (fillfactor = 50);

ALTER TABLE "team_user" ADD CONSTRAINT "team_user_private_check" CHECK ("private_bytes" >= 0);

-- Cases of the team never run these functions: the triggers' conditions leave them out.
CREATE FUNCTION "add_private_bytes"("tenant" uuid, "user" uuid, "more" bigint) RETURNS void LANGUAGE sql VOLATILE AS $$
    UPDATE "team_user" SET "private_bytes" = greatest(0, "private_bytes" + "more") WHERE "tenant_id" = "tenant" AND "id" = "user"
$$;

CREATE FUNCTION "count_private_case"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD."private" THEN
        PERFORM "add_private_bytes"(OLD."tenant_id", OLD."user_id", -stored_bytes(OLD));
    END IF;
    IF TG_OP <> 'DELETE' AND NEW."private" THEN
        PERFORM "add_private_bytes"(NEW."tenant_id", NEW."user_id", stored_bytes(NEW));
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER case_count_private_insert AFTER INSERT ON "case" FOR EACH ROW WHEN (NEW."private") EXECUTE FUNCTION "count_private_case"();
CREATE TRIGGER case_count_private_update AFTER UPDATE ON "case" FOR EACH ROW WHEN (OLD."private" OR NEW."private") EXECUTE FUNCTION "count_private_case"();
CREATE TRIGGER case_count_private_delete AFTER DELETE ON "case" FOR EACH ROW WHEN (OLD."private") EXECUTE FUNCTION "count_private_case"();

-- What is there already counts.
UPDATE "team_user" SET "private_bytes" = found."bytes"
  FROM (SELECT "tenant_id", "user_id", sum(stored_bytes(c)) AS "bytes" FROM "case" c WHERE "private" GROUP BY 1, 2) AS found
 WHERE "team_user"."tenant_id" = found."tenant_id" AND "team_user"."id" = found."user_id";
