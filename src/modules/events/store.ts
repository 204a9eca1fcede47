import { runIn, type Database, type Tx } from '../../db/database.ts';
import type { EventFeed } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import {
  behindOuterJoin,
  bigint,
  bool,
  float,
  foundIn,
  int,
  listOf,
  query,
  text,
  uuid,
  type RowOf,
} from '../../db/query.ts';
import type { FeedState } from '../../platform/event-waits.ts';
import type { Team } from '../../platform/team.ts';

// The tables `event_feed` and `event_feed_entry`. The events are in `webhook_event`, which belongs to the module
// webhooks.

type TeamId = Pick<Team, 'id'>;

const entryColumns = { position: float, eventId: uuid } as const;

/** An event's place in the feed. */
export type FeedEntry = RowOf<typeof entryColumns>;

const stateColumns = {
  /** The highest position so far. */
  lastPosition: float.checked,
  /** Whether events wait for their position. */
  hasNew: bool.checked,
  /** The number of examined entries, and the positions of the first and the last one. */
  examined: int.checked,
  firstPosition: float.orNull,
  endPosition: float.orNull,
} as const;

/**
 * SQL: whether a team has events without a position. The order is that of the index: otherwise the planner, if its
 * statistics say that many rows have no position, reads the whole table.
 */
const hasNew = (tenantId: string): string =>
  `coalesce((select true from event_feed_entry e where e.tenant_id = ${tenantId} and e.position is null
              order by e.position, e.event_id limit 1), false)`;

/**
 * Up to `:limit` entries of a type after a position, among the next `:examined` ones, with the state of the feed at
 * that moment.
 *
 * The type is not part of the index: a rare type is found by examining a bounded number of entries.
 */
const walk = query({
  name: 'events.walk',
  why: 'ends after a number of rows, however few pass the filter, and reads the state of the feed in the same snapshot',
  sql: `with examined as materialized (
          select position, event_id, type from event_feed_entry
           where tenant_id = :tenantId and position > :after
           order by position limit :examined),
        found as (
          select position, event_id from examined
           where :type::text is null or type = :type order by position limit :limit)
        select feed.last_position::float8 as "lastPosition", ${hasNew(':tenantId')} as "hasNew",
               (select count(*)::int from examined) as examined,
               (select min(position)::float8 from examined) as "firstPosition",
               (select max(position)::float8 from examined) as "endPosition",
               found.position::float8 as position, found.event_id as "eventId"
          from event_feed as feed left join found on true
         where feed.tenant_id = :tenantId
         order by found.position`,
  parameters: { tenantId: uuid, after: bigint, examined: bigint, type: text.orNull, limit: bigint },
  row: { ...stateColumns, ...behindOuterJoin(entryColumns) },
});

/** The state of a feed, and its entries after a position. */
export type FeedWalk = RowOf<typeof stateColumns> & { readonly entries: readonly FeedEntry[] };

// The rows are found by a list of ids, because PostgreSQL might read the whole table for a join. `width_bucket` returns
// the place of an id in the ordered list.
const numberNew = query({
  name: 'events.numberNew',
  why: 'numbers a bounded number of rows in their order',
  sql: `with fresh as materialized (
          select array(select event_id from event_feed_entry
                        where tenant_id = :tenantId and position is null
                        order by position, event_id limit :max) as ids),
        numbered as (
          update event_feed_entry e
             set position = :from::bigint + width_bucket(e.event_id, (select ids from fresh))
           where e.tenant_id = :tenantId and e.event_id = any ((select ids from fresh)::uuid[])
          returning 1)
        update event_feed set last_position = last_position + (select count(*) from numbered)
         where tenant_id = :tenantId
        returning (last_position - :from::bigint)::int as numbered`,
  parameters: { tenantId: uuid, from: bigint, max: bigint },
  row: { numbered: int.checked },
});

const states = query({
  name: 'events.feedStates',
  why: 'looks at many feeds in one statement',
  sql: `select f.tenant_id as "teamId", f.last_position::float8 as "lastPosition",
               ${hasNew('f.tenant_id')} as "hasNew"
          from event_feed f where f.tenant_id = any (:teamIds)`,
  parameters: { teamIds: listOf(uuid) },
  row: { teamId: uuid, lastPosition: float.checked, hasNew: bool.checked },
});

export const feeds = {
  /** The entries after a position; undefined if the team has no feed yet. */
  walk: async (
    database: Database,
    { id: tenantId }: TeamId,
    wanted: { after: number; examined: number; type: string | null; limit: number },
  ): Promise<FeedWalk | undefined> => {
    const rows = await database.run(walk, { tenantId, ...wanted });
    const [state] = rows;
    return state && { ...state, entries: foundIn(entryColumns, rows) };
  },

  /** The events of these entries, without those that were deleted. */
  events: async ({ prisma }: Database, { id: tenantId }: TeamId, entries: readonly FeedEntry[]) => {
    const ids = entries.map(({ eventId }) => eventId);
    return prisma.webhookEvent.findMany({ where: { tenantId, id: { in: ids } } });
  },

  /** Creates the team's feed, unless there is one. */
  create: ({ prisma }: Database, { id: tenantId }: TeamId) =>
    prisma.eventFeed.createMany({ data: { tenantId }, skipDuplicates: true }),

  lock: (tx: Tx, { id: tenantId }: TeamId) => {
    lockRow(tx, 'event_feed', { tenantId });
    return tx.eventFeed.findUnique({ where: { tenantId } });
  },

  /** Gives the oldest events without a position the next positions, and returns how many. */
  numberNew: async (tx: Tx, { tenantId, lastPosition: from }: EventFeed, max: number) =>
    (await runIn(tx, numberNew, { tenantId, from, max }))[0]?.numbered ?? 0,

  /** The teams that have ever read their feed. */
  readers: async ({ prisma }: Database): Promise<ReadonlySet<string>> =>
    new Set((await prisma.eventFeed.findMany({ select: { tenantId: true } })).map(({ tenantId }) => tenantId)),

  states: (database: Database, teamIds: readonly string[]): Promise<FeedState[]> => database.run(states, { teamIds }),

  /**
   * Deletes some entries of events before an id. If the team reads its feed, entries without a position are kept: only
   * a gap in the positions shows the reader that events are missing.
   */
  deleteOld: (
    { prisma }: Database,
    { tenantId, isRead, before }: { tenantId: string; isRead: boolean; before: string },
    limit: number,
  ) => {
    const where = { tenantId, eventId: { lt: before }, ...(isRead && { position: { not: null } }) };
    return prisma.eventFeedEntry.deleteMany({ where, limit });
  },
};
