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
import { daysAgo, isActive } from './cast.ts';
import type { Cast, CastMember } from './cast.ts';
import { chanceFrom } from './chance.ts';
import type { DemoTeam } from './document.ts';
import { emailName } from './email-name.ts';
import { fillCases } from './fill-cases.ts';
import { fillCrm } from './fill-crm.ts';
import { fillPractice } from './fill-practice.ts';
import { fillTasks } from './fill-tasks.ts';
import { settleRepertoire } from './repertoire.ts';
import type { PersonPlan, TeamPlan } from './team-plans.ts';

const operator: Actor = { kind: 'operator' };

/** What a tester with a script needs, far above what a team gets by itself. */
const requestsPerMinute = 6_000;

/** A demo made anew in the same database leaves the people of the former one as they are, passwords included. */
const unusedDomain = async (tx: Tx, { domain, owner }: TeamPlan): Promise<string> => {
  const taken = await isKnownEmail(tx, `${emailName(owner.name)}@${domain}`);
  return taken ? `${randomText(6).toLowerCase()}.${domain}` : domain;
};

const joinedAgo = (team: Team, { daysAgo: count }: { daysAgo: number }): Date =>
  later(team.platform.clock.now(), -days(count));

const addPerson = async (team: Team, person: PersonPlan, domain: string): Promise<CastMember> => {
  const { name, role = 'member', rights = [], invited = false } = person;
  const then = { ...team, platform: daysAgo(team.platform, person.daysAgo) };
  const membership: NewMembership = { email: `${emailName(name)}@${domain}`, role, rights };
  // Nobody is mailed: these people don't exist.
  const { id, user_id } = await (invited
    ? addInvitedMember(then, membership)
    : addActivePerson(then, { ...membership, name }));
  return { memberId: id, userId: user_id, role, joined: joinedAgo(team, person) };
};

/** Founds the team and lets everybody in. */
const gather = async (tx: Tx, platform: Platform, plan: TeamPlan) => {
  const domain = await unusedDomain(tx, plan);
  const password = randomText(16);
  const founded = await foundTeam(tx, daysAgo(platform, plan.owner.daysAgo), operator, {
    name: plan.name,
    ownerEmail: `${emailName(plan.owner.name)}@${domain}`,
    ownerName: plan.owner.name,
    ownerPassword: password,
    plan: plan.plan,
    seats: plan.seats,
    rateLimit: requestsPerMinute,
    language: plan.language,
  });
  const { email, member_id, user_id } = founded.owner;
  const { memberDetail, leaderboard } = plan;
  await changeTeam({ ...founded.team, platform }, { memberDetail, leaderboard });
  const team: Team = { ...founded.team, platform, privacy: { memberDetail, leaderboard } };
  const people: CastMember[] = [
    { memberId: member_id, userId: user_id, role: 'owner', joined: joinedAgo(team, plan.owner) },
  ];
  for (const person of plan.people) people.push(await addPerson(team, person, domain));
  return { team, people, owner: { email, password, member_id } };
};

const idOf = (people: readonly CastMember[], role: CastMember['role']): string =>
  people.filter(isActive).find((person) => person.role === role)?.memberId ?? '';

/** Makes one demo team through the services, so that it is what any other team is. */
export const buildTeam = async (tx: Tx, platform: Platform, plan: TeamPlan): Promise<DemoTeam> => {
  const { team, people, owner } = await gather(tx, platform, plan);
  const cast: Cast = { team, people, language: plan.language, chance: chanceFrom(plan.seats) };
  const repertoire = await settleRepertoire(cast);
  const training = await fillPractice(tx, cast, repertoire);
  const assignment = await fillTasks(cast, repertoire);
  const cases = await fillCases(cast);
  await fillCrm(cast, repertoire);
  const { situation_id, personality_id, industry_id } = repertoire.next();

  const makeKey = async (name: string, template: KeyTemplate) =>
    (await createKey(team, { name, by: owner.member_id, scopes: keyTemplates[template] })).key;
  return {
    name: plan.name,
    tenant_id: team.id,
    owner,
    keys: {
      all: await makeKey('Demo: everything', 'all'),
      read_only: await makeKey('Demo: read only', 'read_only'),
    },
    ids: {
      member: idOf(people, 'member'),
      admin: idOf(people, 'admin'),
      training_scored: training.scored,
      training_unscored: training.unscored,
      assignment,
      case: cases.team,
      private_case: cases.own,
      situation: situation_id,
      personality: personality_id,
      industry: industry_id,
      blocked_situation: repertoire.blockedSituation,
    },
  };
};
