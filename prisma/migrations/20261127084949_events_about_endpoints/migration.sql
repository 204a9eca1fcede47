SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "alarmed_at" TIMESTAMPTZ(3),
ADD COLUMN     "failing_event_at" TIMESTAMPTZ(3),
ADD COLUMN     "paused_event_at" TIMESTAMPTZ(3),
ADD COLUMN     "recovered_event_at" TIMESTAMPTZ(3);
