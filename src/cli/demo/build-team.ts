import { daysToMs, later } from '../../core/clock.ts';
import { randomText } from '../../core/crypto.ts';
import type { Language } from '../../core/language.ts';
import { allScopes, keyTemplates, type Scope } from '../../core/scopes.ts';
import type { Tx } from '../../db/database.ts';
import { createKey } from '../../modules/keys/service.ts';
import { keyRight } from '../../modules/keys/schema.ts';
import { addActivePerson, addInvitedMember, type NewMembership } from '../../modules/members/invitations.ts';
import { personIdOf } from '../../modules/people/store.ts';
import { changeTeam, foundTeam } from '../../modules/teams/service.ts';
import type { Plan } from '../../db/generated/enums.ts';
import type { Platform, Actor, Team } from '../../platform/team.ts';
import { daysAgo, isActive, chanceFrom, emailName, type Cast, type CastMember } from './cast.ts';
import type { DemoTeam } from './prepare.ts';
import { fillCases } from './cases.ts';
import { fillCrm } from './crm.ts';
import { fillPractice } from './trainings.ts';
import { fillTasks } from './assignments.ts';
import { settleRepertoire } from './repertoire.ts';

const operator: Actor = { kind: 'operator' };

/** Enough for a tester's script, and far more than a normal team may send. */
const requestsPerMinute = 6_000;

/**
 * The plan's domain, or a new one if a former demo in this database has it: that demo's people and passwords must not
 * change.
 */
const unusedDomain = async (tx: Tx, { domain, owner }: TeamPlan): Promise<string> => {
  const taken = (await personIdOf(tx, `${emailName(owner.name)}@${domain}`)) !== undefined;
  return taken ? `${randomText(6).toLowerCase()}.${domain}` : domain;
};

const joinedAgo = (team: Team, { daysAgo: count }: { daysAgo: number }): Date =>
  later(team.platform.clock.now(), -daysToMs(count));

const addPerson = async (team: Team, person: PersonPlan, domain: string): Promise<CastMember> => {
  const { name, role = 'member', rights = [], externalId, invited = false } = person;
  const then = { ...team, platform: daysAgo(team.platform, person.daysAgo) };
  const email = `${emailName(name)}@${domain}`;
  const membership: NewMembership = { email, role, rights, externalId };
  // Sends no mail, because these people do not exist.
  const { id: memberId, userId } = await (invited
    ? addInvitedMember(then, membership)
    : addActivePerson(then, { ...membership, name }));
  return { memberId, email, userId, role, joined: joinedAgo(team, person) };
};

/** Creates the team and its members. */
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
    rateLimit: plan.rateLimit ?? requestsPerMinute,
    language: plan.language,
  });
  const { email, memberId, userId } = founded.owner;
  const { memberDetail, leaderboard } = plan;
  await changeTeam({ ...founded.team, platform }, { memberDetail, leaderboard });
  const team: Team = { ...founded.team, platform, privacy: { memberDetail, leaderboard } };
  const people: CastMember[] = [{ memberId, email, userId, role: 'owner', joined: joinedAgo(team, plan.owner) }];
  for (const person of plan.people) people.push(await addPerson(team, person, domain));
  return { team, people, owner: { email, password, member_id: memberId } };
};

const idOf = (people: readonly CastMember[], role: CastMember['role']): string =>
  people.filter(isActive).find((person) => person.role === role)?.memberId ?? '';

/** Creates a demo team through the services, so that it is like any other team. */
export const buildTeam = async (tx: Tx, platform: Platform, plan: TeamPlan): Promise<DemoTeam> => {
  const { team, people, owner } = await gather(tx, platform, plan);
  const cast: Cast = { team, people, language: plan.language, chance: chanceFrom(plan.seats) };
  const repertoire = await settleRepertoire(cast);
  const training = await fillPractice(tx, cast, repertoire);
  const assignment = await fillTasks(cast, repertoire);
  const cases = await fillCases(cast);
  await fillCrm(cast);
  const { situationId, personalityId, industryId } = repertoire.next();

  const createDemoKey = async (name: string, scopes: readonly Scope[]) =>
    (await createKey(team, { name, by: owner.member_id, scopes })).key;
  return {
    name: plan.name,
    tenant_id: team.id,
    owner,
    keys: {
      all: await createDemoKey('Demo: everything', allScopes),
      read_only: await createDemoKey('Demo: read only', keyTemplates.read_only),
    },
    ids: {
      member: idOf(people, 'member'),
      admin: idOf(people, 'admin'),
      training_scored: training.scored,
      training_unscored: training.unscored,
      assignment,
      case: cases.team,
      private_case: cases.own,
      situation: situationId,
      personality: personalityId,
      industry: industryId,
      blocked_situation: repertoire.blockedSituation,
    },
  };
};

interface PersonPlan {
  name: string;
  /** How long ago they joined or were invited. */
  daysAgo: number;
  role?: 'admin';
  rights?: readonly string[];
  externalId?: string;
  invited?: true;
}

/** The plan of a demo team. Its domain is a reserved one, so no mail ever reaches it. */
export interface TeamPlan {
  name: string;
  domain: string;
  language: Language;
  plan: Plan;
  seats: number;
  /** Requests a minute of all keys together; far more than usual if absent. */
  rateLimit?: number;
  memberDetail: boolean;
  leaderboard: boolean;
  owner: { name: string; daysAgo: number };
  people: readonly PersonPlan[];
}

const mayMakeKeys = { role: 'admin', rights: [keyRight] } as const;
const admin = { role: 'admin' } as const;
const invited = { invited: true } as const;

/** The first team shows everything. The second one is small and hides member details. */
export const teamPlans: readonly TeamPlan[] = [
  {
    name: 'Nordlicht Energie Vertrieb',
    domain: 'nordlicht-energie.example',
    language: 'de',
    plan: 'enterprise',
    seats: 40,
    memberDetail: true,
    leaderboard: true,
    owner: { name: 'Katharina Brandt', daysAgo: 240 },
    people: [
      { name: 'Jonas Lindemann', daysAgo: 238, ...mayMakeKeys },
      { name: 'Ayşe Yılmaz', daysAgo: 236, ...mayMakeKeys },
      { name: 'Matthias Krüger', daysAgo: 231, ...admin },
      { name: 'Sophie Neumann', daysAgo: 230 },
      { name: 'Lukas Hoffmann', daysAgo: 230 },
      { name: 'Emily Carter', daysAgo: 224 },
      { name: 'Tobias Schäfer', daysAgo: 219 },
      { name: 'Marie Vogel', daysAgo: 213 },
      { name: 'Daniel Köhler', daysAgo: 205 },
      { name: 'Charlotte Baumann', daysAgo: 198 },
      { name: 'Oliver Bennett', daysAgo: 190 },
      { name: 'Lena Großmann', daysAgo: 177 },
      { name: 'Felix Sommer', daysAgo: 163 },
      { name: 'Nina Petersen', daysAgo: 151 },
      { name: 'Sebastian Wolff', daysAgo: 140 },
      { name: 'Hannah Schröder', daysAgo: 128 },
      { name: 'Marco Rossi', daysAgo: 113 },
      { name: 'Julia Arnold', daysAgo: 97 },
      { name: 'Paul Jansen', daysAgo: 82 },
      { name: 'Grace Thompson', daysAgo: 61 },
      { name: 'Leonie Fuchs', daysAgo: 34 },
      { name: 'Jan Böttcher', daysAgo: 9, ...invited },
      { name: 'Amelie Roth', daysAgo: 5, ...invited },
      { name: 'Henry Walsh', daysAgo: 2, ...admin, ...invited },
    ],
  },
  {
    name: 'Harbour & Finch Software',
    domain: 'harbour-finch.example',
    language: 'en',
    plan: 'team',
    seats: 12,
    memberDetail: false,
    leaderboard: true,
    owner: { name: 'Eleanor Finch', daysAgo: 180 },
    people: [
      { name: 'James Whitfield', daysAgo: 178, ...mayMakeKeys },
      { name: 'Priya Sharma', daysAgo: 171 },
      { name: 'Thomas Gallagher', daysAgo: 166 },
      { name: 'Anna Weber', daysAgo: 142 },
      { name: 'Samuel Okafor', daysAgo: 120 },
      { name: 'Isabel Moreno', daysAgo: 75 },
      { name: 'George Palmer', daysAgo: 4, ...invited },
    ],
  },
];
