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
