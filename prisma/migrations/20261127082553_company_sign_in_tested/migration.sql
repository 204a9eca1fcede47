SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "company_sign_in" ADD COLUMN     "tested_at" TIMESTAMPTZ(3);
