SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "team" ADD COLUMN     "reminders_enabled" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "assignment" ADD COLUMN     "reminded_before" DATE,
ADD COLUMN     "reminded_after" DATE;
