SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "address" TEXT;

-- AlterTable
ALTER TABLE "request_log_entry" ADD COLUMN     "address" TEXT,
ADD COLUMN     "path" TEXT,
ADD COLUMN     "problem" JSONB,
ADD COLUMN     "query" TEXT,
ADD COLUMN     "user_agent" TEXT;
