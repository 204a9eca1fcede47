import { canonicalEmail } from '../../core/email-address.ts';
import { makeIdAt, isId, makeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { connectionMessages } from '../../core/messages/crm.ts';
import { fail } from '../../core/problem.ts';
import { toSnake } from '../../core/spelling.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { inTransaction, type Team } from '../../platform/team.ts';
import type { ShareLockedTeam } from '../../platform/team-row.ts';
import { raise } from '../../deliveries/outbox.ts';
import { noteDeleted } from '../deletions/service.ts';
import type { ChangesPage } from './providers/provider.ts';
import type { DeletedDeal, SourceDeal, SourceObjection } from './providers/rows.ts';
import { runs } from './run-store.ts';
import { crmSyncFailed } from './events.ts';
import { connections, type ConnectionKey, type ConnectionRow } from './store.ts';
import { syncedRows, type RemovedRows } from './deal-store.ts';

// Stores the rows that a sync has found, or its failure.

export const notThere = () => fail('not_found', { detail: connectionMessages.notFound });

/**
 * Locks a connection, or refuses: `not_found`. Two syncs of one connection run one after the other, so that they do not
 * wait for each other's rows.
 */
export const lockConnection = async (tx: Tx, team: Team, id: string): Promise<ConnectionRow> =>
  (isId(id) ? await connections.lock(tx, { tenantId: team.id, id }) : null) ?? notThere();

/**
 * The CRM decides how long the titles, lost reasons and objections are, so they are cut to this length before they are
 * stored.
 */
const { noteCharacters } = limits;

/**
 * The beginning of a text. A space replaces each control character that is no white space, because JSON writes most of
 * these with six characters.
 */
const cutTo = <Text extends string | null | undefined>(text: Text, max: number): Text | string =>
  typeof text === 'string'
    ? [...text.slice(0, max * 2).replaceAll(/\p{Cc}/gu, (control) => (/\s/.test(control) ? control : ' '))]
        .slice(0, max)
        .join('')
    : text;

/** Records that a sync failed and why, and raises `crm.sync.failed` in this transaction. */
export const noteFailure = async (
  tx: Tx,
  team: ShareLockedTeam,
  { connectionId, provider, reason }: { connectionId: string; provider: string; reason: string },
): Promise<void> => {
  const lastFailedAt = team.platform.clock.now();
  await connections.update(tx, team.id, connectionId, { lastFailedAt, failureReason: reason });
  raise(tx, team, crmSyncFailed, { data: { connection_id: connectionId, provider, reason }, personal: {} });
};

/** If several items have the same name, the last one counts: a statement can't write a row twice. */
const lastOfEach = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [nameOf(item), item])).values(),
];

/** The connection of the rows, the start of the sync, and the time of this change. */
interface SyncTimes extends ConnectionKey {
  now: Date;
  changedAt: Date;
}

/** A batch of rows of a connection that are deleted. */
interface Removal {
  which: RemovedRows;
  limit: number;
  now: Date;
}

const removeSome =
  (resource: 'deals' | 'objections', remove: (typeof syncedRows)['removeDeals']) =>
  async (tx: Tx, key: ConnectionKey, { which, limit, now }: Removal): Promise<number> => {
    const ids = await remove(tx, key, which, limit);
    if (ids.length > 0) await noteDeleted(tx, { id: key.tenantId }, resource, ids, now);
    return ids.length;
  };

/**
 * Deletes some objections and returns their number. The deletions are noted, so that programs that keep a copy find
 * them.
 */
export const removeObjections = removeSome('objections', syncedRows.removeObjections);

/** Like `removeObjections`, for deals. The deals must have no objections any more. */
export const removeDeals = removeSome('deals', syncedRows.removeDeals);

/** Deletes deals that the CRM has deleted, with their objections, and returns the number of deals. */
const deleteDeals = async (tx: Tx, seen: SyncTimes, externalIds: string[]): Promise<number> => {
  const removal = { which: { externalIds }, limit: rowsAtOnce, now: seen.changedAt };
  while ((await removeObjections(tx, seen, removal)) === rowsAtOnce);
  return removeDeals(tx, seen, removal);
};

/** The most rows of one statement. A page may have tens of thousands, and statements have a time limit. */
const rowsAtOnce = 5_000;

const inPortions = async <Item>(items: readonly Item[], put: (rows: Item[]) => Promise<number>): Promise<number> => {
  let count = 0;
  for (let from = 0; from < items.length; from += rowsAtOnce) count += await put(items.slice(from, from + rowsAtOnce));
  return count;
};

const emailOf = ({ ownerEmail: email }: SourceDeal): string | undefined =>
  typeof email === 'string' ? (canonicalEmail(email) ?? email.trim().toLowerCase()) : undefined;

const distinct = (texts: readonly (string | null | undefined)[]): string[] => [
  ...new Set(texts.flatMap((text) => text || [])),
];

/** Finds the members and industries of the deals, all in one statement. */
const matching = async (tx: Tx, tenantId: string, deals: readonly SourceDeal[]) => {
  const emails = distinct(deals.map(emailOf));
  const industries = distinct(deals.map(({ industry }) => industry));
  const ids = new Map<string, string>();
  if (emails.length + industries.length > 0) {
    for (const { kind, text, id } of await syncedRows.match(tx, { tenantId, emails, industries }))
      ids.set(`${kind} ${text}`, id);
  }
  return (deal: SourceDeal) => ({
    ownerUserId: ids.get(`owner ${emailOf(deal)}`),
    industryId: ids.get(`industry ${deal.industry}`),
  });
};

const putDeals = async (tx: Tx, seen: SyncTimes, deals: readonly SourceDeal[]): Promise<number> => {
  const match = await matching(tx, seen.tenantId, deals);
  return inPortions(deals, (portion) => {
    const rows = portion.map((deal) => ({
      ...deal,
      ...match(deal),
      title: cutTo(deal.title, noteCharacters),
      lostReason: cutTo(deal.lostReason, noteCharacters),
      newId: makeId(),
    }));
    return syncedRows.putDeals(tx, { ...seen, rows: JSON.stringify(toSnake(rows)) });
  });
};

const putObjections = (tx: Tx, seen: SyncTimes, objections: readonly SourceObjection[]): Promise<number> =>
  inPortions(objections, (portion) => {
    const rows = portion.map((objection) => ({
      ...objection,
      text: cutTo(objection.text, noteCharacters),
      newId: makeId(),
    }));
    return syncedRows.putObjections(tx, { ...seen, rows: JSON.stringify(toSnake(rows)) });
  });

const isDeleted = (deal: SourceDeal | DeletedDeal): deal is DeletedDeal => 'deleted' in deal;

type FoundRows = Pick<ChangesPage, 'deals' | 'objections'>;

/** Stores a page of a run, in the transaction of the run's next step. Objections of unknown deals are left out. */
export const storePage = async (
  tx: Tx,
  seen: SyncTimes,
  { deals, objections }: FoundRows,
): Promise<{ deals: number; objections: number; deleted: number }> => {
  const last = lastOfEach(deals, ({ id }) => id);
  const kept = last.filter((deal): deal is SourceDeal => !isDeleted(deal));
  const gone = last.filter(isDeleted).map(({ id }) => id);
  const raised = lastOfEach(objections, ({ dealId, id }) => JSON.stringify([dealId, id]));
  return {
    deals: await putDeals(tx, seen, kept),
    deleted: await inPortions(gone, (ids) => deleteDeals(tx, seen, ids)),
    objections: await putObjections(tx, seen, raised),
  };
};

/** Stores deals and objections of a connection without a run, for the demo. */
export const storeFound = (team: Team, connectionId: string, found: FoundRows) =>
  inTransaction(team, async (tx) => {
    await lockConnection(tx, team, connectionId);
    const now = team.platform.clock.now();
    return storePage(tx, { tenantId: team.id, connectionId, now, changedAt: now }, found);
  });

export type PastRun = Omit<Prisma.CrmRunCreateManyInput, 'tenantId' | 'connectionId' | 'id' | 'startedAt'> & {
  startedAt: Date;
};

/** Adds finished runs to a connection's history, for the demo. */
export const storeRuns = (team: Team, connectionId: string, past: readonly PastRun[]): Promise<void> =>
  inTransaction(team, async (tx) => {
    await lockConnection(tx, team, connectionId);
    const key = { tenantId: team.id, connectionId };
    await runs.insertAll(
      tx,
      past.map((run) => ({ ...run, ...key, id: makeIdAt(run.startedAt), fetched: true, pages: 1 })),
    );
  });
