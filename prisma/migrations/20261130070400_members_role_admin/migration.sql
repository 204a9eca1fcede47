-- Members with a role or a status, in the order of the list of all (member_list_idx). Of the owner there is one.
CREATE INDEX CONCURRENTLY "member_role_admin_idx" ON "member" ("tenant_id", ("role" <> 'owner'), "listed_at", "id") WHERE "role" = 'admin' AND "status" <> 'ended';
