SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "member" ADD COLUMN     "directory_name" TEXT;
