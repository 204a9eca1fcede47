import { days, later, seconds } from '../core/clock.ts';
import { connectCrm, pauseConnection, storeDeals, storeObjections, storeRuns } from '../modules/crm/service.ts';
import type { PastRun } from '../modules/crm/service.ts';
import { teamAt } from '../platform/team.ts';
import { daysAgo, isActive } from './cast.ts';
import type { Cast } from './cast.ts';
import { crmStories } from './crm-stories.ts';
import type { Repertoire } from './repertoire.ts';

/** No CRM knows it. */
const inventedToken = 'demo-token-that-no-crm-accepts';

const aMinute = seconds(60);

/** How many minutes before the connection was paused runs began: a full one a day, changes every quarter of an hour. */
const [lastFull, firstFull] = [10, 10 + 24 * 60 + 12];
const everyMinutes = 16;
/** Two of those between. */
const [failedAt, byHandAt] = [lastFull + everyMinutes * 9, lastFull + everyMinutes * 14];

/** The runs of the last day, the oldest first. */
const pastRuns = (pausedAt: Date, chance: Cast['chance'], whole: Pick<PastRun, 'deals' | 'objections'>): PastRun[] => {
  const run = (minutes: number, more: Omit<PastRun, 'startedAt' | 'endedAt' | 'deleted'>, tookMs: number): PastRun => {
    const startedAt = later(pausedAt, -minutes * aMinute - chance.between(0, aMinute / 2));
    return { ...more, startedAt, endedAt: later(startedAt, tookMs), deleted: 0 };
  };
  const full = (minutes: number) =>
    run(minutes, { kind: 'full', outcome: 'ok', ...whole }, chance.between(2_000, 4_000));
  const changes = (minutes: number): PastRun => {
    if (minutes === failedAt) {
      const failure = {
        outcome: 'failed',
        reason: 'The CRM answered with status 502.',
        deals: 0,
        objections: 0,
      } as const;
      return run(minutes, { kind: 'incremental', ...failure }, seconds(11));
    }
    const deals = Math.max(0, chance.between(-4, 2));
    const found = { deals, objections: deals > 1 ? 1 : 0, onDemand: minutes === byHandAt };
    return run(minutes, { kind: 'incremental', outcome: 'ok', ...found }, chance.between(500, 1_200));
  };
  const between = [];
  for (let minutes = lastFull + everyMinutes; minutes < firstFull; minutes += everyMinutes) between.push(minutes);
  return [full(firstFull), ...between.toReversed().map(changes), full(lastFull)];
};

/** Connects the team to a CRM and stores what its syncs would have found. It was paused an hour ago, so that no sync asks a real CRM. */
export const fillCrm = async ({ team, language, chance, people }: Cast, { idOf }: Repertoire): Promise<void> => {
  const { provider, firstNumber, currency, pipeline, deals } = crmStories[language];
  const now = team.platform.clock.now();
  const pausedAt = later(now, -60 * aMinute);
  const connection = { provider, token: inventedToken };
  const { id } = await connectCrm({ ...team, platform: daysAgo(team.platform, 120) }, connection);
  const objectionCount = deals.reduce((count, { objections }) => count + objections.length, 0);
  const past = pastRuns(pausedAt, chance, { deals: deals.length, objections: objectionCount });
  const lastRun = teamAt(team, past.at(-1)?.startedAt ?? pausedAt);
  const sellers = people.filter(isActive).filter(({ role }) => role === 'member');

  const told = deals.map((story, index) => {
    const firstSeenAt = later(now, -days(chance.between(20, 110)) - chance.between(0, days(1)));
    const lastActivityAt = later(now, -chance.between(days(1) / 8, days(12)));
    return { story, externalId: String(firstNumber + index * 137), firstSeenAt, lastActivityAt };
  });
  await storeDeals(
    lastRun,
    id,
    told.map(({ story, externalId, firstSeenAt, lastActivityAt }, index) => ({
      externalId,
      outcome: story.outcome,
      title: story.title,
      amount: story.amount,
      currency,
      closeDate: later(now, days(story.outcome === 'open' ? 20 + index * 6 : -3 - index))
        .toISOString()
        .slice(0, 10),
      probability: { open: chance.between(2, 8) * 10, won: 100, lost: 0 }[story.outcome],
      pipelineId: pipeline,
      stageId: story.stage,
      industryId: story.industry === undefined ? null : idOf('industry', story.industry),
      lostReason: story.lostReason ?? null,
      ownerUserId: sellers[index % sellers.length]?.userId ?? null,
      lastActivityAt,
      firstSeenAt,
    })),
  );
  await storeObjections(
    lastRun,
    id,
    told.flatMap(({ story, externalId, firstSeenAt }, deal) =>
      story.objections.map(({ category, text }, index) => ({
        externalId: String(7_700 + deal * 10 + index),
        dealExternalId: externalId,
        category,
        text,
        lang: language,
        createdAt: later(firstSeenAt, days(1) / 3),
      })),
    ),
  );
  await storeRuns(team, id, past);
  await pauseConnection(teamAt(team, pausedAt), id);
};
