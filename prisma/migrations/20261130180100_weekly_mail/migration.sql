SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "member" ADD COLUMN     "weekly_mail" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "weekly_mail_of" DATE;
