import { isRecord } from '../../core/raw-json.ts';
import type { Language } from '../../core/language.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { nameThings } from './names.ts';
import type { Thing } from './names.ts';
import type { AuditEntry, AuditQuery } from './schema.ts';
import { walkFor } from './store.ts';
import type { WalkedEntry } from './store.ts';

type EntryRow = Omit<WalkedEntry, 'data'> & Pick<AuditEntry, 'data'>;

/** What people are given to do and train with: while member details are off it is shown, but not whose it is. */
const ofPeople = new Set(['assignment', 'case']);

const discreet = (row: EntryRow): EntryRow => {
  if (row.action === 'member.removed') {
    const { assignments_revoked: _revoked, ...data } = row.data;
    return { ...row, data };
  }
  if (!ofPeople.has(row.target_type)) return row;
  const { user_id: _user, member_id: _member, ...data } = row.data;
  // The request may have done something else, of which the log says to whom.
  return { ...row, data, actor_id: row.actor_kind === 'person' ? null : row.actor_id, request_id: null };
};

const actorOf = ({ actor_kind, actor_id }: EntryRow): Thing => ({ type: actor_kind, id: actor_id });
const targetOf = ({ target_type, target_id }: EntryRow): Thing => ({ type: target_type, id: target_id });

const beforeAll = '00000000-0000-0000-0000-000000000000';

const pageOfRows = async (team: Team, { cursor, limit, ...filter }: AuditQuery): Promise<Page<EntryRow>> => {
  const {
    action = null,
    actor_kind: actorKind = null,
    target_type: targetType = null,
    target_id: targetId = null,
  } = filter;
  const open = team.privacy.memberDetail;
  const page = await walkFor(filter)(team, {
    cursorOf: `${open ? 'audit' : 'discreet audit'}&${encodeURIComponent(JSON.stringify(filter))}`,
    query: { cursor, limit },
    start: [filter.until?.toISOString() ?? 'infinity', beforeAll],
    parameters: ([below = '', belowId = '']) => ({
      since: filter.since?.toISOString() ?? '-infinity',
      below,
      belowId,
      action,
      actorKind,
      targetType,
      targetId,
      open,
    }),
  });
  return { ...page, data: page.data.map((row) => ({ ...row, data: isRecord(row.data) ? row.data : {} })) };
};

/** What was done in the team, the newest first, whoever did it and whichever way. However rare what it looks for, it looks only so far. */
export const listEntries = async (team: Team, query: AuditQuery, language: Language): Promise<Page<AuditEntry>> => {
  const page = await pageOfRows(team, query);
  const rows = team.privacy.memberDetail ? page.data : page.data.map(discreet);
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
