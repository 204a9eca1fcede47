SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "member" ADD COLUMN     "external_id" TEXT;

-- AlterTable
ALTER TABLE "waiting_invitation" ADD COLUMN     "external_id" TEXT;
