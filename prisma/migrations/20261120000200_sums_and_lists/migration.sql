-- No training, evaluation or objection exists yet: nothing could make one before. So nothing is filled in here.

-- AlterTable
ALTER TABLE "evaluation" DROP COLUMN "evaluated_at";

-- DropForeignKey
ALTER TABLE "crm_objection" DROP CONSTRAINT "crm_objection_tenant_id_deal_id_fkey";

-- DropIndex
DROP INDEX "training_tenant_id_created_at_id_idx";

-- DropIndex
DROP INDEX "training_tenant_id_user_id_created_at_id_idx";

-- DropIndex
DROP INDEX "training_tenant_id_status_created_at_id_idx";

-- DropIndex
DROP INDEX "training_tenant_id_evaluated_at_id_key";

-- DropIndex
DROP INDEX "crm_deal_tenant_id_created_at_id_idx";

-- DropIndex
DROP INDEX "crm_objection_tenant_id_created_at_id_idx";

-- AlterTable
ALTER TABLE "training" ADD COLUMN     "listed" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "crm_objection" ADD COLUMN     "connection_id" UUID NOT NULL;

-- CreateTable
CREATE TABLE "training_totals" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "sessions" INTEGER NOT NULL DEFAULT 0,
    "scored" INTEGER NOT NULL DEFAULT 0,
    "totalled" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL DEFAULT 0,
    "closing" INTEGER NOT NULL DEFAULT 0,
    "conversation_control" INTEGER NOT NULL DEFAULT 0,
    "needs_analysis" INTEGER NOT NULL DEFAULT 0,
    "objection_handling" INTEGER NOT NULL DEFAULT 0,
    "value_argument" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "training_totals_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- CreateTable
CREATE TABLE "training_week" (
    "tenant_id" UUID NOT NULL,
    "week" DATE NOT NULL,
    "user_id" UUID NOT NULL,
    "total" INTEGER[] DEFAULT ARRAY[0, 0, 0, 0, 0, 0, 0]::INTEGER[],
    "totalled" INTEGER[] DEFAULT ARRAY[0, 0, 0, 0, 0, 0, 0]::INTEGER[],

    CONSTRAINT "training_week_pkey" PRIMARY KEY ("tenant_id","week","user_id")
);

-- CreateIndex
CREATE INDEX "training_tenant_id_listed_created_at_id_idx" ON "training"("tenant_id", "listed", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_listed_status_created_at_id_idx" ON "training"("tenant_id", "listed", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_user_id_listed_created_at_id_idx" ON "training"("tenant_id", "user_id", "listed", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_user_id_listed_status_created_at_id_idx" ON "training"("tenant_id", "user_id", "listed", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_listed_evaluated_at_id_idx" ON "training"("tenant_id", "listed", "evaluated_at", "id");

-- CreateIndex
CREATE INDEX "crm_deal_tenant_id_connection_id_created_at_id_idx" ON "crm_deal"("tenant_id", "connection_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "crm_deal_tenant_id_connection_id_id_key" ON "crm_deal"("tenant_id", "connection_id", "id");

-- CreateIndex
CREATE INDEX "crm_objection_tenant_id_connection_id_created_at_id_idx" ON "crm_objection"("tenant_id", "connection_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "training_totals" ADD CONSTRAINT "training_totals_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training_week" ADD CONSTRAINT "training_week_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crm_objection" ADD CONSTRAINT "crm_objection_tenant_id_connection_id_deal_id_fkey" FOREIGN KEY ("tenant_id", "connection_id", "deal_id") REFERENCES "crm_deal"("tenant_id", "connection_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand -------------------------------------------------------------------------------------------------------------

-- A training is listed exactly while its user is an active member. Both sides take the user's row, so that a training that
-- is started and a membership that begins or ends at the same time see each other.
-- What is said of `ended` changes nothing; it is the condition of the index that finds a user's membership.
CREATE FUNCTION "is_active_member"("tenant" uuid, "wanted" uuid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (SELECT FROM "member" WHERE "tenant_id" = "tenant" AND "user_id" = "wanted" AND "status" = 'active' AND "status" <> 'ended')
$$;

CREATE FUNCTION "list_training"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM "team_user" WHERE "tenant_id" = NEW."tenant_id" AND "id" = NEW."user_id" FOR SHARE;
    NEW."listed" := "is_active_member"(NEW."tenant_id", NEW."user_id");
    RETURN NEW;
END
$$;
CREATE TRIGGER "training_listed"
    BEFORE INSERT OR UPDATE OF "tenant_id", "user_id" ON "training" FOR EACH ROW
    EXECUTE FUNCTION "list_training"();

CREATE FUNCTION "list_trainings_of_member"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "active" boolean;
BEGIN
    PERFORM FROM "team_user" WHERE "tenant_id" = NEW."tenant_id" AND "id" = NEW."user_id" FOR NO KEY UPDATE;
    "active" := "is_active_member"(NEW."tenant_id", NEW."user_id");
    UPDATE "training" SET "listed" = "active"
     WHERE "tenant_id" = NEW."tenant_id" AND "user_id" = NEW."user_id" AND "listed" = NOT "active";
    RETURN NULL;
END
$$;
CREATE TRIGGER "member_trainings_listed"
    AFTER INSERT OR UPDATE OF "status", "user_id" ON "member" FOR EACH ROW
    WHEN (NEW."user_id" IS NOT NULL)
    EXECUTE FUNCTION "list_trainings_of_member"();

ALTER TABLE "training_totals"
    ADD CONSTRAINT "training_totals_counts_check" CHECK ("sessions" >= "scored" AND "scored" >= "totalled" AND "totalled" >= 0);
ALTER TABLE "training_week"
    ADD CONSTRAINT "training_week_monday_check" CHECK (extract(isodow FROM "week") = 1),
    ADD CONSTRAINT "training_week_days_check" CHECK ("total" IS NOT NULL AND "totalled" IS NOT NULL AND cardinality("total") = 7 AND cardinality("totalled") = 7);

-- Counted in place all day long.
ALTER TABLE "training_totals" SET (fillfactor = 70);
ALTER TABLE "training_week" SET (fillfactor = 70);
