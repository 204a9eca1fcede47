SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "header_names" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "headers" BYTEA;
