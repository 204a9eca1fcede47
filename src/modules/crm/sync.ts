import { canonicalEmail } from '../../core/email-address.ts';
import { newIdAt, isId, newId } from '../../core/ids.ts';
import { crmLimits, limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import type { HeldTeam } from '../teams/service.ts';
import { raise } from '../../webhooks/outbox.ts';
import type { ChangesPage, DeletedDeal, SourceDeal } from './providers/provider.ts';
import type { CrmDeal } from './schema.ts';
import { found } from './deal-store.ts';
import { connections, runs } from './store.ts';

// Stores what a sync found, and that it failed.

/** A deal as a CRM has it. What is left out is unknown, and overwrites what was known before. */
export interface SyncedDeal {
  /** The CRM's id: the deal is found again by it. */
  externalId: string;
  outcome: CrmDeal['outcome'];
  title?: string | null;
  /** Decimal text, which is kept digit by digit. */
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
  /** When it was first seen, by default now; of a deal that is known already it stays as it is. */
  firstSeenAt?: Date;
}

/** An objection as a CRM has it. */
interface SyncedObjection {
  /** The CRM's id, its own within its deal. */
  externalId: string;
  dealExternalId: string;
  category: string;
  text: string;
  lang: string;
  /** When it was raised, by default now; of an objection that is known already it stays as it is. */
  createdAt?: Date;
}

/** Two syncs of one connection go one after the other, so that they can't wait for each other's rows. */
const lockConnection = async (tx: Tx, team: Team, id: string): Promise<void> => {
  const known = isId(id) ? await connections.lock(tx, team.id, id) : undefined;
  if (!known) fail('not_found', { detail: `The team has no CRM connection ${id}.` });
};

/** A CRM sets the length of its texts itself: no answer may be as long as it likes. */
const { noteCharacters } = limits;

/** The beginning of a text, without what JSON would write with six characters each. */
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

/** Notes that a sync failed, and why, for people to read; `crm.sync.failed` is raised in this transaction. */
export const noteFailure = async (
  tx: Tx,
  team: HeldTeam,
  { connectionId, provider, reason: whole }: Failed,
): Promise<string> => {
  // A CRM may have written it: not endless, and nothing that PostgreSQL can't store.
  const reason = [...whole.toWellFormed().replaceAll('\0', '')].slice(0, crmLimits.reasonCharacters).join('');
  const lastFailedAt = team.platform.clock.now();
  await connections.update(tx, team.id, connectionId, { lastFailedAt, failureReason: reason });
  await raise(tx, team, 'crm.sync.failed', { data: { connection_id: connectionId, provider, reason }, personal: {} });
  return reason;
};

/** The last of the items with the same name is right; a statement can't write one row two times. */
const lastOfEach = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [nameOf(item), item])).values(),
];

/** Whose rows are written, and when they were seen. */
interface Seen {
  tenantId: string;
  connectionId: string;
  now: Date;
}

/** Rows of one statement: a page may have tens of thousands, and a statement has its time. */
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
    return found.putDeals(tx, { ...seen, rows: JSON.stringify(rows) });
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
    return found.putObjections(tx, { ...seen, rows: JSON.stringify(rows) });
  });
};

/** Keeps deals as a connection's sync found them, new ones and known ones; how many there were. */
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

/** Keeps objections as a connection's sync found them; how many there were. One of a deal that is not known is left out. */
export const storeObjections = (
  team: Team,
  connectionId: string,
  objections: readonly SyncedObjection[],
): Promise<number> =>
  inTransaction(team, async (tx) => {
    await lockConnection(tx, team, connectionId);
    return putObjections(tx, { tenantId: team.id, connectionId, now: team.platform.clock.now() }, objections);
  });

/** A run that is over. */
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

/** Adds runs to a connection's history, as if they had been at their times. */
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

/** Finds the members and industries that deals name, all in one statement. */
const matching = async (tx: Tx, tenantId: string, deals: readonly SourceDeal[]) => {
  const emails = distinct(deals.map(emailOf));
  const industries = distinct(deals.map(industryOf));
  const ids = new Map<string, string>();
  if (emails.length + industries.length > 0) {
    for (const { kind, text, id } of await found.match(tx, { tenantId, emails, industries }))
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

/** Stores a page of what a run found, in the transaction of the run's next step. */
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
    deleted: gone.length > 0 ? await found.deleteDeals(tx, { ...seen, ids: gone }) : 0,
    objections: await putObjections(tx, seen, raised),
  };
};
