import { days, later } from '../core/clock.ts';
import { createCase } from '../modules/cases/service.ts';
import { freeFormOf } from '../platform/free-form.ts';
import { teamAt } from '../platform/team.ts';
import { isActive } from './cast.ts';
import type { Cast } from './cast.ts';
import { customerCases } from './customer-cases.ts';

/** Writes down the team's cases and some people's own; the first of each. */
export const fillCases = async ({ team, language, chance, people }: Cast) => {
  const { team: shared, own } = customerCases[language];
  const active = people.filter(isActive);
  const made = { team: '', own: '' };
  const now = team.platform.clock.now();
  const all = [
    ...shared.map((story) => ({ story, ownOnly: false })),
    ...own.map((story) => ({ story, ownOnly: true })),
  ];
  for (const [index, { story, ownOnly }] of all.entries()) {
    const author = active[index % active.length];
    if (!author) break;
    const latest = now.getTime() - author.joined.getTime();
    const then = teamAt(team, later(now, -Math.floor(latest * chance.next() * 0.8) - days(1)));
    const { id } = await createCase(
      then,
      {
        user_id: author.userId,
        title: story.title,
        persona_id: story.persona,
        fields: freeFormOf(story.fields),
        external_ref: ownOnly ? null : freeFormOf({ crm: 'account', number: 4_100 + index }),
      },
      { ownOnly },
    );
    if (ownOnly) made.own ||= id;
    else made.team ||= id;
  }
  return made;
};
