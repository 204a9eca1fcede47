-- What schema.prisma can't express. Needs PostgreSQL 15 or newer (NULLS NOT DISTINCT).

-- Storage -------------------------------------------------------------------------------------------------------------

-- Budgets are not written to the write-ahead log: their loss forgives at most a minute.
ALTER TABLE "rate_window" SET UNLOGGED;
ALTER TABLE "request_budget" SET UNLOGGED;

-- Rows that are updated all day: the next version of a row fits into the same page, so an update touches no index.
ALTER TABLE "api_key" SET (fillfactor = 80);
ALTER TABLE "api_key_day" SET (fillfactor = 70);
ALTER TABLE "rate_window" SET (fillfactor = 50);
ALTER TABLE "request_budget" SET (fillfactor = 50);
ALTER TABLE "request_quarter_hour" SET (fillfactor = 70);
ALTER TABLE "team_usage" SET (fillfactor = 50);
ALTER TABLE "webhook_endpoint" SET (fillfactor = 70);
ALTER TABLE "webhook_endpoint_day" SET (fillfactor = 70);
ALTER TABLE "webhook_quarter_hour" SET (fillfactor = 70);
ALTER TABLE "webhook_team_day" SET (fillfactor = 50);

-- Many rows come and go: waiting deliveries are claimed and deleted, entries of a feed are deleted with their event.
ALTER TABLE "event_feed_entry" SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "webhook_waiting" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Columns -------------------------------------------------------------------------------------------------------------

-- Lists are never null. Prisma leaves their columns nullable, though its client never writes null there.
ALTER TABLE "api_key" ALTER COLUMN "scopes" SET NOT NULL, ALTER COLUMN "allowed_ips" SET NOT NULL;
ALTER TABLE "erasure"
    ALTER COLUMN "member_ids" SET NOT NULL, ALTER COLUMN "emails" SET NOT NULL, ALTER COLUMN "names" SET NOT NULL,
    ALTER COLUMN "position" SET NOT NULL;
ALTER TABLE "member" ALTER COLUMN "rights" SET NOT NULL;
ALTER TABLE "passkey" ALTER COLUMN "transports" SET NOT NULL;
ALTER TABLE "webhook_endpoint" ALTER COLUMN "events" SET NOT NULL;

-- Storage -------------------------------------------------------------------------------------------------------------

-- A delivery is updated until it is done: free space in its page keeps these updates out of the indexes.
ALTER TABLE "webhook_delivery" SET (fillfactor = 70);

-- Indexes -------------------------------------------------------------------------------------------------------------

-- Members: an email and a user are in a team at most once, and a team has at most one owner. Ended memberships don't count.
CREATE UNIQUE INDEX "member_present_email_key" ON "member" ("tenant_id", "email") WHERE "status" <> 'ended';
CREATE UNIQUE INDEX "member_present_user_key" ON "member" ("tenant_id", "user_id") WHERE "status" <> 'ended';
CREATE UNIQUE INDEX "member_present_owner_key" ON "member" ("tenant_id") WHERE "role" = 'owner' AND "status" <> 'ended';

-- The members list, owner first. Page with ("role" <> 'owner', "listed_at", "id") > (…), ordered by the same three.
CREATE INDEX "member_list_idx" ON "member" ("tenant_id", ("role" <> 'owner'), "listed_at", "id") WHERE "status" <> 'ended';

-- The changes of members. Ended memberships are not listed.
CREATE INDEX "member_updated_idx" ON "member" ("tenant_id", "updated_at", "id") WHERE "status" <> 'ended';

-- The admins whom a demotion or removal counts.
CREATE INDEX "member_active_admin_idx" ON "member" ("tenant_id") WHERE "role" = 'admin' AND "status" = 'active';

-- Trainings with a status. Each status has an index of its own, because under row level security PostgreSQL compares enums only after the
-- team, and so not in an index. The analytics need nothing of an ended or scored training but what is in its index.
CREATE INDEX "training_running_idx" ON "training" ("tenant_id", "created_at", "id") WHERE "listed" AND "status" = 'running';
CREATE INDEX "training_ended_idx" ON "training" ("tenant_id", "created_at", "id") INCLUDE ("user_id") WHERE "listed" AND "status" = 'ended';
CREATE INDEX "training_scored_idx" ON "training" ("tenant_id", "created_at", "id") INCLUDE ("user_id") WHERE "listed" AND "status" = 'scored';
CREATE INDEX "training_aborted_idx" ON "training" ("tenant_id", "created_at", "id") WHERE "listed" AND "status" = 'aborted';

-- Teams that have ended: those about which no mail was sent yet, and those whose time is over.
CREATE INDEX "team_ended_idx" ON "team" ("ended_at") WHERE "status" = 'ended';

-- Keys that expire and were neither revoked nor replaced: a mail is sent before.
CREATE INDEX "api_key_expiring_idx" ON "api_key" ("expires_at")
    WHERE "expires_at" IS NOT NULL AND "revoked_at" IS NULL AND "rotated_to_id" IS NULL;

-- Mail that waits to be sent.
CREATE INDEX "mail_waiting_idx" ON "mail" ("created_at", "id") WHERE "sent_at" IS NULL;

-- Global items and rules count as one owner here, though their tenant_id is null.
CREATE UNIQUE INDEX "catalog_item_key_key" ON "catalog_item" ("tenant_id", "dimension", "key") NULLS NOT DISTINCT;
CREATE UNIQUE INDEX "catalog_rule_pair_key" ON "catalog_rule" ("tenant_id", "situation_id", "item_id") NULLS NOT DISTINCT;

-- A connection has at most one run that is not over.
CREATE UNIQUE INDEX "crm_run_running_key" ON "crm_run" ("tenant_id", "connection_id") WHERE "ended_at" IS NULL;

-- Each worker looks for due work every few seconds: these indexes have few other rows.
CREATE INDEX "crm_run_claimed_idx" ON "crm_run" ("claimed_until") WHERE "ended_at" IS NULL;
CREATE INDEX "crm_connection_due_idx" ON "crm_connection" ("next_sync_at") WHERE "next_sync_at" IS NOT NULL;
CREATE INDEX "crm_connection_disconnected_idx" ON "crm_connection" ("tenant_id", "id") WHERE "disconnected_at" IS NOT NULL;

-- Deliveries that are being sent to an endpoint, and those that are sent though their endpoint is not active.
CREATE INDEX "webhook_waiting_claimed_idx" ON "webhook_waiting" ("tenant_id", "endpoint_id") WHERE "claim_id" IS NOT NULL;

-- Checks --------------------------------------------------------------------------------------------------------------

-- Lengths are in characters. lower() under collation C changes only ASCII, so the check means the same on every server; the application
-- lowers the rest. Nothing of request_budget is checked: PostgreSQL would plan the check for every request.
ALTER TABLE "team"
    ADD CONSTRAINT "team_limits_check" CHECK ("seats" >= 0 AND "rate_limit_per_min" >= 1);
ALTER TABLE "person"
    ADD CONSTRAINT "person_email_check" CHECK ("email" = lower("email" COLLATE "C") AND char_length("email") BETWEEN 3 AND 254);
ALTER TABLE "member"
    ADD CONSTRAINT "member_email_check" CHECK ("email" = lower("email" COLLATE "C") AND char_length("email") BETWEEN 3 AND 254),
    ADD CONSTRAINT "member_invited_check" CHECK ("status" <> 'invited' OR ("user_id" IS NULL AND "invited_at" IS NOT NULL)),
    ADD CONSTRAINT "member_active_check" CHECK ("status" <> 'active' OR ("user_id" IS NOT NULL AND "joined_at" IS NOT NULL)),
    ADD CONSTRAINT "member_ended_check" CHECK (("status" = 'ended') = ("ended_at" IS NOT NULL));
ALTER TABLE "waiting_invitation"
    ADD CONSTRAINT "waiting_invitation_email_check" CHECK ("email" = lower("email" COLLATE "C") AND char_length("email") BETWEEN 3 AND 254);
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
    ADD CONSTRAINT "training_external_ref_check" CHECK (jsonb_typeof("external_ref"::jsonb) = 'object');
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
    ADD CONSTRAINT "case_fields_check" CHECK (json_typeof("fields"::json) IN ('object', 'array')),
    ADD CONSTRAINT "case_external_ref_check" CHECK (json_typeof("external_ref"::json) = 'object');
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
    ADD CONSTRAINT "webhook_endpoint_failed_again_check" CHECK ("failed_again_at" IS NULL OR "failing_since" IS NOT NULL),
    ADD CONSTRAINT "webhook_endpoint_warned_check" CHECK ("warned_at" IS NULL OR "failing_since" IS NOT NULL);
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
ALTER TABLE "request_log_entry"
    ADD CONSTRAINT "request_log_entry_count_check" CHECK ("count" >= 1);
ALTER TABLE "api_key_day"
    ADD CONSTRAINT "api_key_day_check" CHECK ("limited" >= 0 AND "refused" >= 0 AND "failed" >= 0 AND "requests" >= "limited" + "refused" + "failed");
ALTER TABLE "team_usage"
    ADD CONSTRAINT "team_usage_check" CHECK ("bytes" >= 0);
ALTER TABLE "company_sign_in"
    ADD CONSTRAINT "company_sign_in_role_check" CHECK ("role" <> 'owner');
ALTER TABLE "crm_connection"
    ADD CONSTRAINT "crm_connection_interval_check" CHECK ("interval_seconds" > 0),
    ADD CONSTRAINT "crm_connection_disconnected_check" CHECK ("disconnected_at" IS NULL OR NOT "active");
ALTER TABLE "crm_run"
    ADD CONSTRAINT "crm_run_outcome_check" CHECK (("ended_at" IS NULL) = ("outcome" IS NULL));
-- There is one row at most.
ALTER TABLE "maintenance"
    ADD CONSTRAINT "maintenance_one" CHECK ("id" = 1);

-- The gate ------------------------------------------------------------------------------------------------------------

-- A copy of src/modules/keys/gate.sql, which explains it.
create or replace function budget_of_address(address inet)
returns uuid
language sql immutable strict parallel safe
return case family(address)
  when 4 then ('00000000-0000-0000-0000-ffff' || encode(substr(inet_send(address), 5, 4), 'hex'))::uuid
  else (encode(substr(inet_send(address), 5, 8), 'hex') || repeat('0', 16))::uuid
end;

create or replace function gate(
  p_prefixes text[],
  p_secret_hashes bytea[],
  p_addresses inet[],
  p_requests integer[],
  p_key_limit integer,
  p_address_limit integer,
  p_may_wait boolean
)
returns table (
  caller integer,        -- the index in the arguments, from 1
  outcome text,
  counted integer,
  payer uuid,            -- the id of the team, or that of the address's budget
  key_id uuid,           -- null without a valid key
  scopes text,           -- with spaces between them
  member_detail_enabled boolean,
  leaderboard_enabled boolean,
  team_limit integer,
  budget_limit integer,  -- of the tighter budget, after all that was counted
  budget_left integer,
  reset_ms integer,
  key_left integer,      -- of both budgets of a valid key; null without one
  key_reset_ms integer,
  team_left integer,
  team_reset_ms integer
)
language plpgsql
-- A plan made while a table was small would read all of it for as long as the connection lives.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  window_length constant interval := interval '1 minute';
  now_is timestamptz;
  address inet;
  requests integer;
  -- Those of the prefix. Two statements, because each has one team then, which is known before it runs.
  named_team uuid;
  named_key uuid;
  is_open boolean;
  -- The first budget is the payer's, the second is the key's. Without a key both are the same row, with the payer's limit.
  first_limit integer;
  first_used integer;
  first_started timestamptz;
  second uuid;
  second_used integer;
  second_started timestamptz;
begin
  for number in 1 .. cardinality(p_prefixes) loop
    caller := number;
    address := p_addresses[number];
    requests := p_requests[number];

    -- 1. Who pays? The team of a valid key, or else the address.
    select p.tenant_id, p.key_id into named_team, named_key from api_key_prefix p where p.prefix = p_prefixes[number];
    select k.tenant_id, k.id, array_to_string(k.scopes, ' '), t.member_detail_enabled, t.leaderboard_enabled,
           t.rate_limit_per_min, t.rate_limit_per_min, t.status = 'active' and t.plan <> 'basic', k.id
      into payer, key_id, scopes, member_detail_enabled, leaderboard_enabled, team_limit, first_limit, is_open, second
      from api_key k join team t on t.id = named_team
     where k.tenant_id = named_team
       and k.id = named_key
       and k.secret_hash = p_secret_hashes[number]
       and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > clock_timestamp())
       and (cardinality(k.allowed_ips) = 0 or address <<= any (k.allowed_ips));
    if found then
      outcome := case when is_open then 'admitted' else 'disabled' end;
    else
      outcome := 'unauthorized';
      payer := budget_of_address(address);
      second := payer;
      first_limit := p_address_limit;
    end if;

    -- 2. What was used? Both rows are locked.
    if p_may_wait then
      insert into request_budget (subject, started_at, used) values (payer, clock_timestamp(), 0) on conflict do nothing;
      perform from request_budget b where b.subject = payer for update;
      insert into request_budget (subject, started_at, used) values (second, clock_timestamp(), 0) on conflict do nothing;
    end if;
    select f.used, f.started_at, s.used, s.started_at into first_used, first_started, second_used, second_started
      from request_budget f, request_budget s
     where f.subject = payer and s.subject = second
       for update skip locked;
    if not found then
      outcome := 'busy';
      counted := 0;
      return next;
      continue;
    end if;

    -- 3. A window begins anew if it is over or if nothing was counted in it.
    now_is := clock_timestamp();
    if first_used is null or first_used = 0 or first_started <= now_is - window_length then
      first_used := 0;
      first_started := now_is;
    end if;
    if second_used is null or second_used = 0 or second_started <= now_is - window_length then
      second_used := 0;
      second_started := now_is;
    end if;

    -- 4. Count as many requests as both budgets have room for. A request counts in both budgets or in none.
    counted := greatest(0, least(requests, first_limit - first_used, case when key_id is not null then p_key_limit - second_used end));
    if counted > 0 then
      first_used := first_used + counted;
      second_used := second_used + counted;
      update request_budget b
         set used = case b.subject when payer then first_used else second_used end,
             started_at = case b.subject when payer then first_started else second_started end
       where b.subject in (payer, second);
    end if;

    -- 5. The tighter budget is the one with fewer requests left. If both have the same number left, it is the one that resets later.
    budget_limit := first_limit;
    budget_left := greatest(0, first_limit - first_used);
    reset_ms := ceil(date_part('epoch', first_started + window_length - now_is) * 1000);
    team_left := null;
    team_reset_ms := null;
    key_left := null;
    key_reset_ms := null;
    if key_id is not null then
      team_left := budget_left;
      team_reset_ms := reset_ms;
      key_left := greatest(0, p_key_limit - second_used);
      key_reset_ms := ceil(date_part('epoch', second_started + window_length - now_is) * 1000);
      if key_left < budget_left or (key_left = budget_left and key_reset_ms > reset_ms) then
        budget_limit := p_key_limit;
        budget_left := key_left;
        reset_ms := key_reset_ms;
      end if;
    end if;
    return next;
  end loop;
end
$$;

-- Row level security --------------------------------------------------------------------------------------------------

-- A statement of a request sees the rows of the team in the setting "app.tenant" only, and none without it. The owner of the tables sees all rows:
-- as that run worker, commands, and what comes before a request has a team. The setting is read in a subquery, which PostgreSQL evaluates once
-- for a statement and not for each row.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'api_key', 'api_key_day', 'api_key_prefix', 'assignment', 'assistant_connection', 'audit_entry', 'case', 'catalog_item',
        'catalog_rule', 'company_domain', 'company_sign_in', 'crm_connection', 'crm_deal', 'crm_objection', 'crm_run', 'deletion', 'erasure', 'evaluation', 'event_feed',
        'event_feed_entry', 'idempotency_record', 'invitation', 'mail', 'member', 'member_policy_block',
        'request_log_entry', 'request_quarter_hour', 'team_policy_block', 'team_usage', 'team_user', 'training',
        'version_notice', 'waiting_invitation', 'webhook_attempt', 'webhook_check', 'webhook_delivery', 'webhook_endpoint',
        'webhook_endpoint_day', 'webhook_event', 'webhook_quarter_hour', 'webhook_team_day', 'webhook_waiting'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_team ON %I USING (tenant_id = (SELECT nullif(current_setting(''app.tenant'', true), '''')::uuid))', name);
    END LOOP;
END $$;
ALTER TABLE "team" ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_team ON "team" USING (id = (SELECT nullif(current_setting('app.tenant', true), '')::uuid));

-- The global catalog is every team's to read.
CREATE POLICY global ON "catalog_item" FOR SELECT USING (tenant_id IS NULL);
CREATE POLICY global ON "catalog_rule" FOR SELECT USING (tenant_id IS NULL);

-- graphile-worker keeps its tables to their owner, so requests add and remove jobs through these functions.
CREATE FUNCTION add_jobs(jobs jsonb) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- "in_ms" is how long a job waits, by the database's clock.
    RETURN (SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
        SELECT jsonb_populate_record(NULL::graphile_worker.job_spec,
                   job || jsonb_build_object('run_at', now() + (job->>'in_ms')::float8 * interval '1 millisecond'))
          FROM jsonb_array_elements(jobs) AS job
         ORDER BY job->>'job_key')));
END $$;
CREATE FUNCTION remove_jobs(keys text[]) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT count(graphile_worker.remove_job(key)) FROM unnest(keys) AS key);
END $$;
REVOKE EXECUTE ON FUNCTION add_jobs(jsonb), remove_jobs(text[]) FROM PUBLIC;
