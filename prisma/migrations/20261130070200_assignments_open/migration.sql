-- Assignments with a status, as the lists of trainings have it: each status has an index of its own.
CREATE INDEX CONCURRENTLY "assignment_open_idx" ON "assignment" ("tenant_id", "created_at", "id", "due_date") WHERE "status" = 'open';
