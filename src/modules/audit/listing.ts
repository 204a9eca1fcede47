import { isId } from '../../core/ids.ts';
import { isRecord } from '../../core/json.ts';
import { impersonalData, shownWhileHidden } from '../../core/privacy.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Language } from '../../core/language.ts';
import type { ListCount, Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';
import type { AuditEntriesQuery, AuditEntry, AuditFilters, AuditQuery } from './schema.ts';
import { urlInEntry } from './service.ts';
import { walkFor, type WalkedEntry } from './store.ts';

/** `data` in its stored form, with names in snake_case. */
type EntryRow = Omit<WalkedEntry, 'data'> & Pick<AuditEntry, 'data'>;

// Reading the audit log. While member details are off, entries about individuals do not show whom they are about.

const withoutPeople = (row: EntryRow): EntryRow => {
  const data = impersonalData(row);
  if (shownWhileHidden(row) === 'whole') return { ...row, data };
  // Another entry of the same request may name the person, so the request id is left out.
  return { ...row, data, actorId: row.actorKind === 'person' ? null : row.actorId, requestId: null, address: null };
};

const actorOf = ({ actorKind, actorId }: EntryRow): ActorOrTarget => ({ type: actorKind, id: actorId });
const targetOf = ({ targetType, targetId }: EntryRow): ActorOrTarget => ({ type: targetType, id: targetId });

/** The fields of an entry's data that are ids of things, with the types of these things. */
const typesOfFields: Readonly<Record<string, string>> = {
  member_id: 'member',
  user_id: 'person',
  assignment_id: 'assignment',
  endpoint_id: 'webhook_endpoint',
  blocked: 'catalog_item',
  released: 'catalog_item',
};

/** By action: the fields that are ids of things only in entries about this action, with the types of these things. */
const typesByAction: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'key.rotated': { to: 'key' },
  'team.handed_over': { from: 'member', to: 'member' },
  'catalog.rules_changed': { added: 'catalog_item', removed: 'catalog_item' },
};

/** The things whose ids are in the data of an entry. */
const thingsIn = ({ action, data }: EntryRow): ActorOrTarget[] => {
  const types = { ...typesOfFields, ...typesByAction[action] };
  return Object.entries(data).flatMap(([field, value]) => {
    const type = Object.hasOwn(types, field) ? types[field] : undefined;
    if (type === undefined) return [];
    return [value].flat().flatMap((one) => {
      const id = isRecord(one) ? one['item_id'] : one;
      return typeof id === 'string' && isId(id) ? [{ type, id }] : [];
    });
  });
};

const beforeAll = '00000000-0000-0000-0000-000000000000';

type Order = AuditEntriesQuery['order'];

/** The position where the list with these filters begins, and the function that makes the parameters of its query. */
const wantedOf = (team: Team, filter: Camel<AuditFilters>, order: Order) => {
  const { action = null, actorKind = null, actorId = null, targetType = null, targetId = null } = filter;
  const open = team.privacy.memberDetail;
  const [since, until] = [filter.since?.toISOString() ?? '-infinity', filter.until?.toISOString() ?? 'infinity'];
  return {
    start: [order === 'desc' ? until : since, beforeAll],
    parameters: ([after = '', afterId = '']: readonly string[]) => ({
      after,
      afterId,
      end: order === 'desc' ? since : until,
      action,
      actorKind,
      actorId,
      targetType,
      targetId,
      open,
    }),
  };
};

type AuditPageQuery = Camel<AuditQuery> & { order?: Order };

const pageOfRows = async (
  team: Team,
  { cursor, limit, order = 'desc', ...filter }: AuditPageQuery,
): Promise<Page<EntryRow>> => {
  const list = `${team.privacy.memberDetail ? '' : 'discreet '}audit${order === 'desc' ? '' : ' from the oldest'}`;
  const page = await walkFor(filter, order)(team, {
    cursorOf: `${list}&${encodeURIComponent(JSON.stringify(filter))}`,
    query: { cursor, limit },
    ...wantedOf(team, filter, order),
  });
  return { ...page, data: page.data.map((row) => ({ ...row, data: isRecord(row.data) ? row.data : {} })) };
};

/** How many entries of the audit log match these filters. */
export const countEntries = (team: Team, filter: Camel<AuditFilters>): Promise<ListCount> =>
  walkFor(filter, 'desc').count(team, wantedOf(team, filter, 'desc'));

/** The name of a thing for a reader; null if the reader must not see it. */
type NameForReader = (thing: ActorOrTarget, name: string) => string | null;

/** A page of the audit log with the present names of things. */
const pageWithNames = async (team: Team, query: AuditPageQuery, language: Language, shown: NameForReader) => {
  const page = await pageOfRows(team, query);
  const rows = team.privacy.memberDetail ? page.data : page.data.map(withoutPeople);
  const things = [...rows.map(actorOf), ...rows.map(targetOf), ...rows.flatMap(thingsIn)];
  const known = await nameThings(team, language, things);
  const nameOf = (thing: ActorOrTarget) => {
    const name = known(thing);
    return name === null ? null : shown(thing, name);
  };
  const namesIn = (row: EntryRow) =>
    new Map(
      thingsIn(row).flatMap((thing) => {
        const name = nameOf(thing);
        return thing.id === null || name === null ? [] : [[thing.id, name] as const];
      }),
    );
  const data = rows.map((row) => ({
    id: row.id,
    action: row.action,
    actor: { kind: row.actorKind, id: row.actorId, name: nameOf(actorOf(row)) },
    target: { type: row.targetType, id: row.targetId, name: nameOf(targetOf(row)) },
    data: new Map(Object.entries(row.data)),
    names: namesIn(row),
    requestId: row.requestId,
    address: row.address,
    createdAt: row.createdAt,
  }));
  return { ...page, data };
};

/**
 * A page of the audit log as the app shows it, the newest entries first. A page reads a limited number of rows, even if
 * few of them match the filter.
 */
export const listEntries = (team: Team, query: Camel<AuditQuery>, language: Language) =>
  pageWithNames(team, query, language, (_thing, name) => name);

const isPerson = ({ type }: ActorOrTarget): boolean => type === 'person' || type === 'member';

/**
 * A page of the audit log for programs, in the order of the query. While member details are off, people have no names
 * here, because a name may be an email address, which the API does not show then. An endpoint is shown as its URL
 * without the query, which may contain a secret of its receiver.
 */
export const exportEntries = (team: Team, query: Camel<AuditEntriesQuery>, language: Language) =>
  pageWithNames(team, query, language, (thing, name) => {
    if (isPerson(thing) && !team.privacy.memberDetail) return null;
    return thing.type === 'webhook_endpoint' ? urlInEntry(name) : name;
  });

/** The actor or the target of an entry, or a thing whose id is in its data. */
interface ActorOrTarget {
  type: string;
  id: string | null;
}

const keyOf = ({ type, id }: ActorOrTarget): string => `${type} ${id}`;

/** The present names of actors and targets, with one query for each type. */
const nameThings = async (
  { id: tenantId, platform }: Team,
  language: Language,
  things: readonly ActorOrTarget[],
): Promise<(thing: ActorOrTarget) => string | null> => {
  const names = new Map<string, string | null>();
  const byType = Map.groupBy(things, ({ type }) => type);
  const naming = [...byType].map(async ([type, those]) => {
    const ids = [...new Set(those.flatMap(({ id }) => (id !== null && isId(id) ? [id] : [])))];
    if (ids.length === 0) return;
    for (const { id, de, en = null } of await reports.names(platform.database.prisma, tenantId, { type, ids })) {
      names.set(keyOf({ type, id }), (language === 'en' ? en : de) ?? de ?? en);
    }
  });
  await Promise.all(naming);
  return (thing) => names.get(keyOf(thing)) ?? null;
};
