import { canonicalEmail } from '../../core/email-address.ts';
import { newIdAt, isId, newId } from '../../core/ids.ts';
import { crmLimits, limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import type { ShareLockedTeam } from '../teams/service.ts';
import { raise } from '../../deliveries/outbox.ts';
import type { ChangesPage, DeletedDeal, SourceDeal } from './providers/provider.ts';
import type { CrmDeal } from './schema.ts';
import { runs } from './run-store.ts';
import { connections } from './store.ts';
import { syncedRows } from './sync-store.ts';

// Stores what a sync found, and its failure.

/** A deal from a CRM. Missing fields are unknown, and overwrite former values. */
export interface SyncedDeal {
  /** The CRM's id, by which the next sync finds the deal. */
  externalId: string;
  outcome: CrmDeal['outcome'];
  title?: string | null;
  /** Decimal text; all digits are kept. */
  amount?: string | null;
  /** ISO 4217, upper case. */
  currency?: string | null;
  /** `YYYY-MM-DD`. */
  closeDate?: string | null;
  /** 0 to 100. */
  probability?: number | null;
  pipelineId?: string | null;
  stageId?: string | null;
  industryId?: string | null;
  lostReason?: string | null;
  ownerUserId?: string | null;
  lastActivityAt?: Date | null;
  /** When it was first seen; now by default. A known deal keeps its time. */
  firstSeenAt?: Date;
}

/** An objection from a CRM. */
interface SyncedObjection {
  /** The CRM's id, unique within the deal. */
  externalId: string;
  dealExternalId: string;
  category: string;
  text: string;
  lang: string;
  /** When it was raised; now by default. A known objection keeps its time. */
  createdAt?: Date;
}

/** Two syncs of one connection run one after the other, so that they do not wait for each other's rows. */
const lockConnection = async (tx: Tx, team: Team, id: string): Promise<void> => {
  const known = isId(id) ? await connections.lock(tx, { tenantId: team.id, id }) : undefined;
  if (!known) fail('not_found', { detail: `The team has no CRM connection ${id}.` });
};

/** The CRM decides how long its texts are, so they are shortened before they are stored. */
const { noteCharacters } = limits;

/** The beginning of a text, without the characters that JSON writes with six characters each. */
const cutTo = <Text extends string | null | undefined>(text: Text, most: number): Text | string =>
  typeof text === 'string'
    ? [...text.slice(0, most * 2).replaceAll(/\p{Cc}/gu, (control) => (/\s/.test(control) ? control : ' '))]
        .slice(0, most)
        .join('')
    : text;

interface Failed {
  connectionId: string;
  provider: string;
  reason: string;
}

/** Records that a sync failed and why, and raises `crm.sync.failed` in this transaction. */
export const noteFailure = async (
  tx: Tx,
  team: ShareLockedTeam,
  { connectionId, provider, reason: whole }: Failed,
): Promise<string> => {
  // The text may come from the CRM, so it is shortened, and characters that PostgreSQL can't store are removed.
  const reason = [...whole.toWellFormed().replaceAll('\0', '')].slice(0, crmLimits.reasonCharacters).join('');
  const lastFailedAt = team.platform.clock.now();
  await connections.update(tx, team.id, connectionId, { lastFailedAt, failureReason: reason });
  await raise(tx, team, 'crm.sync.failed', { data: { connection_id: connectionId, provider, reason }, personal: {} });
  return reason;
};

/** If several items have the same name, the last one counts: a statement can't write a row twice. */
const lastOfEach = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [nameOf(item), item])).values(),
];

/** The connection of the rows, and the time of the sync. */
interface Seen {
  tenantId: string;
  connectionId: string;
  now: Date;
}

/** Rows of one statement. A page may have tens of thousands, and statements have a time limit. */
const rowsAtOnce = 5_000;

const inPortions = async <Item>(items: readonly Item[], put: (rows: Item[]) => Promise<number>): Promise<number> => {
  let count = 0;
  for (let from = 0; from < items.length; from += rowsAtOnce) count += await put(items.slice(from, from + rowsAtOnce));
  return count;
};

const putDeals = (tx: Tx, seen: Seen, deals: readonly SyncedDeal[]): Promise<number> =>
  inPortions(deals, (portion) => {
    const rows = portion.map((deal) => ({
      ...deal,
      title: cutTo(deal.title, noteCharacters),
      lostReason: cutTo(deal.lostReason, noteCharacters),
      id: newId(),
      firstSeenAt: deal.firstSeenAt ?? seen.now,
    }));
    return syncedRows.putDeals(tx, { ...seen, rows: JSON.stringify(rows) });
  });

const putObjections = (tx: Tx, seen: Seen, objections: readonly SyncedObjection[]): Promise<number> => {
  const named = ({ dealExternalId, externalId }: SyncedObjection) => JSON.stringify([dealExternalId, externalId]);
  return inPortions(lastOfEach(objections, named), (portion) => {
    const rows = portion.map((objection) => ({
      ...objection,
      text: cutTo(objection.text, noteCharacters),
      id: newId(),
      createdAt: objection.createdAt ?? seen.now,
    }));
    return syncedRows.putObjections(tx, { ...seen, rows: JSON.stringify(rows) });
  });
};

/** Stores the deals that a sync of a connection found, and returns their number. */
export const storeDeals = (team: Team, connectionId: string, deals: readonly SyncedDeal[]): Promise<number> =>
  inTransaction(team, async (tx) => {
    await lockConnection(tx, team, connectionId);
    const seen = { tenantId: team.id, connectionId, now: team.platform.clock.now() };
    return putDeals(
      tx,
      seen,
      lastOfEach(deals, ({ externalId }) => externalId),
    );
  });

/** Stores the objections that a sync of a connection found, and returns their number. Objections of unknown deals are left out. */
export const storeObjections = (
  team: Team,
  connectionId: string,
  objections: readonly SyncedObjection[],
): Promise<number> =>
  inTransaction(team, async (tx) => {
    await lockConnection(tx, team, connectionId);
    return putObjections(tx, { tenantId: team.id, connectionId, now: team.platform.clock.now() }, objections);
  });

/** A finished run. */
export interface PastRun {
  kind: 'full' | 'incremental';
  onDemand?: boolean;
  startedAt: Date;
  endedAt: Date;
  outcome: 'ok' | 'failed';
  reason?: string;
  deals: number;
  objections: number;
  deleted: number;
}

/** Adds finished runs to a connection's history, for the demo. */
export const storeRuns = (team: Team, connectionId: string, past: readonly PastRun[]): Promise<void> =>
  inTransaction(team, async (tx) => {
    await lockConnection(tx, team, connectionId);
    await runs.insertAll(
      tx,
      past.map((run) => ({
        ...run,
        tenantId: team.id,
        connectionId,
        id: newIdAt(run.startedAt),
        fetched: true,
        pages: 1,
      })),
    );
  });

const emailOf = ({ ownerEmail }: SourceDeal): string | undefined =>
  typeof ownerEmail === 'string' ? (canonicalEmail(ownerEmail) ?? ownerEmail.trim().toLowerCase()) : undefined;

const industryOf = ({ industry }: SourceDeal): string | undefined =>
  typeof industry === 'string' && industry !== '' ? industry : undefined;

const distinct = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.filter((text) => text !== undefined)),
];

/** Finds the members and industries of the deals, all in one statement. */
const matching = async (tx: Tx, tenantId: string, deals: readonly SourceDeal[]) => {
  const emails = distinct(deals.map(emailOf));
  const industries = distinct(deals.map(industryOf));
  const ids = new Map<string, string>();
  if (emails.length + industries.length > 0) {
    for (const { kind, text, id } of await syncedRows.match(tx, { tenantId, emails, industries }))
      ids.set(`${kind} ${text}`, id);
  }
  return (deal: SourceDeal): Pick<SyncedDeal, 'ownerUserId' | 'industryId'> => ({
    ownerUserId: ids.get(`owner ${emailOf(deal)}`) ?? null,
    industryId: ids.get(`industry ${industryOf(deal)}`) ?? null,
  });
};

const isDeleted = (deal: SourceDeal | DeletedDeal): deal is DeletedDeal => 'deleted' in deal;

interface StoredPage {
  deals: number;
  objections: number;
  deleted: number;
}

/** Stores a page of a run, in the transaction of the run's next step. */
export const storePage = async (
  tx: Tx,
  seen: Seen,
  { deals, objections }: Pick<ChangesPage, 'deals' | 'objections'>,
): Promise<StoredPage> => {
  const last = lastOfEach(deals, ({ id }) => id);
  const kept = last.filter((deal): deal is SourceDeal => !isDeleted(deal));
  const gone = last.filter(isDeleted).map(({ id }) => id);
  const match = await matching(tx, seen.tenantId, kept);
  const rows = kept.map((deal) => {
    const { id: externalId, industry: _industry, ownerEmail: _ownerEmail, ...same } = deal;
    return { ...same, externalId, ...match(deal) };
  });
  const raised = objections.map(({ id: externalId, dealId: dealExternalId, createdAt, ...same }) => ({
    ...same,
    externalId,
    dealExternalId,
    ...(createdAt && { createdAt }),
  }));
  return {
    deals: await putDeals(tx, seen, rows),
    deleted: await inPortions(gone, (ids) => syncedRows.deleteDeals(tx, seen, ids)),
    objections: await putObjections(tx, seen, raised),
  };
};
