-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "plan" AS ENUM ('basic', 'team', 'enterprise');

-- CreateEnum
CREATE TYPE "team_status" AS ENUM ('active', 'suspended', 'ended');

-- CreateEnum
CREATE TYPE "language" AS ENUM ('de', 'en');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('owner', 'admin', 'member');

-- CreateEnum
CREATE TYPE "member_status" AS ENUM ('invited', 'active', 'ended');

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('key', 'person', 'operator', 'service');

-- CreateEnum
CREATE TYPE "training_status" AS ENUM ('running', 'ended', 'scored', 'aborted');

-- CreateEnum
CREATE TYPE "training_source" AS ENUM ('app', 'phone', 'api');

-- CreateEnum
CREATE TYPE "score_dimension" AS ENUM ('closing', 'conversation_control', 'needs_analysis', 'objection_handling', 'value_argument');

-- CreateEnum
CREATE TYPE "evaluation_goal" AS ENUM ('reached', 'partial', 'missed');

-- CreateEnum
CREATE TYPE "assignment_status" AS ENUM ('open', 'in_progress', 'done', 'revoked');

-- CreateEnum
CREATE TYPE "catalog_dimension" AS ENUM ('situation', 'personality', 'industry', 'role', 'methodology');

-- CreateEnum
CREATE TYPE "catalog_rule_kind" AS ENUM ('only', 'never');

-- CreateEnum
CREATE TYPE "crm_deal_outcome" AS ENUM ('open', 'won', 'lost');

-- CreateEnum
CREATE TYPE "endpoint_status" AS ENUM ('active', 'disabled', 'disabled_failures');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'failed', 'ok', 'gave_up');

-- CreateTable
CREATE TABLE "team" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "plan" "plan" NOT NULL,
    "status" "team_status" NOT NULL DEFAULT 'active',
    "seats" INTEGER NOT NULL,
    "rate_limit_per_min" INTEGER NOT NULL DEFAULT 600,
    "language" "language" NOT NULL DEFAULT 'de',
    "member_detail_enabled" BOOLEAN NOT NULL DEFAULT true,
    "leaderboard_enabled" BOOLEAN NOT NULL DEFAULT true,
    "invitation_window_started_at" TIMESTAMPTZ(3),
    "invitations_in_window" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "team_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "person" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "language" "language" NOT NULL DEFAULT 'de',
    "password_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "person_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team_user" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,

    CONSTRAINT "team_user_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "member" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID,
    "email" TEXT NOT NULL,
    "role" "role" NOT NULL DEFAULT 'member',
    "status" "member_status" NOT NULL,
    "rights" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "invited_at" TIMESTAMPTZ(3),
    "joined_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "listed_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "member_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "invitation" (
    "tenant_id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "language" "language" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("tenant_id","member_id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "prefix" VARCHAR(12) NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "allowed_ips" INET[] DEFAULT ARRAY[]::INET[],
    "created_by" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "rotated_to_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "rate_window" (
    "subject" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "rate_window_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "tenant_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "answer" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("tenant_id","key")
);

-- CreateTable
CREATE TABLE "mail" (
    "id" UUID NOT NULL,
    "tenant_id" UUID,
    "recipient" TEXT NOT NULL,
    "language" "language" NOT NULL,
    "kind" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "error" TEXT,

    CONSTRAINT "mail_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT,
    "action" TEXT NOT NULL,
    "target_type" TEXT NOT NULL,
    "target_id" TEXT,
    "data" JSONB NOT NULL DEFAULT '{}',
    "request_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "request_log_entry" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT,
    "status" SMALLINT NOT NULL,
    "code" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_log_entry_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "training" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "status" "training_status" NOT NULL DEFAULT 'running',
    "source" "training_source" NOT NULL,
    "assignment_id" UUID,
    "situation_id" UUID,
    "personality_id" UUID,
    "industry_id" UUID,
    "role_id" UUID,
    "external_ref" JSONB,
    "finished_at" TIMESTAMPTZ(3),
    "duration_s" INTEGER,
    "evaluated_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "training_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "evaluation" (
    "tenant_id" UUID NOT NULL,
    "training_id" UUID NOT NULL,
    "closing" SMALLINT NOT NULL,
    "conversation_control" SMALLINT NOT NULL,
    "needs_analysis" SMALLINT NOT NULL,
    "objection_handling" SMALLINT NOT NULL,
    "value_argument" SMALLINT NOT NULL,
    "total" SMALLINT,
    "spread" DOUBLE PRECISION,
    "goal" "evaluation_goal",
    "tips" JSONB NOT NULL DEFAULT '[]',
    "methodology_id" UUID,
    "strongest" TEXT,
    "biggest_lever" TEXT,
    "evaluated_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "evaluation_pkey" PRIMARY KEY ("tenant_id","training_id")
);

-- CreateTable
CREATE TABLE "assignment" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "status" "assignment_status" NOT NULL DEFAULT 'open',
    "title" TEXT,
    "situation_id" UUID,
    "personality_id" UUID,
    "industry_id" UUID,
    "note" TEXT,
    "due_date" DATE,
    "focus_dimension" "score_dimension",
    "completed_training_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "assignment_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "case" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "title" TEXT,
    "persona_id" TEXT,
    "fields" JSONB,
    "external_ref" JSONB,
    "private" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "case_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "catalog_item" (
    "id" UUID NOT NULL,
    "tenant_id" UUID,
    "dimension" "catalog_dimension" NOT NULL,
    "key" TEXT NOT NULL,
    "name_de" TEXT,
    "name_en" TEXT,
    "icon" TEXT,
    "published" BOOLEAN NOT NULL DEFAULT true,
    "position" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "catalog_item_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "catalog_rule" (
    "id" UUID NOT NULL,
    "tenant_id" UUID,
    "kind" "catalog_rule_kind" NOT NULL,
    "situation_id" UUID NOT NULL,
    "item_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "catalog_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team_policy_block" (
    "tenant_id" UUID NOT NULL,
    "item_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "team_policy_block_pkey" PRIMARY KEY ("tenant_id","item_id")
);

-- CreateTable
CREATE TABLE "member_policy_block" (
    "tenant_id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "item_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "member_policy_block_pkey" PRIMARY KEY ("tenant_id","member_id","item_id")
);

-- CreateTable
CREATE TABLE "crm_connection" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "credentials" BYTEA,
    "last_synced_at" TIMESTAMPTZ(3),
    "last_failed_at" TIMESTAMPTZ(3),
    "failure_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "crm_connection_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "crm_deal" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "external_id" TEXT NOT NULL,
    "outcome" "crm_deal_outcome" NOT NULL DEFAULT 'open',
    "title" TEXT,
    "amount" TEXT,
    "currency" TEXT,
    "close_date" DATE,
    "probability" SMALLINT,
    "pipeline_id" TEXT,
    "stage_id" TEXT,
    "industry_id" UUID,
    "lost_reason" TEXT,
    "owner_user_id" UUID,
    "last_activity_at" TIMESTAMPTZ(3),
    "synced_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "crm_deal_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "crm_objection" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "deal_id" UUID NOT NULL,
    "external_id" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "lang" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "crm_objection_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "status" "endpoint_status" NOT NULL DEFAULT 'active',
    "api_version" TEXT NOT NULL,
    "description" TEXT,
    "secret" BYTEA NOT NULL,
    "last_success_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "warned_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "webhook_event" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_event_pkey" PRIMARY KEY ("tenant_id","id")
);

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
    "claim_id" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "response_code" INTEGER,
    "response_excerpt" TEXT,
    "response_ms" INTEGER,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("tenant_id","id")
);

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
);

-- CreateIndex
CREATE UNIQUE INDEX "person_email_key" ON "person"("email");

-- CreateIndex
CREATE INDEX "team_user_person_id_idx" ON "team_user"("person_id");

-- CreateIndex
CREATE UNIQUE INDEX "team_user_tenant_id_person_id_key" ON "team_user"("tenant_id", "person_id");

-- CreateIndex
CREATE INDEX "member_tenant_id_user_id_idx" ON "member"("tenant_id", "user_id");

-- CreateIndex
CREATE INDEX "member_email_idx" ON "member"("email");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_token_hash_key" ON "invitation"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_prefix_key" ON "api_key"("prefix");

-- CreateIndex
CREATE INDEX "api_key_tenant_id_created_at_id_idx" ON "api_key"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_tenant_id_rotated_to_id_key" ON "api_key"("tenant_id", "rotated_to_id");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- CreateIndex
CREATE INDEX "mail_tenant_id_created_at_id_idx" ON "mail"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_tenant_id_created_at_id_idx" ON "audit_entry"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_tenant_id_target_type_target_id_created_at_id_idx" ON "audit_entry"("tenant_id", "target_type", "target_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "request_log_entry_tenant_id_created_at_id_idx" ON "request_log_entry"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "request_log_entry_tenant_id_key_id_created_at_id_idx" ON "request_log_entry"("tenant_id", "key_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "request_log_entry_tenant_id_request_id_idx" ON "request_log_entry"("tenant_id", "request_id");

-- CreateIndex
CREATE INDEX "training_tenant_id_created_at_id_idx" ON "training"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_user_id_created_at_id_idx" ON "training"("tenant_id", "user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_status_created_at_id_idx" ON "training"("tenant_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_assignment_id_created_at_id_idx" ON "training"("tenant_id", "assignment_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "training_tenant_id_evaluated_at_id_key" ON "training"("tenant_id", "evaluated_at", "id");

-- CreateIndex
CREATE INDEX "assignment_tenant_id_created_at_id_idx" ON "assignment"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "assignment_tenant_id_member_id_created_at_id_idx" ON "assignment"("tenant_id", "member_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "case_tenant_id_private_created_at_id_idx" ON "case"("tenant_id", "private", "created_at", "id");

-- CreateIndex
CREATE INDEX "case_tenant_id_user_id_private_created_at_id_idx" ON "case"("tenant_id", "user_id", "private", "created_at", "id");

-- CreateIndex
CREATE INDEX "catalog_item_tenant_id_dimension_position_id_idx" ON "catalog_item"("tenant_id", "dimension", "position", "id");

-- CreateIndex
CREATE INDEX "catalog_rule_situation_id_item_id_idx" ON "catalog_rule"("situation_id", "item_id");

-- CreateIndex
CREATE INDEX "catalog_rule_tenant_id_idx" ON "catalog_rule"("tenant_id");

-- CreateIndex
CREATE INDEX "crm_deal_tenant_id_created_at_id_idx" ON "crm_deal"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "crm_deal_tenant_id_connection_id_external_id_key" ON "crm_deal"("tenant_id", "connection_id", "external_id");

-- CreateIndex
CREATE INDEX "crm_objection_tenant_id_created_at_id_idx" ON "crm_objection"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "crm_objection_tenant_id_deal_id_external_id_key" ON "crm_objection"("tenant_id", "deal_id", "external_id");

-- CreateIndex
CREATE INDEX "webhook_endpoint_tenant_id_created_at_id_idx" ON "webhook_endpoint"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_tenant_id_endpoint_id_created_at_id_idx" ON "webhook_delivery"("tenant_id", "endpoint_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_tenant_id_event_id_idx" ON "webhook_delivery"("tenant_id", "event_id");

-- CreateIndex
CREATE INDEX "webhook_attempt_tenant_id_delivery_id_number_idx" ON "webhook_attempt"("tenant_id", "delivery_id", "number");

-- AddForeignKey
ALTER TABLE "team_user" ADD CONSTRAINT "team_user_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_user" ADD CONSTRAINT "team_user_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_created_by_fkey" FOREIGN KEY ("tenant_id", "created_by") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_rotated_to_id_fkey" FOREIGN KEY ("tenant_id", "rotated_to_id") REFERENCES "api_key"("tenant_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_record" ADD CONSTRAINT "idempotency_record_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mail" ADD CONSTRAINT "mail_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_log_entry" ADD CONSTRAINT "request_log_entry_tenant_id_key_id_fkey" FOREIGN KEY ("tenant_id", "key_id") REFERENCES "api_key"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_tenant_id_assignment_id_fkey" FOREIGN KEY ("tenant_id", "assignment_id") REFERENCES "assignment"("tenant_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_situation_id_fkey" FOREIGN KEY ("situation_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_personality_id_fkey" FOREIGN KEY ("personality_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_industry_id_fkey" FOREIGN KEY ("industry_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_role_id_fkey" FOREIGN KEY ("role_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "evaluation" ADD CONSTRAINT "evaluation_tenant_id_training_id_fkey" FOREIGN KEY ("tenant_id", "training_id") REFERENCES "training"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "evaluation" ADD CONSTRAINT "evaluation_methodology_id_fkey" FOREIGN KEY ("methodology_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_situation_id_fkey" FOREIGN KEY ("situation_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_personality_id_fkey" FOREIGN KEY ("personality_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_industry_id_fkey" FOREIGN KEY ("industry_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_tenant_id_completed_training_id_fkey" FOREIGN KEY ("tenant_id", "completed_training_id") REFERENCES "training"("tenant_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "case" ADD CONSTRAINT "case_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "catalog_item" ADD CONSTRAINT "catalog_item_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "catalog_rule" ADD CONSTRAINT "catalog_rule_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "catalog_rule" ADD CONSTRAINT "catalog_rule_situation_id_fkey" FOREIGN KEY ("situation_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "catalog_rule" ADD CONSTRAINT "catalog_rule_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_policy_block" ADD CONSTRAINT "team_policy_block_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_policy_block" ADD CONSTRAINT "team_policy_block_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member_policy_block" ADD CONSTRAINT "member_policy_block_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member_policy_block" ADD CONSTRAINT "member_policy_block_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crm_connection" ADD CONSTRAINT "crm_connection_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crm_deal" ADD CONSTRAINT "crm_deal_tenant_id_connection_id_fkey" FOREIGN KEY ("tenant_id", "connection_id") REFERENCES "crm_connection"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crm_deal" ADD CONSTRAINT "crm_deal_tenant_id_owner_user_id_fkey" FOREIGN KEY ("tenant_id", "owner_user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crm_deal" ADD CONSTRAINT "crm_deal_industry_id_fkey" FOREIGN KEY ("industry_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crm_objection" ADD CONSTRAINT "crm_objection_tenant_id_deal_id_fkey" FOREIGN KEY ("tenant_id", "deal_id") REFERENCES "crm_deal"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_event" ADD CONSTRAINT "webhook_event_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoint"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_tenant_id_event_id_fkey" FOREIGN KEY ("tenant_id", "event_id") REFERENCES "webhook_event"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_tenant_id_delivery_id_fkey" FOREIGN KEY ("tenant_id", "delivery_id") REFERENCES "webhook_delivery"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand -------------------------------------------------------------------------------------------------------------
-- What follows is what Prisma can't say. It needs PostgreSQL 15 or newer (NULLS NOT DISTINCT).

-- Budgets: no write-ahead log, since losing them forgives at most a minute. Room in each page, so that counting
-- stays in it.
ALTER TABLE "rate_window" SET UNLOGGED;
ALTER TABLE "rate_window" SET (fillfactor = 50);

-- Rows that are updated in place all day: last use of a key, health of an endpoint.
ALTER TABLE "api_key" SET (fillfactor = 80);
ALTER TABLE "webhook_endpoint" SET (fillfactor = 70);

-- Members: an email and a user are in a team at most once, and a team has at most one owner. Ended memberships don't count.
CREATE UNIQUE INDEX "member_present_email_key" ON "member" ("tenant_id", "email") WHERE "status" <> 'ended';
CREATE UNIQUE INDEX "member_present_user_key" ON "member" ("tenant_id", "user_id") WHERE "status" <> 'ended';
CREATE UNIQUE INDEX "member_present_owner_key" ON "member" ("tenant_id") WHERE "role" = 'owner' AND "status" <> 'ended';

-- The members list, owner first. Page with ("role" <> 'owner', "listed_at", "id") > (…), ordered by the same three.
CREATE INDEX "member_list_idx" ON "member" ("tenant_id", ("role" <> 'owner'), "listed_at", "id") WHERE "status" <> 'ended';

-- The admins whom a demotion or removal counts.
CREATE INDEX "member_active_admin_idx" ON "member" ("tenant_id") WHERE "role" = 'admin' AND "status" = 'active';

-- Mail that waits to be sent.
CREATE INDEX "mail_waiting_idx" ON "mail" ("created_at", "id") WHERE "sent_at" IS NULL;

-- What the dispatcher looks for: what is due in all, what waits for one endpoint, and leases that may have run out.
CREATE INDEX "webhook_delivery_due_idx" ON "webhook_delivery" ("next_try_at") WHERE "status" IN ('pending', 'failed');
CREATE INDEX "webhook_delivery_waiting_idx" ON "webhook_delivery" ("tenant_id", "endpoint_id", "next_try_at") WHERE "status" IN ('pending', 'failed');
CREATE INDEX "webhook_delivery_lease_idx" ON "webhook_delivery" ("lease_until") WHERE "claim_id" IS NOT NULL;

-- Active endpoints that fail: whom the sweep pauses or warns.
CREATE INDEX "webhook_endpoint_failing_idx" ON "webhook_endpoint" ("failing_since") WHERE "status" = 'active' AND "failing_since" IS NOT NULL;

-- Global items and rules count as one owner here, though their tenant_id is null.
CREATE UNIQUE INDEX "catalog_item_key_key" ON "catalog_item" ("tenant_id", "dimension", "key") NULLS NOT DISTINCT;
CREATE UNIQUE INDEX "catalog_rule_pair_key" ON "catalog_rule" ("tenant_id", "situation_id", "item_id") NULLS NOT DISTINCT;

-- An evaluation's time is its training's: saving it again changes the training, and this carries it over.
ALTER TABLE "evaluation" ADD CONSTRAINT "evaluation_evaluated_at_fkey"
    FOREIGN KEY ("tenant_id", "training_id", "evaluated_at") REFERENCES "training" ("tenant_id", "id", "evaluated_at")
    ON DELETE RESTRICT ON UPDATE CASCADE;

-- Catalog references stay inside the team. True only if each item given is seen to be global or the tenant's own, so that
-- one which a transaction of another team is about to commit is refused too.
CREATE FUNCTION "catalog_items_are_in_reach"("tenant" uuid, VARIADIC "items" uuid[]) RETURNS boolean
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN NOT EXISTS (
        SELECT FROM unnest("items") AS "wanted" ("id")
        WHERE "wanted"."id" IS NOT NULL AND NOT EXISTS (
            SELECT FROM "catalog_item" AS "item"
            WHERE "item"."id" = "wanted"."id" AND ("item"."tenant_id" IS NULL OR "item"."tenant_id" = "tenant")
        )
    );
END
$$;

CREATE FUNCTION "refuse_catalog_reference"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END
$$;

CREATE TRIGGER "training_catalog_in_reach"
    BEFORE INSERT OR UPDATE OF "tenant_id", "situation_id", "personality_id", "industry_id", "role_id" ON "training" FOR EACH ROW
    WHEN (NOT "catalog_items_are_in_reach"(NEW."tenant_id", NEW."situation_id", NEW."personality_id", NEW."industry_id", NEW."role_id"))
    EXECUTE FUNCTION "refuse_catalog_reference"('a training refers to a catalog item that its team does not have');
CREATE TRIGGER "evaluation_catalog_in_reach"
    BEFORE INSERT OR UPDATE OF "tenant_id", "methodology_id" ON "evaluation" FOR EACH ROW
    WHEN (NOT "catalog_items_are_in_reach"(NEW."tenant_id", NEW."methodology_id"))
    EXECUTE FUNCTION "refuse_catalog_reference"('an evaluation refers to a catalog item that its team does not have');
CREATE TRIGGER "assignment_catalog_in_reach"
    BEFORE INSERT OR UPDATE OF "tenant_id", "situation_id", "personality_id", "industry_id" ON "assignment" FOR EACH ROW
    WHEN (NOT "catalog_items_are_in_reach"(NEW."tenant_id", NEW."situation_id", NEW."personality_id", NEW."industry_id"))
    EXECUTE FUNCTION "refuse_catalog_reference"('an assignment refers to a catalog item that its team does not have');
CREATE TRIGGER "crm_deal_catalog_in_reach"
    BEFORE INSERT OR UPDATE OF "tenant_id", "industry_id" ON "crm_deal" FOR EACH ROW
    WHEN (NOT "catalog_items_are_in_reach"(NEW."tenant_id", NEW."industry_id"))
    EXECUTE FUNCTION "refuse_catalog_reference"('a deal refers to a catalog item that its team does not have');
CREATE TRIGGER "team_policy_block_catalog_in_reach"
    BEFORE INSERT OR UPDATE OF "tenant_id", "item_id" ON "team_policy_block" FOR EACH ROW
    WHEN (NOT "catalog_items_are_in_reach"(NEW."tenant_id", NEW."item_id"))
    EXECUTE FUNCTION "refuse_catalog_reference"('a policy names a catalog item that its team does not have');
CREATE TRIGGER "member_policy_block_catalog_in_reach"
    BEFORE INSERT OR UPDATE OF "tenant_id", "item_id" ON "member_policy_block" FOR EACH ROW
    WHEN (NOT "catalog_items_are_in_reach"(NEW."tenant_id", NEW."item_id"))
    EXECUTE FUNCTION "refuse_catalog_reference"('a policy names a catalog item that its team does not have');
-- Without a tenant the rule is global, and then so are its items.
CREATE TRIGGER "catalog_rule_catalog_in_reach"
    BEFORE INSERT OR UPDATE OF "tenant_id", "situation_id", "item_id" ON "catalog_rule" FOR EACH ROW
    WHEN (NOT "catalog_items_are_in_reach"(NEW."tenant_id", NEW."situation_id", NEW."item_id"))
    EXECUTE FUNCTION "refuse_catalog_reference"('a catalog rule refers to an item that its owner does not have');
-- An item that moved would take the references that were allowed to it along.
CREATE TRIGGER "catalog_item_stays"
    BEFORE UPDATE OF "id", "tenant_id" ON "catalog_item" FOR EACH ROW
    WHEN (OLD."id" <> NEW."id" OR OLD."tenant_id" IS DISTINCT FROM NEW."tenant_id")
    EXECUTE FUNCTION "refuse_catalog_reference"('a catalog item keeps its id and its owner');

-- Invariants of single rows. Lengths are in characters, as char_length counts them. lower() under collation C touches ASCII
-- alone, so the check means the same on every server. The application lowers the rest.
ALTER TABLE "team"
    ADD CONSTRAINT "team_limits_check" CHECK ("seats" >= 0 AND "rate_limit_per_min" >= 1),
    ADD CONSTRAINT "team_invitations_check" CHECK ("invitations_in_window" >= 0 AND ("invitation_window_started_at" IS NOT NULL OR "invitations_in_window" = 0));
ALTER TABLE "person"
    ADD CONSTRAINT "person_email_check" CHECK ("email" = lower("email" COLLATE "C") AND char_length("email") BETWEEN 3 AND 254);
ALTER TABLE "member"
    ADD CONSTRAINT "member_email_check" CHECK ("email" = lower("email" COLLATE "C") AND char_length("email") BETWEEN 3 AND 254),
    ADD CONSTRAINT "member_invited_check" CHECK ("status" <> 'invited' OR ("user_id" IS NULL AND "invited_at" IS NOT NULL)),
    ADD CONSTRAINT "member_active_check" CHECK ("status" <> 'active' OR ("user_id" IS NOT NULL AND "joined_at" IS NOT NULL)),
    ADD CONSTRAINT "member_ended_check" CHECK (("status" = 'ended') = ("ended_at" IS NOT NULL));
ALTER TABLE "invitation"
    ADD CONSTRAINT "invitation_token_hash_check" CHECK (octet_length("token_hash") = 32);
ALTER TABLE "api_key"
    ADD CONSTRAINT "api_key_prefix_check" CHECK ("prefix" ~ '^[A-Za-z0-9]{12}$'),
    ADD CONSTRAINT "api_key_secret_hash_check" CHECK (octet_length("secret_hash") = 32);
ALTER TABLE "rate_window"
    ADD CONSTRAINT "rate_window_used_check" CHECK ("used" >= 0);
ALTER TABLE "idempotency_record"
    ADD CONSTRAINT "idempotency_record_key_check" CHECK (char_length("key") BETWEEN 1 AND 100);
ALTER TABLE "training"
    ADD CONSTRAINT "training_scored_check" CHECK (("status" = 'scored') = ("evaluated_at" IS NOT NULL)),
    ADD CONSTRAINT "training_running_check" CHECK ("status" <> 'running' OR "finished_at" IS NULL),
    ADD CONSTRAINT "training_duration_check" CHECK ("duration_s" >= 0),
    ADD CONSTRAINT "training_external_ref_check" CHECK (jsonb_typeof("external_ref") = 'object');
ALTER TABLE "evaluation"
    ADD CONSTRAINT "evaluation_dimensions_check" CHECK (
        "closing" BETWEEN 0 AND 100 AND "conversation_control" BETWEEN 0 AND 100 AND "needs_analysis" BETWEEN 0 AND 100
        AND "objection_handling" BETWEEN 0 AND 100 AND "value_argument" BETWEEN 0 AND 100),
    ADD CONSTRAINT "evaluation_total_check" CHECK ("total" BETWEEN 0 AND 100),
    ADD CONSTRAINT "evaluation_spread_check" CHECK ("spread" >= 0 AND "spread" < 'Infinity'),
    ADD CONSTRAINT "evaluation_tips_check" CHECK (CASE WHEN jsonb_typeof("tips") = 'array' THEN jsonb_array_length("tips") <= 5 ELSE false END);
ALTER TABLE "assignment"
    ADD CONSTRAINT "assignment_title_check" CHECK (char_length("title") BETWEEN 1 AND 120);
ALTER TABLE "case"
    ADD CONSTRAINT "case_fields_check" CHECK (jsonb_typeof("fields") IN ('object', 'array')),
    ADD CONSTRAINT "case_external_ref_check" CHECK (jsonb_typeof("external_ref") = 'object');
ALTER TABLE "catalog_item"
    ADD CONSTRAINT "catalog_item_name_check" CHECK ("name_de" IS NOT NULL OR "name_en" IS NOT NULL);
ALTER TABLE "catalog_rule"
    ADD CONSTRAINT "catalog_rule_pair_check" CHECK ("situation_id" <> "item_id");
ALTER TABLE "crm_deal"
    ADD CONSTRAINT "crm_deal_amount_check" CHECK ("amount" ~ '^-?[0-9]+(\.[0-9]+)?$'),
    ADD CONSTRAINT "crm_deal_currency_check" CHECK ("currency" ~ '^[A-Z]{3}$'),
    ADD CONSTRAINT "crm_deal_probability_check" CHECK ("probability" BETWEEN 0 AND 100);
ALTER TABLE "webhook_endpoint"
    ADD CONSTRAINT "webhook_endpoint_url_check" CHECK ("url" LIKE 'https://%'),
    ADD CONSTRAINT "webhook_endpoint_events_check" CHECK (cardinality("events") >= 1 AND 'ping' <> ALL ("events")),
    ADD CONSTRAINT "webhook_endpoint_warned_check" CHECK ("warned_at" IS NULL OR "failing_since" IS NOT NULL);
ALTER TABLE "webhook_delivery"
    ADD CONSTRAINT "webhook_delivery_attempt_check" CHECK ("attempt" >= 0 AND "scheduled" BETWEEN 0 AND "attempt"),
    ADD CONSTRAINT "webhook_delivery_lease_check" CHECK (("claim_id" IS NULL) = ("lease_until" IS NULL)),
    ADD CONSTRAINT "webhook_delivery_finished_check" CHECK ("status" IN ('pending', 'failed') OR ("next_try_at" IS NULL AND "claim_id" IS NULL)),
    ADD CONSTRAINT "webhook_delivery_resume_check" CHECK (
        ("resume_status" IS NULL OR ("resume_status" IN ('failed', 'gave_up') AND "status" = 'pending'))
        AND ("resume_at" IS NULL OR "resume_status" IS NOT DISTINCT FROM 'failed')),
    ADD CONSTRAINT "webhook_delivery_excerpt_check" CHECK (char_length("response_excerpt") <= 1000);
ALTER TABLE "webhook_attempt"
    ADD CONSTRAINT "webhook_attempt_number_check" CHECK ("number" >= 1),
    ADD CONSTRAINT "webhook_attempt_excerpt_check" CHECK (char_length("response_excerpt") <= 1000);

-- Prisma leaves a list nullable, though its client never writes null there. A check and not NOT NULL, so that the columns stay
-- what the schema says.
ALTER TABLE "member" ADD CONSTRAINT "member_lists_check" CHECK ("rights" IS NOT NULL);
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_lists_check" CHECK ("scopes" IS NOT NULL AND "allowed_ips" IS NOT NULL);
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_lists_check" CHECK ("events" IS NOT NULL);
