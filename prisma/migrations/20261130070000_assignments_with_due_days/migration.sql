-- The list of assignments with the filter of their due days: rows that do not match are passed over within the index.
CREATE INDEX CONCURRENTLY "assignment_tenant_id_created_at_id_due_date_idx" ON "assignment"("tenant_id", "created_at", "id", "due_date");
