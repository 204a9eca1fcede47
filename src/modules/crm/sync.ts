import { isId, newId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { holdTeam } from '../teams/service.ts';
import { raise } from '../../webhooks/outbox.ts';
import type { CrmDeal } from './schema.ts';
import { connections } from './store.ts';

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
export interface SyncedObjection {
  /** The CRM's id, its own within its deal. */
  externalId: string;
  dealExternalId: string;
  category: string;
  text: string;
  lang: string;
  /** When it was raised, by default now; of an objection that is known already it stays as it is. */
  createdAt?: Date;
}

/** Connects the team to a CRM; its deals come with the syncs. */
export const connectCrm = (
  team: Team,
  { provider, active = true }: { provider: string; active?: boolean },
): Promise<{ id: string }> =>
  inTransaction(team, async (tx) => {
    const id = newId();
    const createdAt = team.platform.clock.now();
    await connections.insert(tx, { tenantId: team.id, id, provider, active, createdAt });
    await record(tx, team, {
      action: 'crm_connection.created',
      target: { type: 'crm_connection', id },
      data: { provider, active },
    });
    return { id };
  });

/** Two syncs of one connection go one after the other, so that they can't wait for each other's rows. */
const lockConnection = async (tx: Tx, team: Team, id: string): Promise<{ provider: string }> => {
  const known = isId(id) ? await connections.lock(tx, team.id, id) : undefined;
  return known ?? fail('not_found', { detail: `The team has no CRM connection ${id}.` });
};

const reasonCharacters = 1_000;

/** What a CRM says at length: nobody's answer may be as long as a CRM likes. */
const { noteCharacters } = limits;

/** The beginning of a text, without what JSON would write with six characters each. */
const cutTo = <Text extends string | null | undefined>(text: Text, most: number): Text | string =>
  typeof text === 'string'
    ? [...text.slice(0, most * 2).replaceAll(/\p{Cc}/gu, (control) => (/\s/.test(control) ? control : ' '))]
        .slice(0, most)
        .join('')
    : text;

/** Notes that a sync of the connection failed, and why, for people to read; `crm.sync.failed` is raised. */
export const syncFailed = (
  caller: Team,
  { connectionId, reason }: { connectionId: string; reason: string },
): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    const { provider } = await lockConnection(tx, team, connectionId);
    // Whatever a CRM said: not endless, and nothing that PostgreSQL can't store.
    const told = [...reason.toWellFormed().replaceAll('\0', '')].slice(0, reasonCharacters).join('');
    const lastFailedAt = team.platform.clock.now();
    await connections.update(tx, team.id, connectionId, { lastFailedAt, failureReason: told });
    await raise(tx, team, 'crm.sync.failed', {
      data: { connection_id: connectionId, provider, reason: told },
      personal: {},
    });
  });

/** Of what a batch names twice the last is right: a statement can't write one row two times. */
const lastOfEach = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [nameOf(item), item])).values(),
];

/** Keeps deals as a connection's sync found them, new ones and known ones; how many there were. */
export const storeDeals = (team: Team, connectionId: string, deals: readonly SyncedDeal[]): Promise<number> =>
  inTransaction(team, async (tx) => {
    await lockConnection(tx, team, connectionId);
    const now = team.platform.clock.now();
    const rows = lastOfEach(deals, ({ externalId }) => externalId).map((deal) => ({
      ...deal,
      title: cutTo(deal.title, noteCharacters),
      lostReason: cutTo(deal.lostReason, noteCharacters),
      id: newId(),
      firstSeenAt: deal.firstSeenAt ?? now,
    }));
    return connections.putDeals(tx, { tenantId: team.id, connectionId, now, rows: JSON.stringify(rows) });
  });

/** Keeps objections as a connection's sync found them; how many there were. One of a deal that is not known is left out. */
export const storeObjections = (
  team: Team,
  connectionId: string,
  objections: readonly SyncedObjection[],
): Promise<number> =>
  inTransaction(team, async (tx) => {
    await lockConnection(tx, team, connectionId);
    const now = team.platform.clock.now();
    const named = ({ dealExternalId, externalId }: SyncedObjection) => JSON.stringify([dealExternalId, externalId]);
    const rows = lastOfEach(objections, named).map((objection) => ({
      ...objection,
      text: cutTo(objection.text, noteCharacters),
      id: newId(),
      createdAt: objection.createdAt ?? now,
    }));
    return connections.putObjections(tx, { tenantId: team.id, connectionId, rows: JSON.stringify(rows) });
  });
