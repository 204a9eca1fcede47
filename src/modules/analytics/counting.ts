import type { Tx } from '../../db/database.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';
import { lockTeam } from '../teams/service.ts';
import { weekDayOf } from './calendar.ts';

/** Whose training it is, and the time it started: the day and week that its score counts for. */
export interface CountedTraining {
  userId: string;
  createdAt: Date;
}

export interface CountedScore {
  total: number | null;
  closing: number;
  conversationControl: number;
  needsAnalysis: number;
  objectionHandling: number;
  valueArgument: number;
}

const weekDays = [1, 2, 3, 4, 5, 6, 7];

const nothing: CountedScore = {
  total: null,
  closing: 0,
  conversationControl: 0,
  needsAnalysis: 0,
  objectionHandling: 0,
  valueArgument: 0,
};

/** Counts a training that ended. */
export const countSession = async (tx: Tx, team: Team, { userId }: Pick<CountedTraining, 'userId'>): Promise<void> => {
  await tx.$executeRaw`
    insert into training_totals as known (tenant_id, user_id, sessions) values (${team.id}::uuid, ${userId}::uuid, 1)
    on conflict (tenant_id, user_id) do update set sessions = known.sessions + 1`;
};

/** What saving a score adds to the sums of totals. */
const totalsAdded = (before: CountedScore, now: CountedScore) => ({
  total: (now.total ?? 0) - (before.total ?? 0),
  totalled: Number(now.total !== null) - Number(before.total !== null),
});

/**
 * Counts an evaluation that was saved, in place of the one that it corrects if there was one. The training was counted when it
 * ended, so its user has totals; they are locked before the week, always.
 */
export const countScore = async (
  tx: Tx,
  team: Team,
  { userId, createdAt }: CountedTraining,
  { before, now }: { before?: CountedScore; now: CountedScore },
): Promise<void> => {
  const old = before ?? nothing;
  const { total, totalled } = totalsAdded(old, now);
  const counted = await tx.$executeRaw`
    update training_totals
       set scored = scored + ${before ? 0 : 1}::int,
           totalled = totalled + ${totalled}::int,
           total = total + ${total}::int,
           closing = closing + ${now.closing - old.closing}::int,
           conversation_control = conversation_control + ${now.conversationControl - old.conversationControl}::int,
           needs_analysis = needs_analysis + ${now.needsAnalysis - old.needsAnalysis}::int,
           objection_handling = objection_handling + ${now.objectionHandling - old.objectionHandling}::int,
           value_argument = value_argument + ${now.valueArgument - old.valueArgument}::int
     where tenant_id = ${team.id}::uuid and user_id = ${userId}::uuid`;
  if (counted === 0) throw new Error('a score was to be counted for a user none of whose trainings was');

  const { week, day } = weekDayOf(createdAt);
  const onDay = (value: number) => weekDays.map((other) => (other === day ? value : 0));
  // A week has a row as soon as anything of it is scored, with a total or without: what `recount` makes of it too.
  await tx.$executeRaw`
    insert into training_week as known (tenant_id, week, user_id, total, totalled)
    values (${team.id}::uuid, ${week}::date, ${userId}::uuid, ${onDay(total)}::int[], ${onDay(totalled)}::int[])
    on conflict (tenant_id, week, user_id) do update
       set total[${day}::int] = known.total[${day}::int] + ${total}::int,
           totalled[${day}::int] = known.totalled[${day}::int] + ${totalled}::int`;
};

/** An array of seven, Monday first: what an aggregate gives for each day of the week. */
const eachDay = (aggregate: string): Prisma.Sql => {
  const sums = weekDays.map((day) => `coalesce(${aggregate} filter (where day = ${day}), 0)`);
  return Prisma.raw(`array[${sums.join(', ')}]`);
};

/**
 * Adds up everything anew from the trainings themselves, for rows that were written in bulk. It locks the team, which everybody
 * who counts holds, so nothing is counted meanwhile; a lock on the team is the first of its transaction.
 */
export const recount = async (tx: Tx, team: Team): Promise<void> => {
  await lockTeam(tx, team);
  await tx.$executeRaw`delete from training_totals where tenant_id = ${team.id}::uuid`;
  await tx.$executeRaw`delete from training_week where tenant_id = ${team.id}::uuid`;
  await tx.$executeRaw`
    insert into training_totals (tenant_id, user_id, sessions, scored, totalled, total,
                                 closing, conversation_control, needs_analysis, objection_handling, value_argument)
    select training.tenant_id, user_id, count(*), count(training_id), count(total), coalesce(sum(total), 0),
           coalesce(sum(closing), 0), coalesce(sum(conversation_control), 0), coalesce(sum(needs_analysis), 0),
           coalesce(sum(objection_handling), 0), coalesce(sum(value_argument), 0)
      from training left join evaluation on evaluation.tenant_id = training.tenant_id and training_id = training.id
     where training.tenant_id = ${team.id}::uuid and status in ('ended', 'scored')
     group by training.tenant_id, user_id`;
  // In the order of their weeks, as they come to be when counted one by one: a read of some weeks then reads few pages.
  await tx.$executeRaw`
    insert into training_week (tenant_id, week, user_id, total, totalled)
    select tenant_id, week, user_id, ${eachDay('sum(total)')}, ${eachDay('count(total)')}
      from (select training.tenant_id, user_id, total, date_trunc('week', started)::date as week,
                   extract(isodow from started) as day
              from training join evaluation on evaluation.tenant_id = training.tenant_id and training_id = training.id
                   cross join lateral (select training.created_at at time zone 'UTC' as started) as utc
             where training.tenant_id = ${team.id}::uuid) as scored
     group by tenant_id, week, user_id
     order by week, user_id`;
};
