SET LOCAL lock_timeout = '3s';

-- CreateTable
CREATE TABLE "assistant_connection" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "client_name" TEXT NOT NULL,
    "client_hash" BYTEA NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "code_challenge" TEXT NOT NULL,
    "code_used_at" TIMESTAMPTZ(3),
    "access_hash" BYTEA,
    "access_expires_at" TIMESTAMPTZ(3),
    "refresh_hash" BYTEA,
    "refreshed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "assistant_connection_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "assistant_connection_code_hash_key" ON "assistant_connection"("code_hash");

-- CreateIndex
CREATE UNIQUE INDEX "assistant_connection_access_hash_key" ON "assistant_connection"("access_hash");

-- CreateIndex
CREATE INDEX "assistant_connection_tenant_id_member_id_idx" ON "assistant_connection"("tenant_id", "member_id");

-- CreateIndex
CREATE INDEX "assistant_connection_person_id_idx" ON "assistant_connection"("person_id");

-- CreateIndex
CREATE INDEX "assistant_connection_expires_at_idx" ON "assistant_connection"("expires_at");

-- AddForeignKey
ALTER TABLE "assistant_connection" ADD CONSTRAINT "assistant_connection_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assistant_connection" ADD CONSTRAINT "assistant_connection_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;
