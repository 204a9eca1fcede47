import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { day, int, listOf, query, uuid } from '../../db/query.ts';
import type { ParametersOf } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `training_totals` and `training_week`: sums of trainings and evaluations.

// A week has a row as soon as a training of it is scored, even without a total. `recount` makes the same rows.
const addToWeek = query({
  name: 'analytics.addToWeek',
  why: 'adds to single elements of lists in place: Prisma writes a list as a whole',
  sql: `insert into training_week as known (tenant_id, week, user_id, total, totalled)
        values (:tenantId, :week::date, :userId, :totals::int[], :counts::int[])
        on conflict (tenant_id, week, user_id) do update
           set total[:dayOfWeek::int] = known.total[:dayOfWeek::int] + :total::int,
               totalled[:dayOfWeek::int] = known.totalled[:dayOfWeek::int] + :totalled::int`,
  parameters: {
    tenantId: uuid,
    week: day,
    userId: uuid,
    totals: listOf(int),
    counts: listOf(int),
    dayOfWeek: int,
    total: int,
    totalled: int,
  },
  row: {},
});

/** SQL: an array with the value of an aggregate for each day of the week, Monday first. */
const eachDay = (aggregate: string): string => {
  const sums = [1, 2, 3, 4, 5, 6, 7].map((of) => `coalesce(${aggregate} filter (where day = ${of}), 0)`);
  return `array[${sums.join(', ')}]`;
};

const recountWhy = 'adds up all trainings of a team within the database';

const recountTotals = query({
  name: 'analytics.recountTotals',
  why: recountWhy,
  sql: `insert into training_totals (tenant_id, user_id, sessions, scored, totalled, total,
                                     closing, conversation_control, needs_analysis, objection_handling, value_argument)
        select training.tenant_id, user_id, count(*), count(training_id), count(total), coalesce(sum(total), 0),
               coalesce(sum(closing), 0), coalesce(sum(conversation_control), 0), coalesce(sum(needs_analysis), 0),
               coalesce(sum(objection_handling), 0), coalesce(sum(value_argument), 0)
          from training left join evaluation on evaluation.tenant_id = training.tenant_id and training_id = training.id
         where training.tenant_id = :tenantId and status in ('ended', 'scored')
         group by training.tenant_id, user_id`,
  parameters: { tenantId: uuid },
  row: {},
});

// In the order of the weeks, as if counted one by one, so that a read of some weeks reads few pages.
const recountWeeks = query({
  name: 'analytics.recountWeeks',
  why: recountWhy,
  sql: `insert into training_week (tenant_id, week, user_id, total, totalled)
        select tenant_id, week, user_id, ${eachDay('sum(total)')}, ${eachDay('count(total)')}
          from (select training.tenant_id, user_id, total, date_trunc('week', started)::date as week,
                       extract(isodow from started) as day
                  from training join evaluation on evaluation.tenant_id = training.tenant_id and training_id = training.id
                       cross join lateral (select training.created_at at time zone 'UTC' as started) as utc
                 where training.tenant_id = :tenantId) as scored
         group by tenant_id, week, user_id
         order by week, user_id`,
  parameters: { tenantId: uuid },
  row: {},
});

interface AddedScore {
  tenantId: string;
  userId: string;
  scored: number;
  totalled: number;
  total: number;
  closing: number;
  conversationControl: number;
  needsAnalysis: number;
  objectionHandling: number;
  valueArgument: number;
}

export const sums = {
  /** Prisma writes this as one `INSERT … ON CONFLICT`, so two that count at once lose nothing. */
  addSession: (tx: Tx, tenantId: string, userId: string) =>
    tx.trainingTotals.upsert({
      where: { tenantId_userId: { tenantId, userId } },
      create: { tenantId, userId, sessions: 1 },
      update: { sessions: { increment: 1 } },
    }),

  /** Adds to a user's sums; false if the user has no row. */
  addScore: async (tx: Tx, { tenantId, userId, ...added }: AddedScore) => {
    const { count } = await tx.trainingTotals.updateMany({
      where: { tenantId, userId },
      data: {
        scored: { increment: added.scored },
        totalled: { increment: added.totalled },
        total: { increment: added.total },
        closing: { increment: added.closing },
        conversationControl: { increment: added.conversationControl },
        needsAnalysis: { increment: added.needsAnalysis },
        objectionHandling: { increment: added.objectionHandling },
        valueArgument: { increment: added.valueArgument },
      },
    });
    return count > 0;
  },

  addToWeek: (tx: Tx, added: ParametersOf<(typeof addToWeek)['parameters']>) => runIn(tx, addToWeek, added),

  /** Computes all sums of a team again. */
  recount: async (tx: Tx, tenantId: string) => {
    await tx.trainingTotals.deleteMany({ where: { tenantId } });
    await tx.trainingWeek.deleteMany({ where: { tenantId } });
    await runIn(tx, recountTotals, { tenantId });
    await runIn(tx, recountWeeks, { tenantId });
  },
};

/** The sums, as the team's export has them. */
export const totalsData = teamTable({
  module: 'analytics',
  rows: 'from training_totals',
  file: 'training_totals.json',
  key: { user_id: 'uuid' },
  values: [
    'user_id',
    'sessions',
    'scored',
    'totalled',
    'total',
    'closing',
    'conversation_control',
    'needs_analysis',
    'objection_handling',
    'value_argument',
  ],
});

export const weekData = teamTable({
  module: 'analytics',
  rows: 'from training_week',
  file: 'training_weeks.json',
  key: { week: 'date', user_id: 'uuid' },
  values: ['week', 'user_id', 'total', 'totalled'],
});

/** Deletes the sums of a user. */
export const removeSums = async (tx: Tx, key: { tenantId: string; userId: string }): Promise<number> => {
  const totals = await tx.trainingTotals.deleteMany({ where: key });
  const weeks = await tx.trainingWeek.deleteMany({ where: key });
  return totals.count + weeks.count;
};
