SET LOCAL lock_timeout = '3s';

-- AlterTable
ALTER TABLE "team" ADD COLUMN  "planned_demand" "sign_in_demand",
ADD COLUMN "planned_from" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "person" ADD COLUMN "has_passkey" BOOLEAN NOT NULL DEFAULT false;
