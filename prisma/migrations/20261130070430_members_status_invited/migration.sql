-- The same for the other status.
CREATE INDEX CONCURRENTLY "member_status_invited_idx" ON "member" ("tenant_id", ("role" <> 'owner'), "listed_at", "id") WHERE "status" = 'invited';
