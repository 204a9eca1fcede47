-- The order of the list by due date. Alone in its migration, since CONCURRENTLY can't be part of a transaction.
CREATE INDEX CONCURRENTLY "assignment_tenant_id_due_date_id_idx" ON "assignment"("tenant_id", "due_date", "id");
