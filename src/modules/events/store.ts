import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import {
  behindOuterJoin,
  bigint,
  bool,
  day,
  float,
  foundIn,
  int,
  listOf,
  query,
  text,
  time,
  uuid,
} from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import type { FeedState } from '../../platform/event-waits.ts';
import type { Team } from '../../platform/team.ts';

// The tables `event_feed` and `event_feed_entry`. A trigger adds the entries of new events. The events are in `webhook_event`, which
// belongs to the module webhooks.

type TeamId = Pick<Team, 'id'>;

const entryColumns = { position: float, eventId: uuid } as const;

/** An event's place in the feed. */
export type Entry = RowOf<typeof entryColumns>;

/**
 * SQL: whether a team has events without a position. Ordered like the index: otherwise the planner, if its statistics say that many rows
 * have no position, reads the whole table.
 */
const hasNew = (tenantId: string): string =>
  `coalesce((select true from event_feed_entry e where e.tenant_id = ${tenantId} and e.position is null
              order by e.position, e.event_id limit 1), false)`;

/**
 * Up to `:limit` entries of a type after a position, among the next `:examined` ones, with the state of the feed at that moment. A page of
 * older events (below zero) ends before zero while older events may still be entered.
 *
 * The type is not part of the index: a rare type is found by examining a bounded number of entries.
 */
const walk = query({
  name: 'events.walk',
  why: 'ends after a number of rows, however few of them pass the filter, and reads the state of the feed in the same snapshot',
  sql: `with feed as materialized (
          select last_position, history_position, history_until is not null as has_history from event_feed where tenant_id = :tenantId),
        examined as materialized (
          select position, event_id, type from event_feed_entry
           where tenant_id = :tenantId and position > :after
             and position <= (select case when has_history and :after::bigint < 0 then 0 else 9007199254740991 end from feed)
           order by position limit :examined),
        found as (
          select position, event_id from examined where :type::text is null or type = :type order by position limit :limit)
        select feed.last_position::float8 as last_position, feed.history_position::float8 as history_position, feed.has_history,
               ${hasNew(':tenantId')} as has_new,
               (select count(*)::int from examined) as examined,
               (select min(position)::float8 from examined) as first_position,
               (select max(position)::float8 from examined) as end_position,
               found.position::float8 as position, found.event_id as "eventId"
          from feed left join found on true
         order by found.position`,
  parameters: { tenantId: uuid, after: bigint, examined: bigint, type: text.orNull, limit: bigint },
  row: {
    last_position: float.checked,
    history_position: float.checked,
    has_history: bool.checked,
    has_new: bool.checked,
    examined: int.checked,
    first_position: float.orNull,
    end_position: float.orNull,
    ...behindOuterJoin(entryColumns),
  },
});

/** The events behind a position of a feed. */
export interface Walked {
  readonly entries: readonly Entry[];
  /** The highest position of the events that were raised since the feed exists. */
  readonly lastPosition: number;
  /** The highest position of the older events. */
  readonly historyPosition: number;
  /** Whether older events still have to be entered. */
  readonly hasHistory: boolean;
  /** Whether events wait for their position. */
  readonly hasNew: boolean;
  /** The number of examined entries, and the positions of the first and the last one. */
  readonly examined: number;
  readonly firstPosition: number | null;
  readonly endPosition: number | null;
}

// The ids bound the partitions that are read.
const eventsById = query({
  name: 'events.byId',
  why: 'returns the data as text, whose bytes end a page, and takes any number of ids in one prepared statement',
  sql: `select id, type, created_at, data::text as data from webhook_event
         where tenant_id = :tenantId and id = any (:ids) and id >= :least and id <= :greatest`,
  parameters: { tenantId: uuid, ids: listOf(uuid), least: uuid, greatest: uuid },
  row: { id: uuid, type: text, created_at: time, data: text.checked },
});

export type EventRow = RowOf<(typeof eventsById)['row']>;

const create = query({
  name: 'events.createFeed',
  why: 'reads the newest event and writes the feed in one statement',
  sql: `insert into event_feed (tenant_id, history_until)
        select :tenantId, (select id from webhook_event where tenant_id = :tenantId order by id desc limit 1)
            on conflict do nothing`,
  parameters: { tenantId: uuid },
  row: {},
});

const lock = query({
  name: 'events.lockFeed',
  why: 'Prisma has no row locks',
  sql: `select last_position::float8 as last_position, history_position::float8 as history_position, history_after, history_until
          from event_feed where tenant_id = :tenantId for update`,
  parameters: { tenantId: uuid },
  row: {
    last_position: float.checked,
    history_position: float.checked,
    history_after: uuid.orNull,
    history_until: uuid.orNull,
  },
});

export type LockedFeed = RowOf<(typeof lock)['row']>;

// The rows are found by a list of ids, because a join could be planned to read the whole table. `width_bucket` is the place of an id in
// the ordered list.
const numberNew = query({
  name: 'events.numberNew',
  why: 'numbers a bounded number of rows in their order',
  sql: `with fresh as materialized (
          select array(select event_id from event_feed_entry
                        where tenant_id = :tenantId and position is null
                        order by position, event_id limit :most) as ids),
        numbered as (
          update event_feed_entry e
             set position = :from::bigint + width_bucket(e.event_id, (select ids from fresh))
           where e.tenant_id = :tenantId and e.event_id = any ((select ids from fresh)::uuid[])
          returning 1)
        update event_feed set last_position = last_position + (select count(*) from numbered)
         where tenant_id = :tenantId
        returning (last_position - :from::bigint)::int as numbered`,
  parameters: { tenantId: uuid, from: bigint, most: bigint },
  row: { numbered: int.checked },
});

// Events that were raised since the feed exists have an entry from the start. They are looked up one by one: a join could be planned to
// read all entries for each batch.
const enterHistory = query({
  name: 'events.enterHistory',
  why: 'leaves out events that have an entry: no relation says so',
  sql: `with older as materialized (
          select v.id, v.type, row_number() over (order by v.id) as number
            from (select v.id, v.type from webhook_event v
                   where v.tenant_id = :tenantId and v.id > :after and v.id <= :until
                     and (select true from event_feed_entry e where e.tenant_id = :tenantId and e.event_id = v.id limit 1) is null
                   order by v.id limit :most) as v),
        entered as (
          insert into event_feed_entry (tenant_id, event_id, type, position)
          select :tenantId, id, type, :from::bigint + number from older
          returning 1)
        update event_feed
           set history_position = history_position + (select count(*) from entered),
               history_after = coalesce((select id from older order by number desc limit 1), history_after),
               history_until = case when (select count(*) from entered) >= :most then history_until end
         where tenant_id = :tenantId
        returning (history_position - :from::bigint)::int as numbered`,
  parameters: { tenantId: uuid, after: uuid, until: uuid, from: bigint, most: bigint },
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

const withOldUnnumbered = query({
  name: 'events.feedsWithOldUnnumbered',
  why: 'compares ids with the first id of a day',
  sql: `select f.tenant_id as "teamId"
          from event_feed f
         where (f.history_until is not null and coalesce(f.history_after < first_id_of(:firstKept::date), true))
            or exists (select from event_feed_entry e
                        where e.tenant_id = f.tenant_id and e.position is null and e.event_id < first_id_of(:firstKept::date))`,
  parameters: { firstKept: day },
  row: { teamId: uuid },
});

const batch = 5_000;

/** Only entries with a position: the gap in the positions shows readers that events are missing. */
const old = query({
  name: 'events.oldEntries',
  why: 'deletes a bounded number, found by the index of each team',
  sql: `with gone as (
          delete from event_feed_entry
           where ctid = any (array(
             select e.ctid
               from event_feed f
              cross join lateral (
                select ctid from event_feed_entry e
                 where e.tenant_id = f.tenant_id and e.event_id < first_id_of(:firstKept::date) and e.position is not null
                 limit ${batch}) as e
              limit ${batch}))
          returning 1)
        select count(*)::int as gone from gone`,
  parameters: { firstKept: day },
  row: { gone: int.checked },
});

const nil = '00000000-0000-0000-0000-000000000000';

export const feeds = {
  /** The entries after a position; undefined if the team has no feed yet. */
  walk: async (
    database: Database,
    { id: tenantId }: TeamId,
    wanted: { after: number; examined: number; type: string | null; limit: number },
  ): Promise<Walked | undefined> => {
    const rows = await database.run(walk, { tenantId, ...wanted });
    const [state] = rows;
    return (
      state && {
        entries: foundIn(entryColumns, rows),
        lastPosition: state.last_position,
        historyPosition: state.history_position,
        hasHistory: state.has_history,
        hasNew: state.has_new,
        examined: state.examined,
        firstPosition: state.first_position,
        endPosition: state.end_position,
      }
    );
  },

  /** The events of entries, as far as they are still kept. */
  events: async (database: Database, { id: tenantId }: TeamId, entries: readonly Entry[]): Promise<EventRow[]> => {
    const ids = entries.map(({ eventId }) => eventId).toSorted();
    const [least, greatest] = [ids[0], ids.at(-1)];
    if (least === undefined || greatest === undefined) return [];
    return database.run(eventsById, { tenantId, ids, least, greatest });
  },

  /** Creates the team's feed, unless there is one. The team must be locked, so that no event is being raised. */
  create: (tx: Tx, { id: tenantId }: TeamId) => runIn(tx, create, { tenantId }),

  /** Locks the feed for the transaction. */
  lock: async (tx: Tx, { id: tenantId }: TeamId) => (await runIn(tx, lock, { tenantId }))[0],

  /** Gives the oldest events without a position the next positions, and returns how many. */
  numberNew: async (tx: Tx, { id: tenantId }: TeamId, { last_position: from }: LockedFeed, most: number) =>
    (await runIn(tx, numberNew, { tenantId, from, most }))[0]?.numbered ?? 0,

  /** Adds the oldest events from before the feed that have no entry yet, and returns how many. */
  enterHistory: async (
    tx: Tx,
    { id: tenantId }: TeamId,
    { history_position: from, history_after: after, history_until: until }: LockedFeed,
    most: number,
  ) =>
    until === null
      ? 0
      : ((await runIn(tx, enterHistory, { tenantId, after: after ?? nil, until, from, most }))[0]?.numbered ?? 0),

  states: (database: Database, teamIds: readonly string[]): Promise<FeedState[]> => database.run(states, { teamIds }),

  /** The teams with events of days before `firstKept` that have no position yet. */
  withOldUnnumbered: async (database: Database, firstKept: string): Promise<string[]> =>
    (await database.run(withOldUnnumbered, { firstKept })).map(({ teamId }) => teamId),
};

/** The entries that are deleted by age. */
export const oldEntries = old;
