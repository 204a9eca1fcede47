-- AlterTable
ALTER TABLE "assignment" ADD COLUMN     "changed_since_removal" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "pending_revocation" (
    "tenant_id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT,
    "request_id" UUID,
    "removed_at" TIMESTAMPTZ(3) NOT NULL,
    "done_created_at" TIMESTAMPTZ(3),
    "done_id" UUID,

    CONSTRAINT "pending_revocation_pkey" PRIMARY KEY ("tenant_id","member_id")
);

-- CreateTable
CREATE TABLE "pending_listing" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "hidden" BOOLEAN NOT NULL,

    CONSTRAINT "pending_listing_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- AddForeignKey
ALTER TABLE "pending_revocation" ADD CONSTRAINT "pending_revocation_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pending_listing" ADD CONSTRAINT "pending_listing_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand -------------------------------------------------------------------------------------------------------------

-- Rows of one member that are rewritten within the transaction that removes or adds the member. For more a job is added, so
-- that the transaction does not hold the team's lock while it rewrites them.
CREATE FUNCTION "rewritten_at_once"() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 500';

-- One job at a time for all teams: what it does is visible before it is done, so nobody waits for it. In PL/pgSQL, since the
-- queue's tables are made after these.
CREATE FUNCTION "add_rewriting_job"("task" text, "payload" json, "key" text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Before mails, of which there may be thousands.
    PERFORM graphile_worker.add_job("task", "payload", queue_name => 'rewriting', job_key => "task" || ' ' || "key", priority => -1000);
END
$$;

CREATE FUNCTION "add_listing_job"("tenant" uuid, "user" uuid) RETURNS void LANGUAGE sql VOLATILE AS $$
    SELECT "add_rewriting_job"('list_trainings', json_build_object('tenantId', "tenant", 'userId', "user"), "tenant" || ' ' || "user")
$$;

CREATE FUNCTION "add_revocation_job"("tenant" uuid, "member" uuid) RETURNS void LANGUAGE sql VOLATILE AS $$
    SELECT "add_rewriting_job"('revoke_assignments', json_build_object('tenantId', "tenant", 'memberId', "member"), "tenant" || ' ' || "member")
$$;

CREATE OR REPLACE FUNCTION "list_trainings_of_member"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "active" boolean;
    "many" boolean;
BEGIN
    PERFORM FROM "team_user" WHERE "tenant_id" = NEW."tenant_id" AND "id" = NEW."user_id" FOR NO KEY UPDATE;
    "active" := "is_active_member"(NEW."tenant_id", NEW."user_id");
    SELECT count(*) > "rewritten_at_once"() INTO "many"
      FROM (SELECT FROM "training"
             WHERE "tenant_id" = NEW."tenant_id" AND "user_id" = NEW."user_id" AND "listed" = NOT "active"
             LIMIT "rewritten_at_once"() + 1) AS "wrong";
    IF "many" THEN
        INSERT INTO "pending_listing" ("tenant_id", "user_id", "hidden") VALUES (NEW."tenant_id", NEW."user_id", NOT "active")
            ON CONFLICT ("tenant_id", "user_id") DO UPDATE SET "hidden" = EXCLUDED."hidden";
        PERFORM "add_listing_job"(NEW."tenant_id", NEW."user_id");
    ELSE
        UPDATE "training" SET "listed" = "active"
         WHERE "tenant_id" = NEW."tenant_id" AND "user_id" = NEW."user_id" AND "listed" = NOT "active";
        DELETE FROM "pending_listing" WHERE "tenant_id" = NEW."tenant_id" AND "user_id" = NEW."user_id";
    END IF;
    RETURN NULL;
END
$$;

-- Every read of assignments and trainings looks into these two, which are nearly always empty. Without statistics the planner
-- takes a new table for ten pages.
ANALYZE "pending_revocation", "pending_listing";
