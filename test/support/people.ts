import { z } from 'zod';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
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

const Json = z.record(z.string(), z.unknown());
const Said = z.object({ result: z.object({ data: Json }) });
const Refused = z.object({ error: z.object({ message: z.string(), data: z.object({ problem: Json }) }) });

/** An answer of the app's procedures as it came over HTTP. */
export interface AppAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The answer's data. After a refusal, reading it fails the test. */
  readonly data: Record<string, unknown>;
  /** The problem of a refused request. */
  readonly problem: Record<string, unknown>;
}

interface Asking {
  headers?: Record<string, string>;
  /** The team that the page is about. */
  team?: string;
}

export interface BrowserSession {
  /** The browser's cookies by name; a test may add or delete some. */
  readonly cookies: Map<string, string>;
  /** The `Set-Cookie` headers of the last answer. */
  readonly lastSet: () => readonly string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** `path` as in `entrance/entrance.who`. */
  query(path: string, input?: unknown, asking?: Asking): Promise<AppAnswer>;
  mutate(path: string, input?: unknown, asking?: Asking): Promise<AppAnswer>;
  signIn(email: string, password: string): Promise<AppAnswer>;
  /** Whether the browser is signed in. */
  isSignedIn(): Promise<boolean>;
}

const read = async (response: Response): Promise<AppAnswer> => {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get data() {
      return Said.parse(JSON.parse(text)).result.data;
    },
    get problem() {
      return Refused.parse(JSON.parse(text)).error.data.problem;
    },
  };
};

const keep = (cookies: Map<string, string>, line: string): void => {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const name = pair.slice(0, pair.indexOf('='));
  if (attributes.includes('Max-Age=0')) cookies.delete(name);
  else cookies.set(name, pair.slice(name.length + 1));
};

/** A browser without pages: it stores cookies, sends them back, and sends the headers that name the page's origin. */
export const makeBrowser = (
  { origin }: { origin: string },
  {
    userAgent = 'Mozilla/5.0 Firefox/140.0',
    page = origin,
    address,
  }: {
    userAgent?: string;
    page?: string;
    /** The address of the client, for a service behind a proxy. */ address?: string;
  } = {},
): BrowserSession => {
  const cookies = new Map<string, string>();
  let set: string[] = [];

  const send: BrowserSession['fetch'] = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('User-Agent', userAgent);
    if (address !== undefined) headers.set('X-Forwarded-For', address);
    if (cookies.size > 0) headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(`${origin}${path}`, { redirect: 'manual', ...init, headers });
    set = response.headers.getSetCookie();
    for (const line of set) keep(cookies, line);
    return response;
  };
  const headersOf = ({ headers, team }: Asking): Record<string, string> => ({
    ...(team !== undefined && { 'X-Team': team }),
    ...headers,
  });
  const query: BrowserSession['query'] = async (path, input = {}, asking = {}) =>
    read(
      await send(`/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers: headersOf(asking) }),
    );
  const mutate: BrowserSession['mutate'] = async (path, input = {}, asking = {}) =>
    read(
      await send(`/trpc/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: page, ...headersOf(asking) },
        body: typeof input === 'string' ? input : JSON.stringify(input),
      }),
    );
  return {
    cookies,
    lastSet: () => set,
    fetch: send,
    query,
    mutate,
    signIn: (email, password) => mutate('entrance/entrance.signIn', { email, password }),
    isSignedIn: async () => (await query('entrance/entrance.who')).data['me'] !== null,
  };
};

/** Inserts the set-up of a company account, whose provider does not exist. */
export const aStoredProvider = async (
  { database: { prisma }, platform }: Pick<TestService, 'database' | 'platform'>,
  { id: tenantId }: Pick<TestTeam, 'id'>,
  secret = 'a client secret',
): Promise<void> => {
  const createdAt = new Date();
  const clientSecret = platform.vault.seal('company sign-in', tenantId, secret);
  const provider = { issuer: 'https://issuer.example', clientId: 'a client', clientSecret };
  await prisma.companySignIn.upsert({
    where: { tenantId },
    create: { tenantId, ...provider, createdAt, updatedAt: createdAt },
    update: provider,
  });
  await prisma.companyDomain.createMany({
    data: { tenantId, domain: 'company.example', createdAt },
    skipDuplicates: true,
  });
};
