SET LOCAL lock_timeout = '3s';

-- CreateTable
CREATE TABLE "version_notice" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "version" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "version_notice_pkey" PRIMARY KEY ("tenant_id","user_id","version")
);

-- CreateTable
CREATE TABLE "maintenance" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "retry_after_seconds" INTEGER NOT NULL,

    CONSTRAINT "maintenance_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "version_notice" ADD CONSTRAINT "version_notice_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand

-- There is one row at most.
ALTER TABLE "maintenance" ADD CONSTRAINT "maintenance_one" CHECK ("id" = 1);
