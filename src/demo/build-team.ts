import { days, later } from '../core/clock.ts';
import { randomText } from '../core/crypto.ts';
import { keyTemplates } from '../core/scopes.ts';
import type { KeyTemplate } from '../core/scopes.ts';
import type { Tx } from '../db/database.ts';
import { createKey } from '../modules/keys/service.ts';
import { addActivePerson, addInvitedMember } from '../modules/members/service.ts';
import type { NewMembership } from '../modules/members/service.ts';
import { isKnownEmail } from '../modules/people/service.ts';
import { changeTeam, foundTeam } from '../modules/teams/service.ts';
import type { Platform } from '../platform/platform.ts';
import type { Actor, Team } from '../platform/team.ts';
import type { DemoTeam } from './document.ts';
import { emailName } from './email-name.ts';
import type { PersonPlan, TeamPlan } from './team-plans.ts';

const operator: Actor = { kind: 'operator' };

/** What a tester with a script needs, far above what a key gets by itself. */
const requestsPerMinute = 6_000;

/** The same platform some days ago: what services do with it is dated then. */
const daysAgo = (platform: Platform, count: number): Platform => {
  const then = later(platform.clock.now(), -days(count));
  return { ...platform, clock: { now: () => then } };
};

/** A demo made anew in the same database leaves the people of the former one as they are, passwords included. */
const unusedDomain = async (tx: Tx, { domain, owner }: TeamPlan): Promise<string> => {
  const taken = await isKnownEmail(tx, `${emailName(owner.name)}@${domain}`);
  return taken ? `${randomText(6).toLowerCase()}.${domain}` : domain;
};

const addPerson = async (team: Team, person: PersonPlan, domain: string): Promise<void> => {
  const { name, role = 'member', rights = [], invited = false } = person;
  const then = { ...team, platform: daysAgo(team.platform, person.daysAgo) };
  const membership: NewMembership = { email: `${emailName(name)}@${domain}`, role, rights };
  // Nobody is mailed: these people don't exist.
  await (invited ? addInvitedMember(then, membership) : addActivePerson(then, { ...membership, name }));
};

/** Makes one demo team through the services, so that it is what any other team is. */
export const buildTeam = async (tx: Tx, platform: Platform, plan: TeamPlan): Promise<DemoTeam> => {
  const domain = await unusedDomain(tx, plan);
  const ownerPassword = randomText(16);
  const founded = await foundTeam(tx, daysAgo(platform, plan.owner.daysAgo), operator, {
    name: plan.name,
    ownerEmail: `${emailName(plan.owner.name)}@${domain}`,
    ownerName: plan.owner.name,
    ownerPassword,
    plan: plan.plan,
    seats: plan.seats,
    rateLimit: requestsPerMinute,
    language: plan.language,
  });
  const team: Team = { ...founded.team, platform };
  const { email, member_id } = founded.owner;
  await changeTeam(team, { memberDetail: plan.memberDetail, leaderboard: plan.leaderboard });
  for (const person of plan.people) await addPerson(team, person, domain);

  const makeKey = async (name: string, template: KeyTemplate) =>
    (await createKey(team, { name, by: member_id, scopes: keyTemplates[template] })).key;
  return {
    name: plan.name,
    tenant_id: team.id,
    owner: { email, password: ownerPassword, member_id },
    keys: {
      all: await makeKey('Demo: everything', 'all'),
      read_only: await makeKey('Demo: read only', 'read_only'),
    },
  };
};
