-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "slow_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhook_waiting" ADD COLUMN     "has_job" BOOLEAN NOT NULL DEFAULT false;

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What the feeder reads: rows whose lane has no job yet. After this migration these are all that wait, and the first feeder gives them jobs.
CREATE INDEX "webhook_waiting_without_job_idx" ON "webhook_waiting" ("tenant_id", "endpoint_id") WHERE NOT "has_job";
