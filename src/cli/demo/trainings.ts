import { later, secondsToMs, daysToMs, hoursToMs } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import type { Tx } from '../../db/database.ts';
import { importTrainings, type PastTraining } from '../../modules/trainings/import.ts';
import type { ScoreDimension } from '../../modules/trainings/schema.ts';
import { isActive, type Cast, type Chance } from './cast.ts';
import type { Repertoire } from './repertoire.ts';
import { sampleEvaluation } from './sample-evaluation.ts';

/** The evaluation, saved about a minute after the end of the training; none for a training without scores. */
const evaluationOf = (
  { dimensions, finishedAt }: PractisedSession,
  language: Language,
  methodology: string | null,
): Pick<PastTraining, 'evaluation'> =>
  dimensions
    ? {
        evaluation: {
          ...sampleEvaluation(dimensions, language),
          methodology,
          savedAt: later(finishedAt, secondsToMs(75)),
        },
      }
    : {};

/** Imports months of trainings of all members who have joined. Returns the ids of a scored one and an unscored one. */
export const fillPractice = async (tx: Tx, { team, language, chance, people }: Cast, repertoire: Repertoire) => {
  const now = team.platform.clock.now();
  const past = people.filter(isActive).flatMap(({ userId, joined }) =>
    sessionsOf({ joined, now, chance }).map((session, index): PastTraining => ({
      userId,
      status: session.status === 'aborted' ? 'aborted' : 'ended',
      source: chance.next() < 0.85 ? 'app' : 'phone',
      createdAt: session.createdAt,
      finishedAt: session.finishedAt,
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

type Dimensions = Record<ScoreDimension, number>;

/** How often a person practises, and how the scores develop. */
interface Talent {
  /** The average number of trainings on a working day. */
  diligence: number;
  /** The first score of each dimension. */
  start: Dimensions;
  /** Points gained until today. */
  growth: number;
}

/** An invented training. */
interface PractisedSession {
  status: 'ended' | 'scored' | 'aborted';
  createdAt: Date;
  finishedAt: Date;
  /** The scores; absent unless the training is scored. */
  dimensions?: Dimensions;
}

const talentOf = (chance: Chance): Talent => {
  const level = chance.between(44, 66);
  const dimension = () => level + Math.round(chance.around(14));
  return {
    diligence: 0.12 + chance.next() * 0.4,
    start: {
      // Most teams have low scores here.
      closing: dimension() - 9,
      conversation_control: dimension(),
      needs_analysis: dimension(),
      objection_handling: dimension() - 6,
      value_argument: dimension(),
    },
    growth: chance.between(-2, 22),
  };
};

const within = (min: number, value: number, max: number) => Math.min(Math.max(Math.round(value), min), max);

const scoresAt = ({ start, growth }: Talent, progress: number, chance: Chance): Dimensions => {
  const form = chance.around(8);
  const score = (dimension: ScoreDimension) =>
    within(18, start[dimension] + growth * progress + form + chance.around(9), 97);
  return {
    closing: score('closing'),
    conversation_control: score('conversation_control'),
    needs_analysis: score('needs_analysis'),
    objection_handling: score('objection_handling'),
    value_argument: score('value_argument'),
  };
};

const isWeekend = (day: Date) => day.getUTCDay() % 6 === 0;

const midnightOf = (time: Date): Date => new Date(time.getTime() - (time.getTime() % daysToMs(1)));

/** The trainings of a person on working days since they joined, up to an hour ago. */
const sessionsOf = ({ joined, now, chance }: { joined: Date; now: Date; chance: Chance }): PractisedSession[] => {
  const talent = talentOf(chance);
  const until = later(now, -hoursToMs(1));
  const sessions: PractisedSession[] = [];
  for (let day = later(midnightOf(joined), daysToMs(1)); day < until; day = later(day, daysToMs(1))) {
    if (isWeekend(day) || chance.next() > talent.diligence) continue;
    const createdAt = later(day, hoursToMs(7) + secondsToMs(chance.between(0, 10 * 3600)));
    const finishedAt = later(createdAt, secondsToMs(chance.between(240, 1_260)));
    const dimensions = scoresAt(
      talent,
      (createdAt.getTime() - joined.getTime()) / (now.getTime() - joined.getTime()),
      chance,
    );
    if (finishedAt > until) continue;
    const luck = chance.next();
    if (luck < 0.88) sessions.push({ status: 'scored', createdAt, finishedAt, dimensions });
    else sessions.push({ status: luck < 0.95 ? 'ended' : 'aborted', createdAt, finishedAt });
  }
  return sessions;
};
