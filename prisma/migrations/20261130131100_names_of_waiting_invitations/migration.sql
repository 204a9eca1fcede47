SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "waiting_invitation" ADD COLUMN     "name" TEXT;
