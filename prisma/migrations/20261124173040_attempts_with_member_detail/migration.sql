SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "webhook_attempt" ADD COLUMN     "member_detail" BOOLEAN NOT NULL DEFAULT true;
