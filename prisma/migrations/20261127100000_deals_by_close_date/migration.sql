-- The app's deals by their close date.
CREATE INDEX CONCURRENTLY "crm_deal_close_date_idx" ON "crm_deal" ("tenant_id", "connection_id", (coalesce("close_date" - '1970-01-01'::date, -1000000)), "id");
