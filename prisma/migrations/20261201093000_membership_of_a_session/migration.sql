SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "session" ADD COLUMN     "company_member_id" UUID;
