-- CreateIndex
CREATE INDEX CONCURRENTLY "crm_objection_tenant_id_connection_id_updated_at_id_idx" ON "crm_objection"("tenant_id", "connection_id", "updated_at", "id");
