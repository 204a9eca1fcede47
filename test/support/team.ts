import { allScopes, type Scope } from '../../src/core/scopes.ts';
import type { Tx } from '../../src/db/database.ts';
import { forTeam } from '../../src/db/row-security.ts';
import { makeId } from '../../src/core/ids.ts';
import { answer } from '../../src/core/spelling.ts';
import { hashPassword } from '../../src/core/password.ts';
import { addActiveMember, inviteMember } from '../../src/modules/members/invitations.ts';
import type { Member } from '../../src/modules/membership/schema.ts';
import { createKey, makeSecret } from '../../src/modules/keys/service.ts';
import { ensurePerson, knowPerson, setPassword } from '../../src/modules/people/store.ts';
import { changeTeam, type NewTeam, type TeamChange } from '../../src/modules/teams/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { actIn } from '../../src/platform/team-row.ts';
import { makeClient, type Client } from './client.ts';
import type { TestService } from './service.ts';

let counter = 0;
/** An email that no other test uses. */
export const anEmail = (name = 'person'): string => `${name}.${process.pid}.${(counter += 1)}@example.com`;

export interface TestTeam {
  readonly id: string;
  readonly owner: { member_id: string; user_id: string; email: string };
  readonly admins: readonly Member[];
  readonly members: readonly Member[];
  /** A client whose key has every scope and was made by the owner. */
  readonly client: Client;
  /** The team with the operator as its actor. */
  readonly acting: () => Promise<Team>;
  aKey(options?: KeyOptions): Promise<{ id: string; text: string }>;
  aClient(options?: KeyOptions): Promise<Client>;
  anActiveMember(options?: MemberOptions): Promise<Member>;
  /** A former admin, now a member, and a client with the key that they made as an admin. */
  aFormerAdmin(): Promise<{ member: Member; client: Client }>;
  anInvitedMember(options?: { role?: 'admin' | 'member'; email?: string }): Promise<Member>;
  change(change: TeamChange): Promise<void>;
}

interface MemberOptions {
  role?: 'admin' | 'member';
  rights?: string[];
  email?: string;
}

export interface KeyOptions {
  scopes?: readonly Scope[];
  by?: string;
  allowedIps?: readonly string[];
  expiresAt?: Date;
}

interface TeamOptions extends Partial<NewTeam> {
  admins?: number;
  members?: number;
  memberDetail?: boolean;
}

/** A new team with the people that a test needs. */
export const aTeam = async (
  service: TestService,
  { admins = 0, members = 0, memberDetail = true, ...wanted }: TeamOptions = {},
): Promise<TestTeam> => {
  const { platform, database } = service;
  const addMember = async (
    tx: Tx,
    team: Team,
    { role = 'member', rights = [], email = anEmail(role) }: MemberOptions = {},
  ): Promise<Member> => {
    const userId = await knowPerson(tx, team, (await ensurePerson(tx, platform, { email, language: 'de' })).id);
    return answer(addActiveMember({ ...team, tx }, { userId, email, role, rights }));
  };

  const founded = await insertTeam(service, { name: 'A team', ownerEmail: anEmail('owner'), ...wanted });
  const { owner, key } = founded;
  const team = await actIn(platform, { kind: 'operator' }, founded.id);
  const people = await database.transaction(async (tx) => ({
    admins: await times(admins, () => addMember(tx, team, { role: 'admin' })),
    members: await times(members, () => addMember(tx, team)),
  }));
  if (!memberDetail) await changeTeam(team, { memberDetail });
  const { id } = team;
  const acting = () => actIn(platform, { kind: 'operator' }, id);

  // These actions read the present state of the team themselves.
  const anActiveMember: TestTeam['anActiveMember'] = (options) =>
    database.transaction((tx) => addMember(tx, team, options));
  const aKey: TestTeam['aKey'] = async ({ scopes = allScopes, by = owner.member_id, ...options } = {}) => {
    const { keyId: id, key } = await createKey(team, { name: 'test', by, scopes, ...options });
    return { id, text: key };
  };
  const aClient: TestTeam['aClient'] = async (options) => makeClient(service.baseUrl, (await aKey(options)).text);
  const aFormerAdmin: TestTeam['aFormerAdmin'] = async () => {
    const admin = await anActiveMember({ role: 'admin', rights: ['schnittstellen'] });
    const formersClient = await aClient({ by: admin.id });
    // Written directly, because the API refuses this for the last admin.
    const tenantId_id = { tenantId: id, id: admin.id };
    await database.prisma.member.update({ where: { tenantId_id }, data: { role: 'member' } });
    return { member: { ...admin, role: 'member' }, client: formersClient };
  };
  const change: TestTeam['change'] = async (changes) => {
    await changeTeam(team, changes);
  };

  return {
    id,
    owner,
    admins: people.admins,
    members: people.members,
    client: makeClient(service.baseUrl, key),
    acting,
    aKey,
    aClient,
    anActiveMember,
    aFormerAdmin,
    anInvitedMember: async ({ role = 'member', email = anEmail('invited') } = {}) =>
      answer(forTeam(id, () => inviteMember(team, { email, role }))),
    change,
  };
};

/**
 * Inserts the rows that `foundTeam` and `createKey` insert, because nearly every test makes a team. `team.test.ts`
 * compares them.
 */
const insertTeam = async (
  { platform, database: { prisma } }: TestService,
  {
    name,
    ownerEmail,
    ownerName,
    ownerPassword,
    plan = 'team',
    seats = 50,
    rateLimit = 100_000,
    language = 'de',
  }: NewTeam,
) => {
  const now = platform.clock.now();
  const [id, userId, memberId, keyId] = [makeId(), makeId(), makeId(), makeId()];
  const { text: key, prefix, secretHash } = makeSecret();
  const person = await prisma.person.upsert({
    where: { email: ownerEmail },
    create: { id: makeId(), email: ownerEmail, name: ownerName ?? null, language, createdAt: now },
    update: {},
  });
  const foundation = JSON.stringify({ plan, seats });
  // Sorted, so that the key is made after the team, although both have the same time.
  const [founded, created] = [makeId(), makeId()].toSorted();
  const keyData = JSON.stringify({ name: 'test', scopes: allScopes });
  await prisma.$transaction([
    prisma.$executeRaw`
      insert into team (id, name, plan, seats, rate_limit_per_min, language, created_at)
      values (${id}::uuid, ${name}, ${plan}::plan, ${seats}, ${rateLimit}, ${language}::language, ${now})`,
    prisma.$executeRaw`
      insert into team_user (tenant_id, id, person_id) values (${id}::uuid, ${userId}::uuid, ${person.id}::uuid)`,
    prisma.$executeRaw`
      insert into member (tenant_id, id, user_id, email, role, status, joined_at, listed_at, created_at, updated_at)
      values (${id}::uuid, ${memberId}::uuid, ${userId}::uuid, ${ownerEmail}, 'owner', 'active', ${now}, ${now}, ${now}, ${now})`,
    prisma.$executeRaw`
      insert into api_key_prefix (prefix, tenant_id, key_id) values (${prefix}, ${id}::uuid, ${keyId}::uuid)`,
    prisma.$executeRaw`
      insert into api_key (tenant_id, id, prefix, secret_hash, name, scopes, created_by, created_at)
      values (${id}::uuid, ${keyId}::uuid, ${prefix}, ${secretHash}, 'test', ${allScopes}, ${memberId}::uuid, ${now})`,
    prisma.$executeRaw`
      insert into audit_entry (tenant_id, id, actor_kind, action, target_type, target_id, data, created_at)
      values (${id}::uuid, ${founded}::uuid, 'operator', 'team.created', 'team', ${id}, ${foundation}::jsonb, ${now}),
             (${id}::uuid, ${created}::uuid, 'operator', 'key.created', 'key', ${keyId}, ${keyData}::jsonb, ${now})`,
  ]);
  if (ownerPassword !== undefined) {
    const hash = await hashPassword(ownerPassword, platform.signIn.passwordCost);
    await prisma.$transaction((tx) => setPassword(tx, platform, person.id, hash));
  }
  return { id, key, owner: { member_id: memberId, user_id: userId, email: ownerEmail } };
};

const times = async <T>(count: number, make: () => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
};

/** Adds many invited members at once, without mails. */
export const manyInvited = async (
  { clock, database }: TestService,
  { id: tenantId }: Pick<TestTeam, 'id'>,
  count: number,
): Promise<void> => {
  const now = clock.now();
  await database.prisma.$executeRaw`
    insert into member (tenant_id, id, email, role, status, invited_at, listed_at, created_at, updated_at)
    select ${tenantId}::uuid, gen_random_uuid(), 'many.' || n || '.' || ${tenantId}::text || '@example.com',
           'member', 'invited', at, at, at, at
      from generate_series(1, ${count}::int) as n, (values (${now}::timestamptz)) as invited (at)`;
};
