SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "erasure" ADD COLUMN     "failed_at" TIMESTAMPTZ(3);

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- The jobs that work on many rows of a team: one at a time for each team, and a few of all teams. A worker counts those with the flag.
-- exception: the former version calls it with the same arguments, and runs its jobs whatever queue and flags they have
CREATE OR REPLACE FUNCTION "add_rewriting_job"("task" text, "payload" json, "key" text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Before mails, of which there may be thousands.
    PERFORM graphile_worker.add_job("task", "payload", queue_name => 'rewriting ' || ("payload" ->> 'tenantId'),
                                    job_key => "task" || ' ' || "key", priority => -1000, flags => ARRAY['rewriting']);
END
$$;
