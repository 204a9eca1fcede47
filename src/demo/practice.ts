import { days, hours, later, seconds } from '../core/clock.ts';
import type { Language } from '../core/language.ts';
import { scoreDimensions } from '../core/score-dimensions.ts';
import type { ScoreDimension } from '../core/score-dimensions.ts';
import type { Chance } from './chance.ts';
import { coaching } from './coaching.ts';

type Dimensions = Record<ScoreDimension, number>;

/** How somebody practises and gets better at it. */
interface Talent {
  /** Sessions on a working day, on average. */
  diligence: number;
  /** Where each dimension starts. */
  start: Dimensions;
  /** Points gained until today. */
  growth: number;
}

/** A practice session of somebody, as it went. */
export interface PractisedSession {
  status: 'ended' | 'scored' | 'aborted';
  createdAt: Date;
  finishedAt: Date;
  /** Only of a scored one. */
  dimensions?: Dimensions;
}

const talentOf = (chance: Chance): Talent => {
  const level = chance.between(44, 66);
  const dimension = () => level + Math.round(chance.around(14));
  return {
    diligence: 0.12 + chance.next() * 0.4,
    start: {
      // Where most teams are weak.
      closing: dimension() - 9,
      conversation_control: dimension(),
      needs_analysis: dimension(),
      objection_handling: dimension() - 6,
      value_argument: dimension(),
    },
    growth: chance.between(-2, 22),
  };
};

const within = (least: number, value: number, most: number) => Math.min(Math.max(Math.round(value), least), most);

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

const midnightOf = (time: Date): Date => new Date(time.getTime() - (time.getTime() % days(1)));

/** What somebody practised on working days since they joined, up to an hour ago. */
export const sessionsOf = ({
  joined,
  now,
  chance,
}: {
  joined: Date;
  now: Date;
  chance: Chance;
}): PractisedSession[] => {
  const talent = talentOf(chance);
  const until = later(now, -hours(1));
  const sessions: PractisedSession[] = [];
  for (let day = later(midnightOf(joined), days(1)); day < until; day = later(day, days(1))) {
    if (isWeekend(day) || chance.next() > talent.diligence) continue;
    const createdAt = later(day, hours(7) + seconds(chance.between(0, 10 * 3600)));
    const finishedAt = later(createdAt, seconds(chance.between(240, 1_260)));
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

/** What a coach makes of the five scores. */
export const assess = (dimensions: Dimensions, language: Language) => {
  const weakestFirst = scoreDimensions.toSorted((a, b) => dimensions[a] - dimensions[b]);
  const [weakest = 'closing', second = 'closing'] = weakestFirst;
  const strongest = weakestFirst.at(-1) ?? 'closing';
  const words = coaching[language];
  const total = Math.round(scoreDimensions.reduce((sum, dimension) => sum + dimensions[dimension], 0) / 5);
  const tips = [...words[weakest].tips, words[second].tips[0]].slice(0, total >= 80 ? 1 : 3);
  return {
    total,
    goal: total >= 72 ? ('reached' as const) : total >= 50 ? ('partial' as const) : ('missed' as const),
    strongest: words[strongest].strength,
    biggest_lever: words[weakest].lever,
    tips: [...tips],
  };
};
