-- CreateEnum
CREATE TYPE "crm_connection_status" AS ENUM ('active', 'paused', 'credentials_refused');

-- CreateEnum
CREATE TYPE "crm_run_kind" AS ENUM ('full', 'incremental');

-- CreateEnum
CREATE TYPE "crm_run_outcome" AS ENUM ('ok', 'failed', 'stopped');

-- AlterTable
ALTER TABLE "crm_connection" ADD COLUMN     "disconnected_at" TIMESTAMPTZ(3),
ADD COLUMN     "interval_seconds" INTEGER NOT NULL DEFAULT 900,
ADD COLUMN     "label" TEXT,
ADD COLUMN     "last_full_at" TIMESTAMPTZ(3),
ADD COLUMN     "next_sync_at" TIMESTAMPTZ(3),
ADD COLUMN     "requested_at" TIMESTAMPTZ(3),
ADD COLUMN     "settings" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "status" "crm_connection_status" NOT NULL DEFAULT 'active',
ADD COLUMN     "url" TEXT;

-- AlterTable
ALTER TABLE "crm_objection" ADD COLUMN     "synced_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "crm_run" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "kind" "crm_run_kind" NOT NULL,
    "on_demand" BOOLEAN NOT NULL DEFAULT false,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "outcome" "crm_run_outcome",
    "reason" TEXT,
    "since" TIMESTAMPTZ(3),
    "cursor" TEXT,
    "cursor_before" TEXT,
    "fetched" BOOLEAN NOT NULL DEFAULT false,
    "pages" INTEGER NOT NULL DEFAULT 0,
    "deals" INTEGER NOT NULL DEFAULT 0,
    "objections" INTEGER NOT NULL DEFAULT 0,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "claim_id" UUID,
    "claimed_until" TIMESTAMPTZ(3),

    CONSTRAINT "crm_run_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE INDEX "crm_run_tenant_id_connection_id_id_idx" ON "crm_run"("tenant_id", "connection_id", "id");

-- AddForeignKey
ALTER TABLE "crm_run" ADD CONSTRAINT "crm_run_tenant_id_connection_id_fkey" FOREIGN KEY ("tenant_id", "connection_id") REFERENCES "crm_connection"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand ----------------------------------------------------------------------------------------------------------------

-- Of a connection's runs at most one is not over: runs never overlap.
CREATE UNIQUE INDEX "crm_run_running_key" ON "crm_run"("tenant_id", "connection_id") WHERE "ended_at" IS NULL;

-- Each worker looks every few seconds for what is due: these hold little else.
CREATE INDEX "crm_run_claimed_idx" ON "crm_run"("claimed_until") WHERE "ended_at" IS NULL;
CREATE INDEX "crm_connection_due_idx" ON "crm_connection"("next_sync_at") WHERE "next_sync_at" IS NOT NULL;
CREATE INDEX "crm_connection_disconnected_idx" ON "crm_connection"("tenant_id", "id") WHERE "disconnected_at" IS NOT NULL;

ALTER TABLE "crm_connection"
    ADD CONSTRAINT "crm_connection_interval_check" CHECK ("interval_seconds" > 0),
    ADD CONSTRAINT "crm_connection_disconnected_check" CHECK ("disconnected_at" IS NULL OR NOT "active");

ALTER TABLE "crm_run"
    ADD CONSTRAINT "crm_run_outcome_check" CHECK (("ended_at" IS NULL) = ("outcome" IS NULL));

-- In PL/pgSQL, since the queue's tables are made after this function. At most one job of a connection waits: a second one would find
-- the run claimed. The flag bounds how many jobs of one team run at once in a worker.
CREATE FUNCTION "add_crm_sync_job"("tenant" uuid, "connection" uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM graphile_worker.add_job('crm_sync', json_build_object('tenantId', "tenant", 'connectionId', "connection"),
                                    job_key => 'crm_sync ' || "connection"::text, max_attempts => 1, flags => array['crm ' || "tenant"::text]);
END
$$;
