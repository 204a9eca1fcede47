import { secondsToMs } from '../../core/clock.ts';
import { withoutPerson } from '../../core/events.ts';
import { firstIdAt } from '../../core/ids.ts';
import { feedLimits, limits } from '../../core/limits.ts';
import { webhookMessages } from '../../core/messages/webhooks.ts';
import { fail } from '../../core/problem.ts';
import { isRecord } from '../../core/json.ts';
import type { WebhookEvent } from '../../db/generated/client.ts';
import { deleteOldRows, firstKept, type Retention } from '../../db/retention.ts';
import { readCursor, refuseCursor, rowOverhead, writeCursor } from '../../platform/paging.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { teamIds } from '../../platform/team-row.ts';
import { apiVersion, envelopeOf } from '../../deliveries/message.ts';
import { admitAgain } from '../keys/service.ts';
import { Event, Position, type EventsQuery } from './schema.ts';
import { feeds, type FeedEntry, type FeedWalk } from './store.ts';

/**
 * The event feed of a team: each event has a position, and a reader continues after the position that it has read.
 *
 *   raised ──commit──▶ entered, without a position ──a read numbers it──▶ at a position ──age──▶ deleted
 *
 * An event gets its position after its commit, under the lock of the feed, and positions only grow. So the event of a
 * long transaction gets a later position than events that were committed before it: no reader misses it or reads it
 * twice, all readers see the same order, and no reader waits for a running transaction. Positions are plain columns, so
 * they survive a dump of the database.
 */
type FeedCursor = {
  /** The position up to which the reader has read. */
  readonly after: number;
  /** Whether the reader starts at this position. Then events that were deleted before are no gap. */
  readonly isStart: boolean;
};

/** A page of the feed. Its events have the form that receivers get. */
interface EventPage {
  data: Event[];
  nextCursor: string;
  hasMore: boolean;
  hasGap: boolean;
}

/** A read numbers at most this many batches of events. Later reads number the rest. */
const maxBatches = 3;

/**
 * Numbers the next events and returns how many. If several readers do this at once, one numbers and the others wait.
 */
const number = ({ database }: Platform, tenantId: string): Promise<number> =>
  database.transaction(
    async (tx) => {
      // The feed is read after it was locked, so it includes the positions that other processes have assigned before.
      const feed = await feeds.lock(tx, { id: tenantId });
      return feed ? feeds.numberNew(tx, feed, feedLimits.numberedAtOnce) : 0;
    },
    { group: tenantId },
  );

/** A section of the feed. */
interface FeedSection {
  readonly entries: readonly FeedEntry[];
  /** The position after which the next section begins. */
  readonly next: number;
  readonly hasMore: boolean;
  readonly hasGap: boolean;
}

/** Positions are given without gaps, so a missing position means a deleted event. */
const missesEvents = ({ firstPosition, lastPosition }: FeedWalk, { after, isStart }: FeedCursor): boolean =>
  !isStart && (firstPosition === null ? after !== lastPosition : firstPosition !== after + 1);

const partOf = (
  walked: FeedWalk,
  from: FeedCursor,
  { limit, examined }: { limit: number; examined: number },
): FeedSection => {
  const entries = walked.entries.slice(0, limit);
  const last = entries.at(-1);
  const hasGap = missesEvents(walked, from);
  if (walked.entries.length > limit && last) return { entries, next: last.position, hasMore: true, hasGap };
  return {
    entries,
    next: walked.endPosition ?? walked.lastPosition,
    hasMore: walked.examined >= examined || walked.hasNew,
    hasGap,
  };
};

/** Reads the events after a position. If it reaches events without a position, it gives them positions. */
const readOn = async (
  team: Team,
  from: FeedCursor,
  { type, limit }: { type: string | undefined; limit: number },
): Promise<FeedSection> => {
  const { database } = team.platform;
  const examined = type === undefined ? limit + 1 : feedLimits.examined;
  for (let batches = 0; ;) {
    const walked = await feeds.walk(database, team, {
      after: from.after,
      examined,
      type: type ?? null,
      limit: limit + 1,
    });
    if (!walked) {
      await feeds.create(database, team);
      continue;
    }
    const isFull = walked.entries.length > limit || walked.examined >= examined;
    if (isFull || !walked.hasNew || batches === maxBatches) return partOf(walked, from, { limit, examined });
    await number(team.platform, team.id);
    batches += 1;
  }
};

/**
 * How often a request that starts at the end of the feed reads again to number events. If events without a position are
 * left then, the request starts before these events.
 */
const maxBatchesToEnd = 20;

/** The position after all events up to now. */
const endOfFeed = async (team: Team): Promise<FeedCursor> => {
  for (let batches = 0; ; batches += 1) {
    const { next, hasMore } = await readOn(
      team,
      { after: Number.MAX_SAFE_INTEGER, isStart: true },
      { type: undefined, limit: 1 },
    );
    if (!hasMore || batches === maxBatchesToEnd) return { after: next, isStart: false };
  }
};

/** The feed and the filter, as cursors contain them: a cursor is valid only for these. */
const scopeOf = ({ id }: Team, type: string | undefined): string =>
  `${id} events${type === undefined ? '' : `&type=${type}`}`;

/** The position where a request starts to read. */
const cursorOf = async (team: Team, { cursor, start, type }: EventsQuery): Promise<FeedCursor> => {
  if (cursor === undefined) return start === 'now' ? endOfFeed(team) : { after: 0, isStart: true };
  const read = Position.safeParse(readCursor(team.platform.vault, scopeOf(team, type), cursor));
  const [after] = read.data ?? refuseCursor();
  return { after, isStart: false };
};

const present = (team: Team, { id, type, createdAt, data }: WebhookEvent): Event => {
  const stored: unknown = JSON.parse(data);
  return envelopeOf({
    tenantId: team.id,
    eventId: id,
    type,
    createdAt: createdAt.toISOString(),
    apiVersion,
    // The schema must accept every stored event: a refused one would block the feed for all readers.
    data: Event.shape.data.parse({ team_id: team.id, ...(isRecord(stored) && stored) }),
  });
};

const readPage = async (team: Team, from: FeedCursor, { type, limit }: EventsQuery): Promise<EventPage> => {
  const part = await readOn(team, from, { type, limit });
  const rows = await feeds.events(team.platform.database, team, part.entries);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const data: Event[] = [];
  let { next, hasMore, hasGap } = part;
  let bytes = 0;
  let before = from.after;
  for (const { eventId, position } of part.entries) {
    const row = byId.get(eventId);
    bytes += rowOverhead + Buffer.byteLength(row?.data ?? '');
    if (bytes > limits.pageBytes && data.length > 0) {
      [next, hasMore] = [before, true];
      break;
    }
    // If the row is missing, it was deleted a moment ago because of its age.
    if (row) data.push(present(team, row));
    else hasGap = true;
    before = position;
  }
  const nextCursor = writeCursor(team.platform.vault, scopeOf(team, type), [next]);
  return { data, nextCursor, hasMore, hasGap };
};

/** The position at which a request continues after its wait. */
export interface WaitResult extends FeedCursor {
  /** The client has left, or the process stops. */
  readonly isOver: boolean;
}

interface WaitingClient {
  /** Whether the client has left, or the process stops. */
  isOver: () => boolean;
  /** Called after each wait, with the time that the request has waited so far. */
  waited: (milliseconds: number) => void;
}

const requireRoom = (team: Team): void => {
  const room = team.platform.eventWaits.room(team.id);
  if (room === 'free') return;
  if (room === 'others') fail('unavailable');
  const { ofOneTeam, retryAfterSeconds } = feedLimits.waiting;
  fail('rate_limited', { retry_after: retryAfterSeconds, detail: webhookMessages.waitingForEvents(ofOneTeam) });
};

/** Waits until there are events for a request, or until its time is over. */
export const waitForEvents = async (team: Team, query: EventsQuery, waiter: WaitingClient): Promise<WaitResult> => {
  const { database, eventWaits } = team.platform;
  const { isOver } = waiter;
  const until = performance.now() + secondsToMs(query.wait);
  let cursor = await database.reading(team.id, () => cursorOf(team, query));
  let waitedMs = 0;
  for (let round = 0; ; round += 1) {
    const from = cursor;
    const part = await database.reading(team.id, () => readOn(team, from, { type: query.type, limit: 1 }));
    if (part.entries.length > 0 || part.hasMore || part.hasGap) return { ...from, isOver: isOver() };
    // The events up to `part.next` are of other types. The next read begins after them.
    cursor = { after: part.next, isStart: false };
    if (round === 0) requireRoom(team);
    const startedAt = performance.now();
    const isWoken = await eventWaits.wait({
      teamId: team.id,
      position: cursor.after,
      until,
      eager: round === 0,
      isOver,
    });
    waitedMs += performance.now() - startedAt;
    waiter.waited(waitedMs);
    if (!isWoken) return { ...cursor, isOver: isOver() };
  }
};

/**
 * A page of the feed. If the request has waited, its key is checked again after the page was read: a key that was
 * revoked in the meantime must not get events that were raised after its end.
 */
export const listEvents = async (team: Team, query: EventsQuery, waited?: WaitResult): Promise<EventPage> => {
  if (!waited) return readPage(team, await cursorOf(team, query), query);
  if (waited.isOver) {
    const nextCursor = writeCursor(team.platform.vault, scopeOf(team, query.type), [waited.after]);
    return { data: [], nextCursor, hasMore: false, hasGap: false };
  }
  const page = await readPage(team, waited, query);
  const privacy = await admitAgain(team);
  if (privacy.memberDetail) return page;
  return { ...page, data: page.data.map((event) => ({ ...event, data: withoutPerson(event.data) })) };
};

/**
 * Deletes the entries of old events. Before that, all events of a team that reads its feed get their positions, because
 * readers recognise deleted events by missing positions. It must run before the events themselves are deleted.
 */
export const deleteOldEntries = async (platform: Platform, { days, until = Infinity }: Retention): Promise<void> => {
  const firstId = firstIdAt(firstKept(platform.clock, days));
  const readers = await feeds.readers(platform.database);
  for (const tenantId of await teamIds(platform.database)) {
    const isRead = readers.has(tenantId);
    if (isRead) while (performance.now() < until && (await number(platform, tenantId)) === feedLimits.numberedAtOnce);
    await deleteOldRows(until, (limit) =>
      feeds.deleteOld(platform.database, { tenantId, isRead, before: firstId }, limit),
    );
  }
};
