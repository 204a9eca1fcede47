-- Lists are never null: so far checks said so, now the columns do. PostgreSQL proves it by the checks and does not look at the rows, so each
-- lock is held for a moment; the checks go only after that. training_week_days_check says more, and stays.
ALTER TABLE "member" ALTER COLUMN "rights" SET NOT NULL;
ALTER TABLE "api_key" ALTER COLUMN "scopes" SET NOT NULL, ALTER COLUMN "allowed_ips" SET NOT NULL;
ALTER TABLE "webhook_endpoint" ALTER COLUMN "events" SET NOT NULL;
ALTER TABLE "training_week" ALTER COLUMN "total" SET NOT NULL, ALTER COLUMN "totalled" SET NOT NULL;
ALTER TABLE "member" DROP CONSTRAINT "member_lists_check";
ALTER TABLE "api_key" DROP CONSTRAINT "api_key_lists_check";
ALTER TABLE "webhook_endpoint" DROP CONSTRAINT "webhook_endpoint_lists_check";
