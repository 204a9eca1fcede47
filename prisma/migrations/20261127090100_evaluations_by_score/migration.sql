-- CreateIndex
CREATE INDEX CONCURRENTLY "evaluation_tenant_id_total_training_id_idx" ON "evaluation"("tenant_id", "total", "training_id");
