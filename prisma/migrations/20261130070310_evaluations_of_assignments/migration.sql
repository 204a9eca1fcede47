-- Scored trainings of an assignment, the last evaluated first.
CREATE INDEX CONCURRENTLY "training_evaluated_of_assignment_idx" ON "training" ("tenant_id", "assignment_id", "evaluated_at", "id") WHERE "listed" AND "evaluated_at" IS NOT NULL;
