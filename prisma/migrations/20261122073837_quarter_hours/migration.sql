-- CreateTable
CREATE TABLE "request_quarter_hour" (
    "tenant_id" UUID NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "key_id" UUID NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" SMALLINT NOT NULL,
    "code" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,

    CONSTRAINT "request_quarter_hour_pkey" PRIMARY KEY ("tenant_id","start","key_id","method","route","status","code")
);

-- CreateTable
CREATE TABLE "webhook_quarter_hour" (
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "delivered" BOOLEAN NOT NULL,
    "duration" SMALLINT NOT NULL,
    "attempts" INTEGER NOT NULL,

    CONSTRAINT "webhook_quarter_hour_pkey" PRIMARY KEY ("tenant_id","endpoint_id","start","delivered","duration")
);

-- CreateIndex
CREATE INDEX "request_quarter_hour_start_idx" ON "request_quarter_hour" USING BRIN ("start");

-- CreateIndex
CREATE INDEX "webhook_quarter_hour_start_idx" ON "webhook_quarter_hour" USING BRIN ("start");

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- The rows of the current quarter of an hour change with every batch.
ALTER TABLE "request_quarter_hour" SET (fillfactor = 70);
ALTER TABLE "webhook_quarter_hour" SET (fillfactor = 70);

-- What was logged before. Requests and attempts that the former version writes while it still runs are not counted.
INSERT INTO "request_quarter_hour" ("tenant_id", "start", "key_id", "method", "route", "status", "code", "requests")
SELECT "tenant_id", date_bin('15 minutes', "created_at", 'epoch'), "key_id", "method", coalesce("route", ''), "status", coalesce("code", ''),
       sum("count")
  FROM "request_log_entry" GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7;

INSERT INTO "webhook_quarter_hour" ("tenant_id", "endpoint_id", "start", "delivered", "duration", "attempts")
SELECT d."tenant_id", d."endpoint_id", date_bin('15 minutes', a."started_at", 'epoch'),
       coalesce(a."response_code" BETWEEN 200 AND 299 AND a."error" IS NULL, false),
       ceil(round((ln(greatest(coalesce(a."response_ms", 1), 1)::float8) / ln(1.2::float8))::numeric, 9))::smallint, count(*)
  FROM "webhook_attempt" a
  JOIN "webhook_delivery" d ON d."tenant_id" = a."tenant_id" AND d."id" = a."delivery_id"
 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5;
