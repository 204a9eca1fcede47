SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "member_detail" BOOLEAN;
