-- The same for the other role.
CREATE INDEX CONCURRENTLY "member_role_member_idx" ON "member" ("tenant_id", ("role" <> 'owner'), "listed_at", "id") WHERE "role" = 'member' AND "status" <> 'ended';
