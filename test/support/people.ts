import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { makeBrowser, type BrowserSession } from './browser-session.ts';
import type { TestService } from './service.ts';
import { anEmail, type TestTeam } from './team.ts';

export const testPassword = 'a long enough password';

interface Options {
  role?: 'admin' | 'member';
  rights?: string[];
  email?: string;
  name?: string;
}

export interface SignedInPerson {
  email: string;
  memberId: string;
  userId: string;
  browser: BrowserSession;
}

/** A member of the team who can sign in. */
export const aPerson = async (
  team: TestTeam,
  { role = 'member', rights = [], email = anEmail(role), name = `A ${role}` }: Options = {},
) => {
  const member = await addActivePerson(await team.acting(), { email, role, rights, name, password: testPassword });
  return { email, memberId: member.id, userId: member.userId };
};

/**
 * Which rows of sign-in are a person's. Citus refuses to change them by a condition on the person, who is on all nodes.
 */
export const ofPerson = async ({ database }: TestService, email: string): Promise<{ personId: string }> => ({
  personId: (await database.prisma.person.findUniqueOrThrow({ where: { email } })).id,
});

/** Gives the person of a user another name. */
export const renamePerson = async (
  { database }: TestService,
  { id: tenantId }: TestTeam,
  userId: string,
  name: string,
) => {
  const { personId } = await database.prisma.teamUser.findFirstOrThrow({ where: { tenantId, id: userId } });
  await database.prisma.person.update({ where: { id: personId }, data: { name } });
};

/** The same person, signed in. */
export const aSignedInPerson = async (
  service: TestService,
  team: TestTeam,
  options: Options = {},
): Promise<SignedInPerson> => {
  const person = await aPerson(team, options);
  const browser = makeBrowser(service);
  const { status } = await browser.signIn(person.email, testPassword);
  if (status !== 200) throw new Error(`${person.email} can't sign in`);
  return { ...person, browser };
};
