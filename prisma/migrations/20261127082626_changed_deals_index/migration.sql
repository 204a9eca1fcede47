-- CreateIndex
CREATE INDEX CONCURRENTLY "crm_deal_tenant_id_connection_id_updated_at_id_idx" ON "crm_deal"("tenant_id", "connection_id", "updated_at", "id");
