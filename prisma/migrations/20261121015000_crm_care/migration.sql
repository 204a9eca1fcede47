SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "crm_run" ADD COLUMN     "abandoned" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "settings_changed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "waits" INTEGER NOT NULL DEFAULT 0;
