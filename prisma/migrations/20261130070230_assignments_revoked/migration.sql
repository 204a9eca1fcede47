-- The same for another status.
CREATE INDEX CONCURRENTLY "assignment_revoked_idx" ON "assignment" ("tenant_id", "created_at", "id", "due_date") WHERE "status" = 'revoked';
