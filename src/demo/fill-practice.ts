import { later, seconds } from '../core/clock.ts';
import type { Language } from '../core/language.ts';
import { importTrainings } from '../modules/trainings/service.ts';
import type { PastTraining } from '../modules/trainings/service.ts';
import type { Tx } from '../db/database.ts';
import type { Cast } from './cast.ts';
import { isActive } from './cast.ts';
import { assess, sessionsOf } from './practice.ts';
import type { PractisedSession } from './practice.ts';
import type { Repertoire } from './repertoire.ts';

/** Scored a minute or so after it ended. */
const evaluationOf = (
  { dimensions, finishedAt }: PractisedSession,
  language: Language,
  methodology: string | null,
): Pick<PastTraining, 'evaluation'> =>
  dimensions
    ? {
        evaluation: {
          ...assess(dimensions, language),
          dimensions,
          methodology,
          saved_at: later(finishedAt, seconds(75)),
        },
      }
    : {};

/** Months of practice of everybody who has joined; one session that was scored, and one that was not. */
export const fillPractice = async (tx: Tx, { team, language, chance, people }: Cast, repertoire: Repertoire) => {
  const now = team.platform.clock.now();
  const past = people.filter(isActive).flatMap(({ userId, joined }) =>
    sessionsOf({ joined, now, chance }).map((session, index): PastTraining => ({
      user_id: userId,
      status: session.status === 'aborted' ? 'aborted' : 'ended',
      source: chance.next() < 0.85 ? 'app' : 'phone',
      created_at: session.createdAt,
      finished_at: session.finishedAt,
      ...repertoire.next(),
      ...evaluationOf(session, language, repertoire.methodologies[index % repertoire.methodologies.length] ?? null),
    })),
  );
  const ids = await importTrainings(tx, team, past);
  const idOf = (wanted: (one: PastTraining) => boolean): string => ids[past.findIndex(wanted)] ?? '';
  return {
    scored: idOf(({ evaluation }) => evaluation !== undefined),
    unscored: idOf(({ status, evaluation }) => status === 'ended' && !evaluation),
  };
};
