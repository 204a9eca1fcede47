// The statements of the bare handler: what an engineer would write for the measured routes first. They change only if a
// table changes.

const statement = (name: string, text: string) => ({ name, text });

/** Recognises the key, and counts the request in the budgets of the team and of the key. */
export const gate = statement(
  'gate',
  `with caller as (
     select k.id, k.tenant_id, t.rate_limit_per_min
       from api_key_prefix p
       join api_key k on k.tenant_id = p.tenant_id and k.id = p.key_id
       join team t on t.id = p.tenant_id
      where p.prefix = $1 and k.secret_hash = $2 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
        and (cardinality(k.allowed_ips) = 0 or $3::inet <<= any (k.allowed_ips)) and t.status = 'active' and t.plan <> 'basic'),
   counted as (
     insert into request_budget as budget (subject, started_at, used)
     select tenant_id, now(), 1 from caller union all select id, now(), 1 from caller
         on conflict (subject) do update
        set used = case when budget.started_at <= now() - interval '1 minute' then 1 else budget.used + 1 end,
            started_at = case when budget.started_at <= now() - interval '1 minute' then now() else budget.started_at end
     returning subject, used)
   select caller.id as key_id, caller.tenant_id, $4::int as budget_limit, least($4::int - key.used, caller.rate_limit_per_min - team.used) as budget_left
     from caller
     join counted key on key.subject = caller.id
     join counted team on team.subject = caller.tenant_id`,
);

const member = 'm.id, m.user_id, m.email, m.external_id, p.name, m.role, m.status, m.joined_at, m.updated_at';
const memberWithPerson = `member m left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id left join person p on p.id = u.person_id`;

export const memberById = statement(
  'member',
  `select ${member} from ${memberWithPerson} where m.tenant_id = $1 and m.id = $2 and m.status <> 'ended'`,
);

export const members = statement(
  'members',
  `select ${member}, m.listed_at from ${memberWithPerson} where m.tenant_id = $1 and m.status <> 'ended'
    order by (m.role <> 'owner'), m.listed_at, m.id limit $2`,
);

export const trainings = statement(
  'trainings',
  `select t.id, t.user_id, t.status, t.source, t.assignment_id, t.created_at, t.updated_at, t.finished_at, t.duration_s,
          t.external_ref::json, t.situation_id, t.personality_id, t.industry_id, t.role_id
     from training t where t.tenant_id = $1 and t.listed order by t.created_at desc, t.id desc limit $2`,
);

export const evaluation = statement(
  'evaluation',
  `select e.training_id, t.user_id, e.closing, e.conversation_control, e.needs_analysis, e.objection_handling,
          e.value_argument, e.total, e.spread, e.tips, e.goal, e.methodology_id as methodology, e.strongest, e.biggest_lever
     from training t join evaluation e on e.tenant_id = t.tenant_id and e.training_id = t.id
    where t.tenant_id = $1 and t.id = $2 and t.listed`,
);

export const privacy = statement(
  'privacy',
  `select member_detail_enabled as "memberDetail", leaderboard_enabled as leaderboard from team where id = $1 for share`,
);

export const recipient = statement(
  'recipient',
  `select user_id, email from member where tenant_id = $1 and id = $2 and status <> 'ended'`,
);

const rule = (kind: string, which: string) =>
  `exists (select from catalog_rule rule where rule.situation_id = $3::uuid and rule.kind = '${kind}' and (rule.tenant_id is null or rule.tenant_id = $1::uuid) and ${which})`;

export const combination = statement(
  'combination',
  `select item.id, item.dimension::text,
          not exists (
   select from team_policy_block block where block.tenant_id = $1::uuid and block.item_id = item.id) and not exists (
   select from member_policy_block block
    where block.tenant_id = $1::uuid and block.member_id = $2::uuid and block.item_id = item.id) as released,
          not ${rule('never', 'rule.item_id = item.id')}
            and (${rule('only', 'rule.item_id = item.id')} or not ${rule(
              'only',
              `exists (
   select from catalog_item other where other.id = rule.item_id and other.dimension = item.dimension)`,
            )}) as fits
     from catalog_item item
    where item.id = any($4::uuid[]) and (item.published and (item.tenant_id is null or item.tenant_id = $1::uuid))`,
);

export const insertAssignment = statement(
  'assignment',
  `insert into assignment (tenant_id, id, member_id, title, situation_id, personality_id, industry_id, note, due_date, focus_dimension, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
);

export const insertEvent = statement(
  'event',
  `with event as (insert into webhook_event (tenant_id, id, type, data, created_at) values ($1, $2, $3, $4, $5)) select id from webhook_endpoint where tenant_id = $1 and status = 'active' and events @> array[$3]`,
);

export const insertDelivery = statement(
  'delivery',
  `with wanted as (select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) as d (id, endpoint_id, event_id, event_type)), waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand) select $1, id, endpoint_id, $6, event_type = 'ping' from wanted) insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at) select $1, id, endpoint_id, event_id, event_type, $6, $6 from wanted`,
);

export const insertAudit = statement(
  'audit',
  `insert into audit_entry (tenant_id, id, actor_kind, actor_id, action, target_type, target_id, data, request_id, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);
