SET LOCAL lock_timeout = '3s';

-- CreateTable
CREATE TABLE "webhook_check" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "results" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_check_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE INDEX "webhook_check_tenant_id_endpoint_id_id_idx" ON "webhook_check"("tenant_id", "endpoint_id", "id");

-- AddForeignKey
ALTER TABLE "webhook_check" ADD CONSTRAINT "webhook_check_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoint"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
