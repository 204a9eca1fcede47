import { days, later } from '../core/clock.ts';
import { connectCrm, storeDeals, storeObjections } from '../modules/crm/service.ts';
import { daysAgo, isActive } from './cast.ts';
import type { Cast } from './cast.ts';
import { crmStories } from './crm-stories.ts';
import type { Repertoire } from './repertoire.ts';

/** Connects the team to a CRM and brings in what a sync would have found there an hour ago. */
export const fillCrm = async ({ team, language, chance, people }: Cast, { idOf }: Repertoire): Promise<void> => {
  const { provider, firstNumber, currency, pipeline, deals } = crmStories[language];
  const now = team.platform.clock.now();
  const { id } = await connectCrm({ ...team, platform: daysAgo(team.platform, 120) }, { provider });
  const sellers = people.filter(isActive).filter(({ role }) => role === 'member');

  const told = deals.map((story, index) => {
    const firstSeenAt = later(now, -days(chance.between(20, 110)) - chance.between(0, days(1)));
    const lastActivityAt = later(now, -chance.between(days(1) / 12, days(12)));
    return { story, externalId: String(firstNumber + index * 137), firstSeenAt, lastActivityAt };
  });
  await storeDeals(
    team,
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
    team,
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
};
