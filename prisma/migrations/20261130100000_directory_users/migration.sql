SET LOCAL lock_timeout = '3s';

-- CreateTable
CREATE TABLE "directory_user" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "member_id" UUID,
    "user_name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "member_address" TEXT,
    "external_id" TEXT,
    "role" "role" NOT NULL DEFAULT 'member',
    "attributes" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "directory_user_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "directory_user_tenant_id_address_key" ON "directory_user"("tenant_id", "address");

-- CreateIndex
CREATE UNIQUE INDEX "directory_user_tenant_id_member_id_key" ON "directory_user"("tenant_id", "member_id");

-- CreateIndex
CREATE INDEX "directory_user_tenant_id_member_address_idx" ON "directory_user"("tenant_id", "member_address");

-- CreateIndex
CREATE INDEX "directory_user_tenant_id_external_id_idx" ON "directory_user"("tenant_id", "external_id");

-- CreateIndex
CREATE INDEX "directory_user_address_idx" ON "directory_user"("address");

-- AddForeignKey
ALTER TABLE "directory_user" ADD CONSTRAINT "directory_user_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "directory_user" ADD CONSTRAINT "directory_user_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- What Prisma can't express
ALTER TABLE "directory_user"
    ADD CONSTRAINT "directory_user_address_check" CHECK ("address" = lower("address" COLLATE "C") AND char_length("address") BETWEEN 3 AND 254),
    ADD CONSTRAINT "directory_user_attributes_check" CHECK (json_typeof("attributes"::json) = 'object');
ALTER TABLE "directory_user" ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_team ON "directory_user" USING (tenant_id = (SELECT nullif(current_setting('app.tenant', true), '')::uuid));
