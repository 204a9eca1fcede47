-- A team has at most one invited or active member with an external id.
CREATE UNIQUE INDEX CONCURRENTLY "member_present_external_id_key" ON "member" ("tenant_id", "external_id") WHERE "status" <> 'ended' AND "external_id" IS NOT NULL;
