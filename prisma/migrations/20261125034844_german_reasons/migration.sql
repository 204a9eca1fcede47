SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "crm_run" ADD COLUMN     "reason_de" TEXT;

-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "error_de" TEXT;

-- AlterTable
ALTER TABLE "webhook_attempt" ADD COLUMN     "error_de" TEXT;
