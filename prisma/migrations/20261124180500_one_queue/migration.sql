SET LOCAL lock_timeout = '3s';

-- exception: no released version writes this column
DROP INDEX "webhook_waiting_without_job_idx";

-- exception: no released version writes this column
ALTER TABLE "webhook_waiting" DROP COLUMN "has_job";
