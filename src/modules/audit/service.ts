import { makeId } from '../../core/ids.ts';
import { auditLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { addJobsAfter } from '../../deliveries/outbox.ts';
import type { Actor, Team } from '../../platform/team.ts';
import type { AuditActionName, TargetType } from './schema.ts';
import { entries, type NewEntry } from './store.ts';

// Writing the audit log. Every action is recorded in the transaction that does it.

export interface AuditAction {
  action: AuditActionName;
  target: { type: TargetType; id: string };
  /**
   * The changes, without secrets. When they are stored, long texts and lists are shortened, and names become
   * snake_case.
   */
  data?: Prisma.InputJsonObject;
}

/** The id of a key or a person. */
const actorId = (actor: Actor): string | null => {
  if (actor.kind === 'key') return actor.id;
  return actor.kind === 'person' ? actor.userId : null;
};

const rowOf = (team: Team, { action, target, data = {} }: AuditAction): NewEntry => ({
  id: makeId(),
  actorKind: team.actor.kind,
  actorId: actorId(team.actor),
  action,
  targetType: target.type,
  targetId: target.id,
  data: entryData(data),
  requestId: team.requestId,
  address: team.address ?? null,
  createdAt: team.platform.clock.now(),
});

/** Records an action in the team's audit log. The entry is sent with the transaction's next statement. */
export const record = (tx: Tx, team: Team, action: AuditAction): void => recordAll(tx, team, [action]);

/** Records several actions, also as events for the endpoints that subscribe to the audit log. */
export const recordAll = (tx: Tx, team: Team, actions: readonly AuditAction[]): void => {
  const rows = actions.map((action) => rowOf(team, action));
  addJobsAfter(tx, team, entries.insert(tx, team.id, rows));
};

// No quota counts the audit log, and callers choose a large part of an entry's content. So each of its texts and lists
// is limited here.

type EntryData = Prisma.InputJsonObject;
type EntryValue = EntryData[string];

const { textCharacters, namedInEntry } = auditLimits;

/** The beginning of a text, counted in code points. */
const cut = (text: string): string => {
  const characters = Array.from(text);
  return characters.length <= textCharacters ? text : `${characters.slice(0, textCharacters - 1).join('')}…`;
};

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const shorten = (value: unknown): unknown => {
  if (typeof value === 'string') return cut(value);
  if (isList(value)) return value.slice(0, namedInEntry).map(shorten);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
};

/** A field of an entry. A long list is cut, and then a second field has the number of all its values. */
const fieldsOf = ([name, value]: [name: string, value: EntryValue | undefined]): [name: string, value: unknown][] => {
  const field: [string, unknown] = [name, shorten(value)];
  return isList(value) && value.length > namedInEntry ? [field, [`${name}_total`, value.length]] : [field];
};

/**
 * An entry's `data`. Long texts are cut. Long lists keep their first values, and `<name>_total` has the number of all.
 */
export const entryData = (data: EntryData): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).flatMap(fieldsOf));

/**
 * A URL for an entry: its host and the beginning of its path. The query is left out, because it may contain a secret.
 */
export const urlInEntry = (url: string): string => {
  const { origin, pathname, search } = new URL(url);
  return cut(`${origin}${pathname}${search === '' ? '' : '?…'}`);
};
