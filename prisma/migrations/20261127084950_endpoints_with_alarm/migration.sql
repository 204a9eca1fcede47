-- For the worker, which looks for endpoints of all teams that work again.
CREATE INDEX CONCURRENTLY "webhook_endpoint_alarmed_idx" ON "webhook_endpoint" ("alarmed_at") WHERE "alarmed_at" IS NOT NULL;
