-- A table can't become partitioned: events, deliveries and attempts are made anew, and what was there is carried over.
ALTER TABLE "webhook_attempt" RENAME TO "former_webhook_attempt";
ALTER TABLE "webhook_delivery" RENAME TO "former_webhook_delivery";
ALTER TABLE "webhook_event" RENAME TO "former_webhook_event";
ALTER TABLE "former_webhook_attempt" RENAME CONSTRAINT "webhook_attempt_pkey" TO "former_webhook_attempt_pkey";
ALTER TABLE "former_webhook_delivery" RENAME CONSTRAINT "webhook_delivery_pkey" TO "former_webhook_delivery_pkey";
ALTER TABLE "former_webhook_event" RENAME CONSTRAINT "webhook_event_pkey" TO "former_webhook_event_pkey";
DROP INDEX "webhook_attempt_tenant_id_delivery_id_number_idx";

-- CreateTable
CREATE TABLE "webhook_event" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_event_pkey" PRIMARY KEY ("tenant_id","id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "event_type" TEXT NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "scheduled" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3),
    "resume_status" "delivery_status",
    "resume_at" TIMESTAMPTZ(3),
    "response_code" INTEGER,
    "response_excerpt" TEXT,
    "response_ms" INTEGER,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("tenant_id","id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "manual" BOOLEAN NOT NULL DEFAULT false,
    "url" TEXT NOT NULL,
    "request_headers" JSONB NOT NULL,
    "response_code" INTEGER,
    "response_headers" JSONB,
    "response_excerpt" TEXT,
    "response_ms" INTEGER,
    "error" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("tenant_id","id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "webhook_waiting" (
    "tenant_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "claim_id" UUID,
    "by_hand" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "webhook_waiting_pkey" PRIMARY KEY ("tenant_id","delivery_id")
);

-- CreateTable
CREATE TABLE "webhook_endpoint_day" (
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "total_ms" BIGINT NOT NULL DEFAULT 0,
    "slowest_ms" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_endpoint_day_pkey" PRIMARY KEY ("tenant_id","endpoint_id","day")
);

-- CreateIndex
CREATE INDEX "webhook_waiting_tenant_id_endpoint_id_due_at_idx" ON "webhook_waiting"("tenant_id", "endpoint_id", "due_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_tenant_id_endpoint_id_id_idx" ON "webhook_delivery"("tenant_id", "endpoint_id", "id");

-- CreateIndex
CREATE INDEX "webhook_attempt_tenant_id_delivery_id_number_idx" ON "webhook_attempt"("tenant_id", "delivery_id", "number");

-- AddForeignKey
ALTER TABLE "webhook_endpoint_day" ADD CONSTRAINT "webhook_endpoint_day_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoint"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What is being sent to an endpoint right now.
CREATE INDEX "webhook_waiting_claimed_idx" ON "webhook_waiting" ("tenant_id", "endpoint_id") WHERE "claim_id" IS NOT NULL;

-- What is sent though its endpoint is not active.
CREATE INDEX "webhook_waiting_by_hand_idx" ON "webhook_waiting" ("tenant_id", "endpoint_id", "due_at") WHERE "by_hand";

-- Endpoints that were paused: whose late deliveries the sweep gives up.
CREATE INDEX "webhook_endpoint_paused_idx" ON "webhook_endpoint" ("tenant_id", "id") WHERE "status" = 'disabled_failures';

ALTER TABLE "webhook_delivery"
    ADD CONSTRAINT "webhook_delivery_attempt_check" CHECK ("attempt" >= 0 AND "scheduled" BETWEEN 0 AND "attempt"),
    ADD CONSTRAINT "webhook_delivery_finished_check" CHECK ("status" IN ('pending', 'failed') OR "next_try_at" IS NULL),
    ADD CONSTRAINT "webhook_delivery_resume_check" CHECK (
        ("resume_status" IS NULL AND "resume_at" IS NULL)
        OR ("status" = 'pending' AND "resume_status" = 'failed' AND "resume_at" IS NOT NULL)
        OR ("status" = 'pending' AND "resume_status" = 'gave_up' AND "resume_at" IS NULL)),
    ADD CONSTRAINT "webhook_delivery_excerpt_check" CHECK (char_length("response_excerpt") <= 1000);
ALTER TABLE "webhook_attempt"
    ADD CONSTRAINT "webhook_attempt_number_check" CHECK ("number" >= 1),
    ADD CONSTRAINT "webhook_attempt_excerpt_check" CHECK (char_length("response_excerpt") <= 1000);
ALTER TABLE "webhook_endpoint_day"
    ADD CONSTRAINT "webhook_endpoint_day_check" CHECK ("delivered" >= 0 AND "failed" >= 0 AND "total_ms" >= 0);

-- Rows that change all day while they live: what waits is claimed and goes, sums are counted up.
ALTER TABLE "webhook_waiting" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "webhook_endpoint_day" SET (fillfactor = 70);

-- The first id that a day (UTC) can have: ids begin with their time in milliseconds.
CREATE FUNCTION first_id_of(day date) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM day) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- A partition for each day from the oldest row on, two weeks ahead; the worker makes the later ones. What has no day
-- falls into the rest, so that no write ever fails for want of a partition.
DO $$
DECLARE
    parent text;
    day date;
    oldest uuid;
BEGIN
    FOREACH parent IN ARRAY ARRAY['webhook_event', 'webhook_delivery', 'webhook_attempt'] LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', parent || '_rest', parent);
        EXECUTE format('SELECT id FROM %I ORDER BY id LIMIT 1', 'former_' || parent) INTO oldest;
        day := least(
            (now() AT TIME ZONE 'UTC')::date - 1,
            (to_timestamp(('x' || lpad(left(replace(oldest::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
                AT TIME ZONE 'UTC')::date);
        WHILE day <= (now() AT TIME ZONE 'UTC')::date + 14 LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
                parent || to_char(day, '_YYYYMMDD'), parent, first_id_of(day), first_id_of(day + 1));
            IF parent = 'webhook_delivery' THEN
                EXECUTE format('ALTER TABLE %I SET (fillfactor = 70)', parent || to_char(day, '_YYYYMMDD'));
            END IF;
            day := day + 1;
        END LOOP;
    END LOOP;
END
$$;

INSERT INTO "webhook_event" SELECT "tenant_id", "id", "type", "data", "created_at" FROM "former_webhook_event";
INSERT INTO "webhook_delivery"
SELECT "tenant_id", "id", "endpoint_id", "event_id", "event_type", "status", "attempt", "scheduled", "next_try_at",
       "resume_status", "resume_at", "response_code", "response_excerpt", "response_ms", "error", "created_at"
  FROM "former_webhook_delivery";
INSERT INTO "webhook_attempt"
SELECT "tenant_id", "id", "delivery_id", "number", "manual", "url", "request_headers", "response_code", "response_headers",
       "response_excerpt", "response_ms", "error", "started_at"
  FROM "former_webhook_attempt";
INSERT INTO "webhook_waiting" ("tenant_id", "delivery_id", "endpoint_id", "due_at", "by_hand")
SELECT "tenant_id", "id", "endpoint_id", coalesce("next_try_at", now()), "event_type" = 'ping' OR "resume_status" IS NOT NULL
  FROM "webhook_delivery" WHERE "status" IN ('pending', 'failed');

DROP TABLE "former_webhook_attempt";
DROP TABLE "former_webhook_delivery";
DROP TABLE "former_webhook_event";
