import type { z } from 'zod';
import { later, secondsToMs } from '../../core/clock.ts';
import { canonicalEmail } from '../../core/email-address.ts';
import { companyMessages } from '../../core/messages/company-sign-in.ts';
import { fail, Problem } from '../../core/problem.ts';
import { networkOf } from '../../core/address.ts';
import type { Camel } from '../../core/spelling.ts';
import { companyLimits } from '../../core/limits.ts';
import type { Platform } from '../../platform/team.ts';
import { actIn } from '../../platform/team-row.ts';
import { NameText } from '../../platform/values.ts';
import {
  isAllowedAddress,
  noteProviderTested,
  providerOf,
  redirectUriOf,
  teamsForAddress,
} from '../company-sign-in/service.ts';
import { beginAt, identityOf, type Identity } from '../company-sign-in/provider.ts';
import { enterWithCompanyAccount, tryCompanyAccount } from '../members/company-account.ts';
import { cookieHeader, cookiePrefix, ownCookie } from './cookies.ts';
import { callLibrary } from './library.ts';
import { Flow, type CompanyAnswer, type CompanyStart, type CompanyTest, type SignedIn } from './schema.ts';
import { sessions } from './store.ts';
import { isFirst, spendTry } from './tries.ts';
import { refusalFor, type Visitor } from './visitor.ts';

// Signing in with a team's company account: the address finds the team's provider, the browser goes there and comes
// back with a code, and the person gets a session for this team alone. The values that the provider's answer must fit
// are in an encrypted cookie, so the answer counts only in the browser that began the sign-in, and only once.

const purpose = 'company sign-in in progress';
type Flow = z.output<typeof Flow>;

const flowCookie = ({ publicUrl }: Platform): string => `${cookiePrefix(publicUrl)}.company_sign_in`;

const rememberFlow = (visitor: Visitor, flow: Flow): void => {
  const { platform } = visitor;
  const sealed = platform.vault.seal(purpose, '', JSON.stringify(flow)).toString('base64url');
  visitor.setCookies(cookieHeader(platform, flowCookie(platform), sealed, companyLimits.flowSeconds));
};

const flowOf = ({ platform, headers }: Visitor): Flow | undefined => {
  const sealed = ownCookie(headers.get('cookie') ?? '', flowCookie(platform));
  if (sealed === undefined) return undefined;
  try {
    return Flow.parse(JSON.parse(platform.vault.open(purpose, '', Buffer.from(sealed, 'base64url'))));
  } catch {
    return undefined;
  }
};

/** Limits how often one network can make the service send requests to a provider. */
const spendCompanyTry = (visitor: Visitor): Promise<void> =>
  spendTry(visitor.platform.database, {
    what: 'company sign-in from',
    whom: networkOf(visitor.address),
    max: visitor.platform.signIn.triesPerMinute,
    seconds: 60,
    onRefused: (first) => visitor.report('limited', { repeated: !first }),
  });

interface NewFlow {
  tenantId: string;
  email: string;
  next?: string | undefined;
  purpose: Flow['purpose'];
}

const providerFor = async (platform: Platform, { tenantId, purpose }: Pick<Flow, 'tenantId' | 'purpose'>) =>
  (await providerOf(platform, tenantId, { evenIfOff: purpose === 'test' })) ??
  fail('conflict', { detail: companyMessages.noProvider });

const begin = async (visitor: Visitor, { tenantId, email, next, purpose }: NewFlow): Promise<string> => {
  const { platform } = visitor;
  const client = await providerFor(platform, { tenantId, purpose });
  const redirectUri = redirectUriOf(platform, tenantId);
  const { url, expected } = await beginAt(platform.egress, client, {
    redirectUri,
    email,
    isProof: purpose === 'proof',
  });
  const startedAt = platform.clock.now().getTime();
  rememberFlow(visitor, { tenantId, expected, next: next ?? null, purpose, startedAt });
  return url;
};

/**
 * Begins a sign-in. Anybody may call this, so the answer depends only on the domain and does not reveal who is a
 * member.
 */
export const startCompanySignIn = async (
  visitor: Visitor,
  { email, tenantId: chosen, next }: Camel<z.output<typeof CompanyStart>>,
) => {
  await spendCompanyTry(visitor);
  const found = await teamsForAddress(visitor.platform, email);
  const teams = chosen === undefined ? found : found.filter(({ tenantId }) => tenantId === chosen);
  const [team, ...more] = teams;
  if (!team) return fail('validation_error', { field: 'email', detail: companyMessages.noProvider });
  if (more.length > 0) {
    return { redirectTo: null, teams: teams.map(({ tenantId, name }) => ({ tenantId, name })) };
  }
  return { redirectTo: await begin(visitor, { tenantId: team.tenantId, email, next, purpose: 'sign-in' }), teams: [] };
};

/** Begins a fresh proof in a session of a company account: the provider asks the person to sign in again. */
export const startCompanyProof = async (
  visitor: Visitor,
  { companyTeamId, email }: SignedIn,
  { next }: { next?: string | undefined },
) => {
  await spendCompanyTry(visitor);
  const tenantId = companyTeamId ?? fail('conflict', { detail: companyMessages.noProvider });
  return { redirectTo: await begin(visitor, { tenantId, email, next, purpose: 'proof' }) };
};

/**
 * Tests the set-up: the same steps and checks as in a sign-in, without a session or a membership. Only people who may
 * set it up can call this.
 */
export const startCompanyTest = async (
  visitor: Visitor,
  signedIn: SignedIn,
  { tenantId }: Camel<z.output<typeof CompanyTest>>,
) => {
  await spendCompanyTry(visitor);
  requireMaySetUp(signedIn, tenantId);
  return { redirectTo: await begin(visitor, { tenantId, email: signedIn.email, purpose: 'test' }) };
};

const requireMaySetUp = ({ teams }: SignedIn, tenantId: string): void => {
  const may = teams.some((team) => team.tenantId === tenantId && refusalFor(team, 'keys') === undefined);
  if (!may) fail('not_found');
};

/**
 * Exchanges the code in the provider's answer for the person's identity. A refusal by the library or the provider
 * becomes a sentence for the person.
 */
const exchange = async ({ platform }: Visitor, { tenantId, expected, purpose }: Flow, query: string) => {
  const provider = await providerFor(platform, { tenantId, purpose });
  const answer = new URL(redirectUriOf(platform, tenantId));
  answer.search = query;
  const answered = await identityOf(platform.egress, provider, { answer, expected }).catch((error: unknown) => {
    if (error instanceof Problem) throw error;
    return fail('conflict', { detail: companyMessages.answerInvalid });
  });
  if ('identity' in answered) return { provider, identity: answered.identity };
  // The provider's own text, shortened and without markup.
  const reason = answered.refusal.slice(0, 200).replaceAll(/[^\p{L}\p{N} .,:_-]/gu, ' ');
  return fail('conflict', { detail: companyMessages.providerRefused(reason) });
};

/** The person's address, if the provider has verified it and the team has proven its domain. */
const addressOf = async (platform: Platform, tenantId: string, identity: Identity): Promise<string> => {
  const email = canonicalEmail(identity.email ?? '') ?? fail('conflict', { detail: companyMessages.noEmail });
  if (!identity.isVerified) fail('conflict', { detail: companyMessages.emailNotVerified });
  if (!(await isAllowedAddress(platform, tenantId, email))) {
    fail('conflict', { detail: companyMessages.otherDomain(email) });
  }
  return email;
};

/**
 * Refuses a proof if the provider did not ask the person again after the start, because it then used an older session.
 */
const requireFreshSignIn = ({ authenticatedAt }: Identity, { startedAt }: Flow, now: Date): void => {
  if (authenticatedAt === undefined) return fail('conflict', { detail: companyMessages.noSignInTime });
  const [time, toleratedMs] = [authenticatedAt.getTime(), secondsToMs(companyLimits.clockSeconds)];
  // This comparison also refuses an invalid date (NaN).
  const isFresh = time >= startedAt - toleratedMs && time <= now.getTime() + toleratedMs;
  if (!isFresh) fail('conflict', { detail: companyMessages.notFresh });
};

/**
 * Ends a sign-in, a proof or a test with the provider's answer. `returnedTo`: the team to whose address the browser
 * came back. The provider of another team must not get the code.
 */
export const finishCompanySignIn = async (
  visitor: Visitor,
  { tenantId: returnedTo, query }: Camel<z.output<typeof CompanyAnswer>>,
) => {
  const { platform, auth, headers, address } = visitor;
  const { database, clock } = platform;
  await spendCompanyTry(visitor);
  const flow = flowOf(visitor);
  visitor.setCookies(cookieHeader(platform, flowCookie(platform), '', 0));
  const endsAt = flow && later(new Date(flow.startedAt), secondsToMs(companyLimits.flowSeconds));
  if (!flow || !endsAt || endsAt < clock.now() || flow.tenantId !== returnedTo) {
    return fail('conflict', { detail: companyMessages.startAgain });
  }
  const once = { what: 'company answer to', whom: flow.expected.state, seconds: companyLimits.flowSeconds };
  if (!(await isFirst(database, once))) fail('conflict', { detail: companyMessages.startAgain });

  const { provider, identity } = await exchange(visitor, flow, query);
  const { tenantId, purpose: flowPurpose, next } = flow;
  if (flowPurpose === 'proof') requireFreshSignIn(identity, flow, clock.now());
  const email = await addressOf(platform, tenantId, identity);
  const name = NameText.safeParse(identity.name).data;
  const team = { ...(await actIn(platform, { kind: 'service' }, tenantId)), address };
  const member = { subject: identity.subject, email, name, role: provider.role };
  const former = await visitor.signedIn();
  if (flowPurpose === 'test') {
    requireMaySetUp(former ?? fail('unauthorized'), tenantId);
    const test = await tryCompanyAccount(team, member);
    await noteProviderTested(platform, tenantId);
    return { next, tenantId, test };
  }
  const { personId, memberId } = await enterWithCompanyAccount(team, member);

  const { token } = await callLibrary(visitor, { field: 'passkey', personId }, () =>
    auth.api.signInProven({
      body: { personId, company: { teamId: tenantId, memberId } },
      headers,
      returnHeaders: true,
    }),
  );
  if (former) await sessions.remove(database.prisma, { id: former.sessionId });
  if (flowPurpose === 'proof') await sessions.proveToken(database.prisma, token, clock.now());
  // The set-up may have changed since the start. A change ends only sessions that began before it, so the new session
  // is checked here.
  const now = await providerOf(platform, tenantId);
  const isAllowed = await isAllowedAddress(platform, tenantId, email);
  if (now?.issuer !== provider.issuer || now.clientId !== provider.clientId || !isAllowed) {
    await sessions.remove(database.prisma, { token });
    fail('conflict', { detail: companyMessages.startAgain });
  }
  visitor.report('signed_in', { personId });
  await noteProviderTested(platform, tenantId);
  return { next, tenantId, test: null };
};
