-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "plan" AS ENUM ('basic', 'team', 'enterprise');

-- CreateEnum
CREATE TYPE "team_status" AS ENUM ('active', 'suspended', 'ended');

-- CreateEnum
CREATE TYPE "language" AS ENUM ('de', 'en');

-- CreateEnum
CREATE TYPE "sign_in_way" AS ENUM ('password', 'second_factor', 'company');

-- CreateEnum
CREATE TYPE "sign_in_demand" AS ENUM ('none', 'second_factor', 'company');

-- CreateEnum
CREATE TYPE "usage_kind" AS ENUM ('stored', 'answers');

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
CREATE TYPE "crm_connection_status" AS ENUM ('active', 'paused', 'credentials_refused');

-- CreateEnum
CREATE TYPE "crm_run_kind" AS ENUM ('full', 'incremental');

-- CreateEnum
CREATE TYPE "crm_run_outcome" AS ENUM ('ok', 'failed', 'stopped');

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
    "sign_in_demand" "sign_in_demand" NOT NULL DEFAULT 'none',
    "ended_at" TIMESTAMPTZ(3),
    "deletion_started_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "team_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team_usage" (
    "tenant_id" UUID NOT NULL,
    "kind" "usage_kind" NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "summed_at" TIMESTAMPTZ(3),

    CONSTRAINT "team_usage_pkey" PRIMARY KEY ("tenant_id","kind")
);

-- CreateTable
CREATE TABLE "person" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "language" "language" NOT NULL DEFAULT 'de',
    "email_verified" BOOLEAN NOT NULL DEFAULT true,
    "two_factor_enabled" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "person_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credential" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "provider_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "token" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "proved_at" TIMESTAMPTZ(3),
    "way" "sign_in_way" NOT NULL DEFAULT 'password',
    "company_team_id" UUID,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verification" (
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "assistant_connection" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "client_name" TEXT NOT NULL,
    "client_hash" BYTEA NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "code_challenge" TEXT NOT NULL,
    "code_used_at" TIMESTAMPTZ(3),
    "access_hash" BYTEA,
    "access_expires_at" TIMESTAMPTZ(3),
    "refresh_hash" BYTEA,
    "refreshed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "way" "sign_in_way" NOT NULL DEFAULT 'password',

    CONSTRAINT "assistant_connection_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "two_factor" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "backup_codes" TEXT NOT NULL,
    "verified" BOOLEAN NOT NULL DEFAULT false,
    "failed_verification_count" INTEGER NOT NULL DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "two_factor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "passkey" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL,
    "transports" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkey_pkey" PRIMARY KEY ("id")
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
    "company_subject" TEXT,
    "invited_at" TIMESTAMPTZ(3),
    "joined_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "listed_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

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
CREATE TABLE "waiting_invitation" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "language" "language",
    "invited_by" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "refusal" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "waiting_invitation_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "company_sign_in" (
    "tenant_id" UUID NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_secret" BYTEA NOT NULL,
    "role" "role" NOT NULL DEFAULT 'member',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "company_sign_in_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "company_domain" (
    "tenant_id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "proven_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "company_domain_pkey" PRIMARY KEY ("tenant_id","domain")
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
    "expiry_notice_days" SMALLINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "api_key_prefix" (
    "prefix" VARCHAR(12) NOT NULL,
    "tenant_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,

    CONSTRAINT "api_key_prefix_pkey" PRIMARY KEY ("prefix")
);

-- CreateTable
CREATE TABLE "request_budget" (
    "subject" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "request_budget_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "rate_window" (
    "subject" TEXT NOT NULL,
    "ends_at" TIMESTAMPTZ(6) NOT NULL,
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
    "failed_at" TIMESTAMPTZ(3),
    "tries" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "mail_pkey" PRIMARY KEY ("id")
);

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
    "address" TEXT,
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
    "count" INTEGER NOT NULL DEFAULT 1,
    "path" TEXT,
    "query" TEXT,
    "address" TEXT,
    "user_agent" TEXT,
    "problem" JSONB,

    CONSTRAINT "request_log_entry_pkey" PRIMARY KEY ("tenant_id","id")
);

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
CREATE TABLE "api_key_day" (
    "tenant_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "limited" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "api_key_day_pkey" PRIMARY KEY ("tenant_id","key_id","day")
);

-- CreateTable
CREATE TABLE "erasure" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID,
    "member_ids" UUID[],
    "emails" TEXT[],
    "names" TEXT[],
    "person_id" UUID,
    "placeholder_user_id" UUID NOT NULL,
    "placeholder_member_id" UUID NOT NULL,
    "step" TEXT NOT NULL,
    "position" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "changed" INTEGER NOT NULL DEFAULT 0,
    "failed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "erasure_pkey" PRIMARY KEY ("tenant_id","id")
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
    "external_ref" TEXT,
    "finished_at" TIMESTAMPTZ(3),
    "duration_s" INTEGER,
    "evaluated_at" TIMESTAMPTZ(3),
    "listed" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

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
    "bytes" INTEGER NOT NULL DEFAULT 0,
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
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "assignment_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "case" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "title" TEXT,
    "persona_id" TEXT,
    "fields" TEXT,
    "external_ref" TEXT,
    "bytes" INTEGER NOT NULL DEFAULT 0,
    "private" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "case_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "deletion" (
    "tenant_id" UUID NOT NULL,
    "resource" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deletion_pkey" PRIMARY KEY ("tenant_id","resource","id")
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
    "label" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "status" "crm_connection_status" NOT NULL DEFAULT 'active',
    "url" TEXT,
    "credentials" BYTEA,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "interval_seconds" INTEGER NOT NULL DEFAULT 900,
    "next_sync_at" TIMESTAMPTZ(3),
    "requested_at" TIMESTAMPTZ(3),
    "disconnected_at" TIMESTAMPTZ(3),
    "last_synced_at" TIMESTAMPTZ(3),
    "last_full_at" TIMESTAMPTZ(3),
    "last_failed_at" TIMESTAMPTZ(3),
    "failure_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "crm_connection_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "crm_run" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "kind" "crm_run_kind" NOT NULL,
    "on_demand" BOOLEAN NOT NULL DEFAULT false,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "outcome" "crm_run_outcome",
    "reason" TEXT,
    "reason_de" TEXT,
    "since" TIMESTAMPTZ(3),
    "cursor" TEXT,
    "fetched" BOOLEAN NOT NULL DEFAULT false,
    "pages" INTEGER NOT NULL DEFAULT 0,
    "waits" INTEGER NOT NULL DEFAULT 0,
    "abandoned" INTEGER NOT NULL DEFAULT 0,
    "deals" INTEGER NOT NULL DEFAULT 0,
    "objections" INTEGER NOT NULL DEFAULT 0,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "claim_id" UUID,
    "claimed_until" TIMESTAMPTZ(3),

    CONSTRAINT "crm_run_pkey" PRIMARY KEY ("tenant_id","id")
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
    "connection_id" UUID NOT NULL,
    "deal_id" UUID NOT NULL,
    "external_id" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "lang" TEXT NOT NULL,
    "synced_at" TIMESTAMPTZ(3),
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
    "failed_again_at" TIMESTAMPTZ(3),
    "slow_at" TIMESTAMPTZ(3),
    "warned_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "webhook_event" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_event_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "event_feed" (
    "tenant_id" UUID NOT NULL,
    "last_position" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_feed_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "event_feed_entry" (
    "tenant_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "position" BIGINT,

    CONSTRAINT "event_feed_entry_pkey" PRIMARY KEY ("tenant_id","event_id")
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
    "response_code" INTEGER,
    "response_excerpt" TEXT,
    "response_ms" INTEGER,
    "error" TEXT,
    "error_de" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("tenant_id","id")
);

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
    "error_de" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "member_detail" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "webhook_team_day" (
    "tenant_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "attempts" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_team_day_pkey" PRIMARY KEY ("tenant_id","day")
);

-- CreateTable
CREATE TABLE "webhook_check" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "results" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_check_pkey" PRIMARY KEY ("tenant_id","id")
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
CREATE UNIQUE INDEX "person_email_key" ON "person"("email");

-- CreateIndex
CREATE UNIQUE INDEX "credential_person_id_provider_id_key" ON "credential"("person_id", "provider_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_key" ON "session"("token");

-- CreateIndex
CREATE INDEX "session_person_id_idx" ON "session"("person_id");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE INDEX "session_company_team_id_idx" ON "session"("company_team_id");

-- CreateIndex
CREATE INDEX "verification_identifier_idx" ON "verification"("identifier");

-- CreateIndex
CREATE INDEX "verification_value_idx" ON "verification"("value");

-- CreateIndex
CREATE INDEX "verification_expires_at_idx" ON "verification"("expires_at");

-- CreateIndex
CREATE INDEX "assistant_connection_tenant_id_member_id_idx" ON "assistant_connection"("tenant_id", "member_id");

-- CreateIndex
CREATE INDEX "assistant_connection_person_id_idx" ON "assistant_connection"("person_id");

-- CreateIndex
CREATE INDEX "assistant_connection_expires_at_idx" ON "assistant_connection"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "two_factor_person_id_key" ON "two_factor"("person_id");

-- CreateIndex
CREATE UNIQUE INDEX "passkey_credential_id_key" ON "passkey"("credential_id");

-- CreateIndex
CREATE INDEX "passkey_person_id_idx" ON "passkey"("person_id");

-- CreateIndex
CREATE INDEX "team_user_person_id_idx" ON "team_user"("person_id");

-- CreateIndex
CREATE UNIQUE INDEX "team_user_tenant_id_person_id_key" ON "team_user"("tenant_id", "person_id");

-- CreateIndex
CREATE INDEX "member_tenant_id_user_id_idx" ON "member"("tenant_id", "user_id");

-- CreateIndex
CREATE INDEX "member_tenant_id_company_subject_idx" ON "member"("tenant_id", "company_subject");

-- CreateIndex
CREATE INDEX "member_email_idx" ON "member"("email");

-- CreateIndex
CREATE INDEX "waiting_invitation_tenant_id_due_at_idx" ON "waiting_invitation"("tenant_id", "due_at");

-- CreateIndex
CREATE UNIQUE INDEX "waiting_invitation_tenant_id_email_key" ON "waiting_invitation"("tenant_id", "email");

-- CreateIndex
CREATE INDEX "company_domain_domain_idx" ON "company_domain"("domain");

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
CREATE INDEX "audit_entry_tenant_id_action_created_at_id_idx" ON "audit_entry"("tenant_id", "action", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_tenant_id_target_type_target_id_created_at_id_idx" ON "audit_entry"("tenant_id", "target_type", "target_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "request_log_entry_tenant_id_key_id_id_idx" ON "request_log_entry"("tenant_id", "key_id", "id");

-- CreateIndex
CREATE INDEX "request_log_entry_tenant_id_request_id_id_idx" ON "request_log_entry"("tenant_id", "request_id", "id");

-- CreateIndex
CREATE INDEX "request_quarter_hour_start_idx" ON "request_quarter_hour" USING BRIN ("start");

-- CreateIndex
CREATE INDEX "erasure_person_id_idx" ON "erasure"("person_id");

-- CreateIndex
CREATE INDEX "training_tenant_id_listed_created_at_id_idx" ON "training"("tenant_id", "listed", "created_at", "id");


-- CreateIndex
CREATE INDEX "training_tenant_id_user_id_listed_created_at_id_idx" ON "training"("tenant_id", "user_id", "listed", "created_at", "id");


-- CreateIndex
CREATE INDEX "training_tenant_id_assignment_id_created_at_id_idx" ON "training"("tenant_id", "assignment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_listed_evaluated_at_id_idx" ON "training"("tenant_id", "listed", "evaluated_at", "id");

-- CreateIndex
CREATE INDEX "training_tenant_id_listed_updated_at_id_idx" ON "training"("tenant_id", "listed", "updated_at", "id");

-- CreateIndex
CREATE INDEX "assignment_tenant_id_created_at_id_idx" ON "assignment"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "assignment_tenant_id_due_date_id_idx" ON "assignment"("tenant_id", "due_date", "id");

-- CreateIndex
CREATE INDEX "assignment_tenant_id_member_id_created_at_id_idx" ON "assignment"("tenant_id", "member_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "assignment_tenant_id_updated_at_id_idx" ON "assignment"("tenant_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "case_tenant_id_private_created_at_id_idx" ON "case"("tenant_id", "private", "created_at", "id");

-- CreateIndex
CREATE INDEX "case_tenant_id_user_id_private_created_at_id_idx" ON "case"("tenant_id", "user_id", "private", "created_at", "id");

-- CreateIndex
CREATE INDEX "case_tenant_id_private_updated_at_id_idx" ON "case"("tenant_id", "private", "updated_at", "id");

-- CreateIndex
CREATE INDEX "deletion_tenant_id_resource_deleted_at_id_idx" ON "deletion"("tenant_id", "resource", "deleted_at", "id");

-- CreateIndex
CREATE INDEX "catalog_item_tenant_id_dimension_position_id_idx" ON "catalog_item"("tenant_id", "dimension", "position", "id");

-- CreateIndex
CREATE INDEX "catalog_rule_situation_id_item_id_idx" ON "catalog_rule"("situation_id", "item_id");

-- CreateIndex
CREATE INDEX "catalog_rule_tenant_id_idx" ON "catalog_rule"("tenant_id");

-- CreateIndex
CREATE INDEX "crm_run_tenant_id_connection_id_id_idx" ON "crm_run"("tenant_id", "connection_id", "id");

-- CreateIndex
CREATE INDEX "crm_deal_tenant_id_connection_id_created_at_id_idx" ON "crm_deal"("tenant_id", "connection_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "crm_deal_tenant_id_connection_id_external_id_key" ON "crm_deal"("tenant_id", "connection_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "crm_deal_tenant_id_connection_id_id_key" ON "crm_deal"("tenant_id", "connection_id", "id");

-- CreateIndex
CREATE INDEX "crm_objection_tenant_id_connection_id_created_at_id_idx" ON "crm_objection"("tenant_id", "connection_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "crm_objection_tenant_id_deal_id_external_id_key" ON "crm_objection"("tenant_id", "deal_id", "external_id");

-- CreateIndex
CREATE INDEX "webhook_endpoint_tenant_id_created_at_id_idx" ON "webhook_endpoint"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_endpoint_status_failing_since_idx" ON "webhook_endpoint"("status", "failing_since");

-- CreateIndex
CREATE INDEX "event_feed_entry_tenant_id_position_event_id_idx" ON "event_feed_entry"("tenant_id", "position", "event_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_tenant_id_endpoint_id_id_idx" ON "webhook_delivery"("tenant_id", "endpoint_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_tenant_id_event_id_idx" ON "webhook_delivery"("tenant_id", "event_id");

-- CreateIndex
CREATE INDEX "webhook_waiting_tenant_id_endpoint_id_due_at_idx" ON "webhook_waiting"("tenant_id", "endpoint_id", "due_at");

-- CreateIndex
CREATE INDEX "webhook_waiting_due_at_idx" ON "webhook_waiting"("due_at");

-- CreateIndex
CREATE INDEX "webhook_attempt_tenant_id_delivery_id_number_idx" ON "webhook_attempt"("tenant_id", "delivery_id", "number");

-- CreateIndex
CREATE INDEX "webhook_check_tenant_id_endpoint_id_id_idx" ON "webhook_check"("tenant_id", "endpoint_id", "id");

-- CreateIndex
CREATE INDEX "webhook_quarter_hour_start_idx" ON "webhook_quarter_hour" USING BRIN ("start");

-- AddForeignKey
ALTER TABLE "team_usage" ADD CONSTRAINT "team_usage_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credential" ADD CONSTRAINT "credential_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "assistant_connection" ADD CONSTRAINT "assistant_connection_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waiting_invitation" ADD CONSTRAINT "waiting_invitation_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "assistant_connection" ADD CONSTRAINT "assistant_connection_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "two_factor" ADD CONSTRAINT "two_factor_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "passkey" ADD CONSTRAINT "passkey_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "team_user" ADD CONSTRAINT "team_user_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "team_user" ADD CONSTRAINT "team_user_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "company_sign_in" ADD CONSTRAINT "company_sign_in_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "company_domain" ADD CONSTRAINT "company_domain_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_created_by_fkey" FOREIGN KEY ("tenant_id", "created_by") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_rotated_to_id_fkey" FOREIGN KEY ("tenant_id", "rotated_to_id") REFERENCES "api_key"("tenant_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "idempotency_record" ADD CONSTRAINT "idempotency_record_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "mail" ADD CONSTRAINT "mail_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "version_notice" ADD CONSTRAINT "version_notice_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_key_day" ADD CONSTRAINT "api_key_day_tenant_id_key_id_fkey" FOREIGN KEY ("tenant_id", "key_id") REFERENCES "api_key"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "erasure" ADD CONSTRAINT "erasure_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_tenant_id_assignment_id_fkey" FOREIGN KEY ("tenant_id", "assignment_id") REFERENCES "assignment"("tenant_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_situation_id_fkey" FOREIGN KEY ("situation_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_personality_id_fkey" FOREIGN KEY ("personality_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_industry_id_fkey" FOREIGN KEY ("industry_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "training" ADD CONSTRAINT "training_role_id_fkey" FOREIGN KEY ("role_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "evaluation" ADD CONSTRAINT "evaluation_tenant_id_training_id_fkey" FOREIGN KEY ("tenant_id", "training_id") REFERENCES "training"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "evaluation" ADD CONSTRAINT "evaluation_methodology_id_fkey" FOREIGN KEY ("methodology_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_situation_id_fkey" FOREIGN KEY ("situation_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_personality_id_fkey" FOREIGN KEY ("personality_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_industry_id_fkey" FOREIGN KEY ("industry_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "assignment" ADD CONSTRAINT "assignment_tenant_id_completed_training_id_fkey" FOREIGN KEY ("tenant_id", "completed_training_id") REFERENCES "training"("tenant_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "case" ADD CONSTRAINT "case_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "catalog_item" ADD CONSTRAINT "catalog_item_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "catalog_rule" ADD CONSTRAINT "catalog_rule_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "catalog_rule" ADD CONSTRAINT "catalog_rule_situation_id_fkey" FOREIGN KEY ("situation_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "catalog_rule" ADD CONSTRAINT "catalog_rule_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "team_policy_block" ADD CONSTRAINT "team_policy_block_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "team_policy_block" ADD CONSTRAINT "team_policy_block_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "member_policy_block" ADD CONSTRAINT "member_policy_block_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "member_policy_block" ADD CONSTRAINT "member_policy_block_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "crm_connection" ADD CONSTRAINT "crm_connection_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "crm_run" ADD CONSTRAINT "crm_run_tenant_id_connection_id_fkey" FOREIGN KEY ("tenant_id", "connection_id") REFERENCES "crm_connection"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "crm_deal" ADD CONSTRAINT "crm_deal_tenant_id_connection_id_fkey" FOREIGN KEY ("tenant_id", "connection_id") REFERENCES "crm_connection"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "crm_deal" ADD CONSTRAINT "crm_deal_tenant_id_owner_user_id_fkey" FOREIGN KEY ("tenant_id", "owner_user_id") REFERENCES "team_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "crm_deal" ADD CONSTRAINT "crm_deal_industry_id_fkey" FOREIGN KEY ("industry_id") REFERENCES "catalog_item"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "crm_objection" ADD CONSTRAINT "crm_objection_tenant_id_connection_id_deal_id_fkey" FOREIGN KEY ("tenant_id", "connection_id", "deal_id") REFERENCES "crm_deal"("tenant_id", "connection_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhook_team_day" ADD CONSTRAINT "webhook_team_day_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhook_check" ADD CONSTRAINT "webhook_check_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoint"("tenant_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhook_endpoint_day" ADD CONSTRAINT "webhook_endpoint_day_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoint"("tenant_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
