-- CreateTable
CREATE TABLE "erasure" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID,
    "member_ids" UUID[] NOT NULL,
    "emails" TEXT[] NOT NULL,
    "names" TEXT[] NOT NULL,
    "person_id" UUID,
    "placeholder_user_id" UUID NOT NULL,
    "placeholder_member_id" UUID NOT NULL,
    "step" TEXT NOT NULL,
    "position" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "changed" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "erasure_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE INDEX "erasure_person_id_idx" ON "erasure"("person_id");

-- AddForeignKey
ALTER TABLE "erasure" ADD CONSTRAINT "erasure_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A text in which each pattern (a regular expression, in any case) is replaced by what stands at the same place in the other list.
CREATE FUNCTION "erased_text"("value" text, "patterns" text[], "replacements" text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    FOR "n" IN 1 .. cardinality("patterns") LOOP
        "value" := regexp_replace("value", "patterns"["n"], "replacements"["n"], 'gi');
    END LOOP;
    RETURN "value";
END
$$;

-- Takes back what add_rewriting_job added. The names of such jobs hold ids.
CREATE FUNCTION "remove_rewriting_job"("task" text, "key" text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM graphile_worker.remove_job("task" || ' ' || "key");
END
$$;
