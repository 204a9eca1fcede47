import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { lockTeam } from '../teams/service.ts';
import { weekDayOf } from './calendar.ts';
import { sums } from './store.ts';

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
  await sums.addSession(tx, team.id, userId);
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
  const counted = await sums.addScore(tx, {
    tenantId: team.id,
    userId,
    scored: before ? 0 : 1,
    totalled,
    total,
    closing: now.closing - old.closing,
    conversationControl: now.conversationControl - old.conversationControl,
    needsAnalysis: now.needsAnalysis - old.needsAnalysis,
    objectionHandling: now.objectionHandling - old.objectionHandling,
    valueArgument: now.valueArgument - old.valueArgument,
  });
  if (!counted) throw new Error('a score was to be counted for a user none of whose trainings was');

  const { week, day } = weekDayOf(createdAt);
  const onDay = (value: number) => weekDays.map((other) => (other === day ? value : 0));
  await sums.addToWeek(tx, {
    tenantId: team.id,
    week,
    userId,
    totals: onDay(total),
    counts: onDay(totalled),
    dayOfWeek: day,
    total,
    totalled,
  });
};

/**
 * Adds up everything anew from the trainings themselves, for rows that were written in bulk. It locks the team, which everybody
 * who counts holds, so nothing is counted meanwhile; a lock on the team is the first of its transaction.
 */
export const recount = async (tx: Tx, team: Team): Promise<void> => {
  await lockTeam(tx, team);
  await sums.recount(tx, team.id);
};
