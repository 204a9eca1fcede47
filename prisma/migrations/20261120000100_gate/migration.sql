-- Everything that decides whether a request may come in, in one round trip: the key, its team, its addresses, and both
-- request budgets. A budget is a window of one minute that starts with the first request counted. Both are taken
-- together or not at all; rows are locked in one order (team, then key), so concurrent requests can't deadlock.
-- Without a valid key the caller's address pays. Who is known to be over a budget is only looked at, which writes nothing:
-- p_count_key says so for a valid key, p_count_address for the address.
create function gate(
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
language plpgsql
-- Planned while rate_window was small, a sequential scan would be kept for as long as the connection lives.
set enable_seqscan = off
as $$
declare
  window_length constant interval := interval '1 minute';
  moment timestamptz := clock_timestamp();
  found_key record;
  subjects text[];
  allowances integer[];
  subject_used integer[];
  subject_started timestamptz[];
  taken boolean := p_count_key;
  i integer;
  row_used integer;
  row_started timestamptz;
  left_here integer;
  reset_here integer;
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
    outcome := 'admitted';
    if found_key.status <> 'active' or found_key.plan = 'basic' then
      outcome := 'disabled';
      taken := false;
    end if;
    subjects := array['team:' || tenant_id, 'key:' || key_id];
    allowances := array[team_limit, p_key_limit];
  else
    outcome := 'unauthorized';
    taken := p_count_address;
    -- An IPv6 customer owns a whole /64: it counts as one address.
    subjects := array['address:' || host(network(set_masklen(p_address, case family(p_address) when 4 then 32 else 64 end)))];
    allowances := array[p_address_limit];
  end if;

  for i in 1 .. cardinality(subjects) loop
    if taken then
      select w.used, w.started_at into row_used, row_started from rate_window w where w.subject = subjects[i] for update;
      if not found then
        insert into rate_window (subject, started_at, used) values (subjects[i], moment, 0)
          on conflict (subject) do nothing;
        select w.used, w.started_at into row_used, row_started from rate_window w where w.subject = subjects[i] for update;
      end if;
    else
      select w.used, w.started_at into row_used, row_started from rate_window w where w.subject = subjects[i];
    end if;
    if row_used is null or row_used = 0 or row_started <= clock_timestamp() - window_length then
      row_used := 0;
      row_started := clock_timestamp();
    end if;
    subject_used[i] := row_used;
    subject_started[i] := row_started;
    if outcome <> 'disabled' and row_used >= allowances[i] then
      taken := false;
      outcome := 'limited';
    end if;
  end loop;

  for i in 1 .. cardinality(subjects) loop
    if taken then
      subject_used[i] := subject_used[i] + 1;
      update rate_window set used = subject_used[i], started_at = subject_started[i] where subject = subjects[i];
    end if;
    left_here := greatest(0, allowances[i] - subject_used[i]);
    reset_here := ceil(extract(epoch from subject_started[i] + window_length - clock_timestamp()) * 1000);
    -- The tighter budget is shown; of two that are equally tight, the one that stays so longer.
    if budget_left is null or left_here < budget_left or (left_here = budget_left and reset_here > reset_ms) then
      budget_limit := allowances[i];
      budget_left := left_here;
      reset_ms := reset_here;
    end if;
  end loop;
end
$$;
