-- The same for a status.
CREATE INDEX CONCURRENTLY "member_status_active_idx" ON "member" ("tenant_id", ("role" <> 'owner'), "listed_at", "id") WHERE "status" = 'active';
