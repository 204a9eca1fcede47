-- gate() decides whether requests may come in, in one call for all requests that a process has at hand. For each of them it
-- recognises the key, checks the key's team and allowed addresses, and counts the request in its budgets. A budget is a window of
-- one minute that starts with the first request counted in it.
--
--   the caller shows                  budgets that the request counts in   outcome
--   a valid key, its team may call    the team's and the key's             admitted
--   a valid key, its team may not     the team's and the key's             disabled
--   no valid key                      that of the caller's address         unauthorized
--
-- A team may call while it is active and its plan has the API.
--
-- If one of its budgets is spent, a request is not counted; the process answers `limited`.
--
-- The n-th elements of the array arguments describe one caller: p_requests[n] requests with the same key and address. Each request
-- is judged in the order of arrival, as if it had come alone: the first `counted` requests were counted, and the others found a
-- budget spent.
--
-- Counts are exact however many processes count, because the budgets' rows are locked before they are read. The row of the
-- payer, which is the team or the address, is locked first. A row of a key is locked only under the lock of its team's row.
--
-- Without p_may_wait, the function does not wait for a row that another call has locked, because two calls for several callers could
-- wait for each other. If a row is locked or missing, the outcome is 'busy' and nothing is counted. The process then asks again in a
-- call for this payer alone, with p_may_wait. Such a call inserts missing rows and waits for locks.
--
-- A request does not name its team. So a first statement finds the team of the prefix, in a table that belongs to no team, and a second
-- one reads the key and the team with this team's id as a value. A distributed database can then run each of them on one machine.
--
-- The text is installed by the newest migration that contains it; a test compares the database's function with this file.

-- The id of an address's budget. It is made of the IPv6 address ::ffff:a.b.c.d for an IPv4 address, and of the /64 for an IPv6
-- address, because one customer owns a whole /64. It never equals the id of a team or key: these are UUIDs of version 7, whose
-- ninth byte is never zero.
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
