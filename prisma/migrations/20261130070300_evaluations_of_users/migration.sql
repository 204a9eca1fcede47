-- Scored trainings of a person, the last evaluated first.
CREATE INDEX CONCURRENTLY "training_evaluated_of_user_idx" ON "training" ("tenant_id", "user_id", "evaluated_at", "id") WHERE "listed" AND "evaluated_at" IS NOT NULL;
