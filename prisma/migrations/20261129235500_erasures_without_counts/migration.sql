SET LOCAL lock_timeout = '3s';

-- IF EXISTS: for a time the first migration did not create these columns.
-- exception: no version that was released reads or writes these two columns
ALTER TABLE "erasure" DROP COLUMN IF EXISTS "deleted",
DROP COLUMN IF EXISTS "changed";
