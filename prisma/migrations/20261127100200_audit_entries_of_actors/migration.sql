-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_entry_tenant_id_actor_id_created_at_id_idx" ON "audit_entry"("tenant_id", "actor_id", "created_at", "id");
