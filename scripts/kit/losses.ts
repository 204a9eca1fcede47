// Counts what was lost and what was done twice: compares the answers of a run with the database and with the deliveries
// that arrived.

import { setTimeout as sleep } from 'node:timers/promises';
import { publicEventId } from '../../src/deliveries/message.ts';
import { connectTo } from './database.ts';
import type { Receiver } from './receiver.ts';
import type { Posted } from './clients.ts';
import type { Figure } from './figures.ts';

/** An endpoint of a team, and the last part of its URL. */
export interface Told {
  tenantId: string;
  label: string;
}

export interface Tally {
  /** When each event arrived at each endpoint, `LABEL EVENT`, in milliseconds since 1970. */
  readonly arrived: ReadonlyMap<string, readonly number[]>;
  /** When each came, in milliseconds since 1970, in their order. */
  readonly arrivedAt: readonly number[];
  /** Fetches the arrivals since the last call. A call must wait for the one before it. */
  readonly collect: () => Promise<void>;
}

export const makeTally = (receiver: Receiver): Tally => {
  const arrived = new Map<string, number[]>();
  const arrivedAt: number[] = [];
  const collect = async (): Promise<void> => {
    for (const { endpoint, event, at } of (await receiver.take()).arrivals) {
      arrivedAt.push(at);
      const name = `${endpoint} ${event}`;
      arrived.set(name, [...(arrived.get(name) ?? []), at]);
    }
  };
  return { arrived, arrivedAt, collect };
};

interface CheckOptions {
  databaseUrl: string;
  tally: Tally;
  /** All endpoints of the teams that are counted. */
  endpoints: readonly Told[];
  posted: readonly Posted[];
  /** `slowestMs` is of the events since then. */
  since?: Date | undefined;
  /** How long the last deliveries may take. */
  withinMs: number;
}

export interface Losses {
  /** POSTs that were answered and whose assignment is not in the database. */
  rowsLost: number;
  /** Assignments that a repeated POST made again. */
  rowsTwice: number;
  /** Answered POSTs without an event, and events beyond the first. */
  eventsLost: number;
  eventsTwice: number;
  /** Events and endpoints where the event never arrived, and arrivals beyond the first. */
  deliveriesLost: number;
  deliveriesTwice: number;
  deliveries: number;
  /** When deliveries arrived, in milliseconds since 1970, in their order. */
  arrivedAt: readonly number[];
  /** Milliseconds until the last delivery had arrived. */
  waitedMs: number;
  /** The longest time from an event to its first arrival at an endpoint. */
  slowestMs: number;
}

const pollIntervalMs = 250;

/** Waits until every delivery has arrived, or the time is over, and counts. To be called once the load has ended. */
export const check = async ({
  databaseUrl,
  tally,
  endpoints,
  posted,
  since = new Date(0),
  withinMs,
}: CheckOptions): Promise<Losses> => {
  await using client = await connectTo(databaseUrl);
  const began = performance.now();
  const { rows: assignments } = await client.query<{ id: string; title: string }>(
    `select id, title from assignment where title like 'Try %'`,
  );
  const stored = new Set(assignments.map(({ id }) => id));
  const titles = new Set(assignments.map(({ title }) => title));
  const { rows: events } = await client.query<{ id: string; at: Date; assignment: string }>(
    `select id, created_at as at, data::json ->> 'assignment_id' as assignment from webhook_event where type = 'assignment.created'`,
  );
  const eventsOf = Map.groupBy(events, ({ assignment }) => assignment);

  const labelsOf = Map.groupBy(endpoints, ({ tenantId }) => tenantId);
  const expected = posted.flatMap(({ tenantId, id }) =>
    (eventsOf.get(id) ?? []).flatMap((event) =>
      (labelsOf.get(tenantId) ?? []).map(({ label }) => ({
        name: `${label} ${publicEventId(event.id)}`,
        at: event.at,
      })),
    ),
  );
  const isMissing = ({ name }: { name: string }) => !tally.arrived.has(name);
  for (;;) {
    await tally.collect();
    if (!expected.some(isMissing) || performance.now() - began > withinMs) break;
    await sleep(pollIntervalMs);
  }
  const times = expected.flatMap(({ name, at }) => {
    const [first] = tally.arrived.get(name) ?? [];
    return first === undefined || at < since ? [] : [first - at.getTime()];
  });
  const ofOne = posted.map(({ id }) => eventsOf.get(id)?.length ?? 0);
  return {
    rowsLost: posted.filter(({ id }) => !stored.has(id)).length,
    rowsTwice: assignments.length - titles.size,
    eventsLost: ofOne.filter((count) => count === 0).length,
    eventsTwice: ofOne.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    deliveriesLost: expected.filter(isMissing).length,
    deliveriesTwice: [...tally.arrived.values()].reduce((sum, { length }) => sum + length - 1, 0),
    deliveries: expected.length,
    arrivedAt: tally.arrivedAt,
    waitedMs: performance.now() - began,
    slowestMs: Math.max(0, ...times),
  };
};

/** How many losses and repetitions a try allows. By default none. */
export interface Allowed {
  deliveriesTwice?: number;
  /** Answered POSTs, and their events. */
  lost?: number;
}

/** The figures of a check, each with its limit: nothing is lost and nothing twice, except for what a try allows. */
export const lossFigures = (losses: Losses, { deliveriesTwice = 0, lost = 0 }: Allowed = {}): Figure[] => [
  { name: 'answered POSTs lost', value: losses.rowsLost, atMost: lost },
  { name: 'assignments made twice', value: losses.rowsTwice, atMost: 0 },
  { name: 'events lost', value: losses.eventsLost, atMost: lost },
  { name: 'events twice', value: losses.eventsTwice, atMost: 0 },
  { name: 'deliveries', value: losses.deliveries },
  { name: 'deliveries lost', value: losses.deliveriesLost, atMost: 0 },
  { name: 'deliveries twice', value: losses.deliveriesTwice, atMost: deliveriesTwice },
  { name: 'seconds until the last delivery', value: losses.waitedMs / 1000 },
];
