-- The app's deals by their amount.
CREATE INDEX CONCURRENTLY "crm_deal_amount_idx" ON "crm_deal" ("tenant_id", "connection_id", (coalesce("amount"::float8, '-1e308'::float8)), "id");
