-- AlterTable
ALTER TABLE "webhook_team_day" ADD COLUMN     "attempts" BIGINT NOT NULL DEFAULT 0;
