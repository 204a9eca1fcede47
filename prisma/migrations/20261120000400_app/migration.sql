-- AlterTable
ALTER TABLE "person"
ADD COLUMN     "email_verified" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "two_factor_enabled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now();
ALTER TABLE "person" ALTER COLUMN "updated_at" DROP DEFAULT;

-- CreateTable
CREATE TABLE "credential" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "provider_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "token" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verification" (
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "two_factor" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "backup_codes" TEXT NOT NULL,
    "verified" BOOLEAN NOT NULL DEFAULT false,
    "failed_verification_count" INTEGER NOT NULL DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "two_factor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_day" (
    "tenant_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "limited" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "api_key_day_pkey" PRIMARY KEY ("tenant_id","key_id","day")
);

-- CreateIndex
CREATE UNIQUE INDEX "credential_person_id_provider_id_key" ON "credential"("person_id", "provider_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_key" ON "session"("token");

-- CreateIndex
CREATE INDEX "session_person_id_idx" ON "session"("person_id");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE INDEX "verification_identifier_idx" ON "verification"("identifier");

-- CreateIndex
CREATE INDEX "verification_value_idx" ON "verification"("value");

-- CreateIndex
CREATE INDEX "verification_expires_at_idx" ON "verification"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "two_factor_person_id_key" ON "two_factor"("person_id");

-- CreateIndex
CREATE INDEX "audit_entry_tenant_id_action_created_at_id_idx" ON "audit_entry"("tenant_id", "action", "created_at", "id");

-- AddForeignKey
ALTER TABLE "credential" ADD CONSTRAINT "credential_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "two_factor" ADD CONSTRAINT "two_factor_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key_day" ADD CONSTRAINT "api_key_day_tenant_id_key_id_fkey" FOREIGN KEY ("tenant_id", "key_id") REFERENCES "api_key"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A person's password moves to where the sign-in library looks for it.
INSERT INTO "credential" ("id", "person_id", "provider_id", "account_id", "password", "created_at", "updated_at")
SELECT gen_random_uuid(), "id", 'credential', "id", "password_hash", "created_at", "created_at"
  FROM "person" WHERE "password_hash" IS NOT NULL;
ALTER TABLE "person" DROP COLUMN "password_hash";

-- The request log is made anew: a table can't become partitioned, and nothing has written into this one yet.
DROP TABLE "request_log_entry";
CREATE TABLE "request_log_entry" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT,
    "status" SMALLINT NOT NULL,
    "code" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_log_entry_pkey" PRIMARY KEY ("tenant_id","id")
) PARTITION BY RANGE ("id");
CREATE INDEX "request_log_entry_tenant_id_key_id_id_idx" ON "request_log_entry"("tenant_id", "key_id", "id");
CREATE INDEX "request_log_entry_tenant_id_request_id_idx" ON "request_log_entry"("tenant_id", "request_id");

CREATE TABLE "request_log_entry_rest" PARTITION OF "request_log_entry" DEFAULT;
DO $$
DECLARE
    day date := (now() AT TIME ZONE 'UTC')::date - 1;
BEGIN
    WHILE day <= (now() AT TIME ZONE 'UTC')::date + 14 LOOP
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF "request_log_entry" FOR VALUES FROM (%L) TO (%L)',
            'request_log_entry' || to_char(day, '_YYYYMMDD'), first_id_of(day), first_id_of(day + 1));
        day := day + 1;
    END LOOP;
END
$$;

ALTER TABLE "api_key_day"
    ADD CONSTRAINT "api_key_day_check" CHECK ("limited" >= 0 AND "refused" >= 0 AND "failed" >= 0 AND "requests" >= "limited" + "refused" + "failed");
ALTER TABLE "api_key_day" SET (fillfactor = 70);
