SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "reported_at" TIMESTAMPTZ(3);
