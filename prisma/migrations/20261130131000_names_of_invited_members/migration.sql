SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "member" ADD COLUMN     "invited_name" TEXT;
