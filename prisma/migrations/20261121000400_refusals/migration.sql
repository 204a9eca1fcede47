-- AlterTable
ALTER TABLE "request_log_entry" ADD COLUMN     "count" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "request_budget" (
    "subject" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "request_budget_pkey" PRIMARY KEY ("subject")
);

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

ALTER TABLE "request_budget" SET UNLOGGED;
-- Room for the next version of each row in its own page: an update then touches no index.
ALTER TABLE "request_budget" SET (fillfactor = 50);
ALTER TABLE "request_budget"
    ADD CONSTRAINT "request_budget_used_check" CHECK ("used" >= 0);
ALTER TABLE "request_log_entry"
    ADD CONSTRAINT "request_log_entry_count_check" CHECK ("count" >= 1);

-- Everything that decides whether a request may come in, in one round trip: the key, its team, its addresses, and both
-- request budgets. A budget is a window of one minute that starts with the first request counted.
--
--   valid key, team in order     the key's budget and the team's     admitted, or limited once either is spent
--   valid key, team without API  the same two budgets                disabled, or limited once either is spent
--   no valid key                 the address's budget                unauthorized, or limited once it is spent
--
-- A budget is counted by an UPDATE whose condition says that there is room: concurrent requests wait for each other at the
-- row, and PostgreSQL checks the condition again on the row as the one before left it. So counts are exact however many
-- processes count. The team's row is always taken before the key's, so requests can't deadlock. If the key's budget is
-- spent, the team's count is taken back in the same transaction: nobody else has seen it.
--
-- p_count_key and p_count_address are false for a caller that the process knows to be over its limit: its budgets are then
-- read, and nothing is written or locked.
CREATE OR REPLACE FUNCTION gate(
  p_prefix text,
  p_secret_hash bytea,
  p_address inet,
  p_key_limit integer,
  p_address_limit integer,
  p_count_key boolean,
  p_count_address boolean,
  out outcome text,
  out tenant_id uuid,
  out key_id uuid,
  out scopes text[],
  out member_detail_enabled boolean,
  out leaderboard_enabled boolean,
  out team_limit integer,
  out budget_limit integer,
  out budget_left integer,
  out reset_ms integer
)
LANGUAGE plpgsql
-- Planned while a table was small, a sequential scan would be kept for as long as the connection lives.
SET enable_seqscan = off
AS $$
declare
  window_length constant interval := interval '1 minute';
  moment timestamptz := clock_timestamp();
  -- A window that started then, or earlier, is over.
  too_old timestamptz := moment - window_length;
  found_key record;
  address_subject text;
  is_counted boolean := false;
  -- Of the team, or of the address where there is no valid key.
  shared_limit integer;
  shared_used integer;
  shared_started timestamptz;
  key_used integer;
  key_started timestamptz;
begin
  select k.tenant_id, k.id, k.scopes, k.secret_hash, k.revoked_at, k.expires_at, k.allowed_ips,
         t.plan, t.status, t.member_detail_enabled, t.leaderboard_enabled, t.rate_limit_per_min
    into found_key
    from api_key k join team t on t.id = k.tenant_id
   where k.prefix = p_prefix;

  if found
     and found_key.secret_hash = p_secret_hash
     and found_key.revoked_at is null
     and (found_key.expires_at is null or found_key.expires_at > moment)
     and (cardinality(found_key.allowed_ips) = 0 or p_address <<= any (found_key.allowed_ips))
  then
    tenant_id := found_key.tenant_id;
    key_id := found_key.id;
    scopes := found_key.scopes;
    member_detail_enabled := found_key.member_detail_enabled;
    leaderboard_enabled := found_key.leaderboard_enabled;
    team_limit := found_key.rate_limit_per_min;
    shared_limit := team_limit;
    outcome := case when found_key.status = 'active' and found_key.plan <> 'basic' then 'admitted' else 'disabled' end;

    loop
      if p_count_key then
        update request_budget as b
           set used = case when b.started_at <= too_old or b.used = 0 then 1 else b.used + 1 end,
               started_at = case when b.started_at <= too_old or b.used = 0 then moment else b.started_at end
         where b.subject = found_key.tenant_id and (b.used < shared_limit or b.started_at <= too_old)
        returning b.used, b.started_at into shared_used, shared_started;
        is_counted := found;
        if not is_counted then
          -- Spent, or never used. It may also have been made by another request since; then it is counted here.
          insert into request_budget as b (subject, started_at, used) values (found_key.tenant_id, moment, 1)
              on conflict (subject) do update set used = b.used + 1
                    where b.used < shared_limit and b.started_at > too_old
          returning b.used, b.started_at into shared_used, shared_started;
          is_counted := found;
        end if;

        if is_counted then
          update request_budget as b
             set used = case when b.started_at <= too_old or b.used = 0 then 1 else b.used + 1 end,
                 started_at = case when b.started_at <= too_old or b.used = 0 then moment else b.started_at end
           where b.subject = found_key.id and (b.used < p_key_limit or b.started_at <= too_old)
          returning b.used, b.started_at into key_used, key_started;
          is_counted := found;
          if not is_counted then
            insert into request_budget as b (subject, started_at, used) values (found_key.id, moment, 1)
                on conflict (subject) do update set used = b.used + 1
                      where b.used < p_key_limit and b.started_at > too_old
            returning b.used, b.started_at into key_used, key_started;
            is_counted := found;
          end if;
          if not is_counted then
            update request_budget as b set used = b.used - 1 where b.subject = found_key.tenant_id;
          end if;
        end if;
        exit when is_counted;
      end if;

      -- Not counted: what is left is read. A budget that nothing is counted in starts with the next request.
      select b.used, b.started_at into shared_used, shared_started
        from request_budget b
       where b.subject = found_key.tenant_id and b.used > 0 and b.started_at > too_old;
      select b.used, b.started_at into key_used, key_started
        from request_budget b
       where b.subject = found_key.id and b.used > 0 and b.started_at > too_old;
      if shared_used >= shared_limit or key_used >= p_key_limit then
        outcome := 'limited';
      end if;
      exit when outcome = 'limited' or not p_count_key;

      -- A window ended, or began anew, since it was found spent: once more, by the time that it is now.
      moment := clock_timestamp();
      too_old := moment - window_length;
    end loop;
  else
    outcome := 'unauthorized';
    shared_limit := p_address_limit;
    -- An IPv6 customer owns a whole /64: it counts as one address.
    address_subject := 'address:' || host(network(set_masklen(p_address, case family(p_address) when 4 then 32 else 64 end)));

    loop
      if p_count_address then
        update rate_window as w
           set used = case when w.started_at <= too_old or w.used = 0 then 1 else w.used + 1 end,
               started_at = case when w.started_at <= too_old or w.used = 0 then moment else w.started_at end
         where w.subject = address_subject and (w.used < shared_limit or w.started_at <= too_old)
        returning w.used, w.started_at into shared_used, shared_started;
        is_counted := found;
        if not is_counted then
          insert into rate_window as w (subject, started_at, used) values (address_subject, moment, 1)
              on conflict (subject) do update set used = w.used + 1
                    where w.used < shared_limit and w.started_at > too_old
          returning w.used, w.started_at into shared_used, shared_started;
          is_counted := found;
        end if;
        exit when is_counted;
      end if;

      select w.used, w.started_at into shared_used, shared_started
        from rate_window w
       where w.subject = address_subject and w.used > 0 and w.started_at > too_old;
      if shared_used >= shared_limit then
        outcome := 'limited';
      end if;
      exit when outcome = 'limited' or not p_count_address;

      moment := clock_timestamp();
      too_old := moment - window_length;
    end loop;
  end if;

  budget_limit := shared_limit;
  budget_left := greatest(0, shared_limit - coalesce(shared_used, 0));
  reset_ms := ceil(extract(epoch from coalesce(shared_started, moment) + window_length - clock_timestamp()) * 1000);
  -- The tighter budget is shown; of two that are equally tight, the one that stays so longer.
  if key_id is not null then
    declare
      key_left integer := greatest(0, p_key_limit - coalesce(key_used, 0));
      key_reset integer := ceil(extract(epoch from coalesce(key_started, moment) + window_length - clock_timestamp()) * 1000);
    begin
      if key_left < budget_left or (key_left = budget_left and key_reset > reset_ms) then
        budget_limit := p_key_limit;
        budget_left := key_left;
        reset_ms := key_reset;
      end if;
    end;
  end if;
end
$$;
