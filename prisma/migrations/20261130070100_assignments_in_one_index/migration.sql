-- exception: the index of the migration before begins with the same columns, and so serves the same statements
DROP INDEX CONCURRENTLY "assignment_tenant_id_created_at_id_idx";
