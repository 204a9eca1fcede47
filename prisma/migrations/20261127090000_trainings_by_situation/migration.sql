-- CreateIndex
CREATE INDEX CONCURRENTLY "training_tenant_id_situation_id_listed_created_at_id_idx" ON "training"("tenant_id", "situation_id", "listed", "created_at", "id");
