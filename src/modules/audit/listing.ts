import type { Language } from '../../core/language.ts';
import { newestFirst } from '../../platform/newest-first.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { nameThings } from './names.ts';
import type { Thing } from './names.ts';
import type { AuditEntry, AuditQuery } from './schema.ts';

interface EntryRow {
  id: string;
  actor_kind: AuditEntry['actor']['kind'];
  actor_id: string | null;
  action: string;
  target_type: string;
  target_id: string | null;
  data: Record<string, unknown>;
  request_id: string | null;
  created_at: string;
}

type Filter = 'action' | 'actor_kind' | 'target_type' | 'target_id' | 'since' | 'until';

const entries = (list: string, condition: string) =>
  newestFirst<EntryRow, 'created_at', Filter>({
    list,
    order: ['created_at', 'id'],
    at: 'created_at',
    sql: (conditions) =>
      `select id, actor_kind, actor_id, action, target_type, target_id, data, request_id, created_at
         from audit_entry where tenant_id = $1 ${condition} ${conditions} order by created_at desc, id desc limit $2`,
    filters: {
      action: { kind: 'value', sql: 'action = ?' },
      actor_kind: { kind: 'value', sql: 'actor_kind = ?::actor_kind' },
      target_type: { kind: 'value', sql: 'target_type = ?' },
      target_id: { kind: 'value', sql: 'target_id = ?' },
      since: { kind: 'value', sql: 'created_at >= ?::timestamptz' },
      until: { kind: 'value', sql: 'created_at < ?::timestamptz' },
    },
  });

const allEntries = entries('audit', '');
/** While member details are off nobody is told who trained, and when. */
const discreetEntries = entries('discreet audit', `and target_type <> 'training'`);

/** What people are given to do and train with: while member details are off it is shown, but not whose it is. */
const ofPeople = new Set(['assignment', 'case']);

const discreet = (row: EntryRow): EntryRow => {
  if (!ofPeople.has(row.target_type)) return row;
  const { user_id: _user, member_id: _member, ...data } = row.data;
  return { ...row, data, actor_id: row.actor_kind === 'person' ? null : row.actor_id };
};

const actorOf = ({ actor_kind, actor_id }: EntryRow): Thing => ({ type: actor_kind, id: actor_id });
const targetOf = ({ target_type, target_id }: EntryRow): Thing => ({ type: target_type, id: target_id });

/** What was done in the team, the newest first, whoever did it and whichever way. */
export const listEntries = async (
  team: Team,
  { cursor, limit, since, until, ...filter }: AuditQuery,
  language: Language,
): Promise<Page<AuditEntry>> => {
  const open = team.privacy.memberDetail;
  const page = await (open ? allEntries : discreetEntries)(
    team,
    { cursor, limit },
    { ...filter, since: since?.toISOString(), until: until?.toISOString() },
  );
  const rows = open ? page.data : page.data.map(discreet);
  const nameOf = await nameThings(team, language, [...rows.map(actorOf), ...rows.map(targetOf)]);
  const data = rows.map((row) => ({
    id: row.id,
    action: row.action,
    actor: { kind: row.actor_kind, id: row.actor_id, name: nameOf(actorOf(row)) },
    target: { type: row.target_type, id: row.target_id, name: nameOf(targetOf(row)) },
    data: row.data,
    request_id: row.request_id,
    created_at: row.created_at,
  }));
  return { ...page, data };
};
