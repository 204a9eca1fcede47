-- AlterTable
ALTER TABLE "team" ADD COLUMN     "deletion_started_at" TIMESTAMPTZ(3),
ADD COLUMN     "ended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "expiry_notice_days" SMALLINT;

-- AlterTable
ALTER TABLE "mail" ADD COLUMN     "failed_at" TIMESTAMPTZ(3),
ADD COLUMN     "tries" INTEGER NOT NULL DEFAULT 0;

-- By hand -------------------------------------------------------------------------------------------------------------

-- Teams that have ended: those of which no mail was sent yet, and those whose time is over.
CREATE INDEX "team_ended_idx" ON "team" ("ended_at") WHERE "status" = 'ended';

-- Keys that expire and were neither revoked nor replaced: their people are mailed before.
CREATE INDEX "api_key_expiring_idx" ON "api_key" ("expires_at") WHERE "expires_at" IS NOT NULL AND "revoked_at" IS NULL AND "rotated_to_id" IS NULL;
