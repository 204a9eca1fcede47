import { isId } from '../../core/ids.ts';
import { isRecord } from '../../core/raw-json.ts';
import type { Language } from '../../core/language.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';
import type { AuditEntry, AuditQuery } from './schema.ts';
import { walkFor } from './store.ts';
import type { WalkedEntry } from './store.ts';

type EntryRow = Omit<WalkedEntry, 'data'> & Pick<AuditEntry, 'data'>;

// Reading the audit log. While member details are off, entries are shown without the people whose data they are about.

/** Targets that belong to a person. */
const personalTargets = new Set(['assignment', 'case']);

const withoutPeople = (row: EntryRow): EntryRow => {
  if (row.action === 'member.removed') {
    const { assignments_revoked: _revoked, ...data } = row.data;
    return { ...row, data };
  }
  if (!personalTargets.has(row.target_type)) return row;
  const { user_id: _user, member_id: _member, ...data } = row.data;
  // Another entry of the same request may name the person, so the request id is left out.
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

/** A page of the audit log, the newest entries first. A page reads a limited number of rows, even if few of them match the filter. */
export const listEntries = async (team: Team, query: AuditQuery, language: Language): Promise<Page<AuditEntry>> => {
  const page = await pageOfRows(team, query);
  const rows = team.privacy.memberDetail ? page.data : page.data.map(withoutPeople);
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

/** The actor or the target of an entry. */
interface Thing {
  type: string;
  id: string | null;
}

const keyOf = ({ type, id }: Thing): string => `${type} ${id}`;

/** The present names of actors and targets, with one query for each type. */
const nameThings = async (
  { id: tenantId, platform }: Team,
  language: Language,
  things: readonly Thing[],
): Promise<(thing: Thing) => string | null> => {
  const names = new Map<string, string | null>();
  const byType = Map.groupBy(things, ({ type }) => type);
  const naming = [...byType].map(async ([type, those]) => {
    const ids = [...new Set(those.flatMap(({ id }) => (id !== null && isId(id) ? [id] : [])))];
    if (ids.length === 0) return;
    for (const { id, de, en } of await reports.names(platform.database, tenantId, { type, ids })) {
      names.set(keyOf({ type, id }), (language === 'en' ? en : de) ?? de ?? en);
    }
  });
  await Promise.all(naming);
  return (thing) => names.get(keyOf(thing)) ?? null;
};
