import { daysToMs, later } from '../../core/clock.ts';
import { resealAll, type ResealResult } from '../../core/crypto.ts';
import { companyMessages } from '../../core/messages/company-sign-in.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import { demandsAt, type SignInWay } from '../../core/sign-in-demand.ts';
import { companyLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { inTransaction, type Platform, type Team } from '../../platform/team.ts';
import { inLockedTeam, type LockedTeam } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { forgetCompanySubjects } from '../members/company-account.ts';
import { endCompanyAccess } from '../sign-ins/ways.ts';
import { callOffSignInDemand, setSignInDemand, signInDemandsOf } from '../teams/service.ts';
import { reports } from '../reporting/store.ts';
import { mailCalledOff, mailUnready } from './mails.ts';
import { discover, type ProviderClient } from './provider.ts';
import type { CompanySignInState, Demand, ProviderSettings } from './schema.ts';
import { clientSecrets, domains, providers } from './store.ts';

// The set-up of a team's company account: one identity provider, the domains whose addresses may sign in, and whether
// the team demands it.

const purpose = 'company sign-in';

/**
 * The page of the app to which the provider sends the browser. Each team has its own, so that an answer of one team's
 * provider is never taken for an answer of another team's provider (RFC 9700, 4.4.2).
 */
export const redirectUriOf = ({ publicUrl }: Pick<Platform, 'publicUrl'>, tenantId: string): string =>
  `${publicUrl}/sign-in/company/return/${tenantId}`;

/** The name of the TXT record that proves a domain. It is below the domain, whose own records need no change. */
const recordOf = (domain: string): string => `_team-customer-api.${domain}`;
const valueOf = ({ id }: Pick<Team, 'id'>): string => `team=${id}`;

export const companySignInState = async (team: Team): Promise<Camel<CompanySignInState>> => {
  const tx = team.tx ?? team.platform.database.prisma;
  const provider = await providers.get(tx, team.id);
  const rows = await domains.list(tx, team.id);
  const { signInDemand, planned } = await signInDemandsOf(tx, team);
  return {
    provider: provider && {
      enabled: provider.enabled,
      issuer: provider.issuer,
      clientId: provider.clientId,
      role: provider.role === 'admin' ? 'admin' : 'member',
      testedAt: provider.testedAt?.toISOString() ?? null,
    },
    domains: rows.map(({ domain, provenAt }) => ({ domain, proven: provenAt !== null, record: recordOf(domain) })),
    recordValue: valueOf(team),
    redirectUri: redirectUriOf(team.platform, team.id),
    demand: signInDemand,
    planned: planned ? { demand: planned.demand, from: planned.from.toISOString() } : null,
    readiness: await reports.readiness(team.tx ?? team.platform.database, team.id),
  };
};

const requireNotDemanded = ({ row, platform }: LockedTeam): void => {
  const { signInDemand, planned } = demandsAt(row, platform.clock.now());
  if (signInDemand === 'company' || planned?.demand === 'company') {
    fail('conflict', { detail: companyMessages.demanded });
  }
};

const requireProvider = async (tx: Tx, team: Team) =>
  (await providers.get(tx, team.id)) ?? fail('conflict', { detail: companyMessages.notSetUp });

const recordChange = (
  tx: Tx,
  team: Team,
  action: 'company_sign_in.set_up' | 'company_sign_in.changed' | 'company_sign_in.removed',
  data: Prisma.InputJsonObject = {},
) => record(tx, team, { action, target: { type: 'team', id: team.id }, data });

/** Sets the provider up or changes it, after reading its discovery document. */
export const saveProvider = async (
  caller: Team,
  { issuer, clientId, clientSecret: secret, role }: Camel<ProviderSettings>,
): Promise<void> => {
  const { egress, vault, clock } = caller.platform;
  await discover(egress, issuer);
  await inLockedTeam(caller, async (tx, team) => {
    const before = await providers.get(tx, team.id);
    const isOther = before !== null && (before.issuer !== issuer || before.clientId !== clientId);
    // The stored secret belongs to the former client, and must not be sent to another provider.
    const kept = isOther ? undefined : before?.clientSecret;
    const sealed =
      (secret === undefined ? kept : vault.seal(purpose, team.id, secret)) ??
      fail('validation_error', { field: 'client_secret', detail: companyMessages.secretNeeded });
    if (isOther) {
      requireNotDemanded(team);
      await forgetCompanySubjects(tx, team);
      await endCompanyAccess(tx, team);
    }
    await providers.put(tx, team.id, {
      issuer,
      clientId,
      clientSecret: sealed,
      role,
      testedAt: isOther || secret !== undefined ? null : (before?.testedAt ?? null),
      now: clock.now(),
      updatedAt: clock.now(),
    });
    const data = { issuer, clientId, role, ...(before && secret !== undefined && { secret: 'changed' }) };
    recordChange(tx, team, before ? 'company_sign_in.changed' : 'company_sign_in.set_up', data);
  });
};

/** Switches the provider on or off. Switching it off ends the sessions and connections that began with it. */
export const switchProvider = (caller: Team, enabled: boolean): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const provider = await requireProvider(tx, team);
    if (provider.enabled === enabled) return;
    if (!enabled) {
      requireNotDemanded(team);
      await endCompanyAccess(tx, team);
    }
    await providers.enable(tx, team.id, enabled);
    recordChange(tx, team, 'company_sign_in.changed', { enabled });
  });

/** Deletes the provider and its domains, and ends the sessions and connections that began with it. */
export const removeProvider = (caller: Team): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const { issuer } = await requireProvider(tx, team);
    requireNotDemanded(team);
    await endCompanyAccess(tx, team);
    await forgetCompanySubjects(tx, team);
    await domains.remove(tx, team.id);
    await providers.remove(tx, team.id);
    recordChange(tx, team, 'company_sign_in.removed', { issuer });
  });

/** Adds a domain, which has to be proven. `proven`: its DNS record was found, or an operator vouches for it. */
export const addDomain = (caller: Team, domain: string, { proven = false } = {}): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const known = await domains.list(tx, team.id);
    if (known.length >= companyLimits.domains && !known.some((one) => one.domain === domain)) {
      fail('conflict', { detail: companyMessages.maxDomains(companyLimits.domains) });
    }
    await domains.put(tx, { tenantId: team.id, domain, now: team.platform.clock.now(), proven });
    recordChange(tx, team, 'company_sign_in.changed', { [proven ? 'domainProven' : 'domainAdded']: domain });
  });

/** Checks the DNS record by which the team proves that it owns a domain. */
export const proveDomain = async (team: Team, domain: string): Promise<void> => {
  const texts = await team.platform.egress.textsOf(recordOf(domain));
  if (!texts.includes(valueOf(team))) {
    fail('validation_error', { field: 'domain', detail: companyMessages.recordMissing(recordOf(domain)) });
  }
  await inTransaction(team, async (tx) => {
    const known = await domains.list(tx, team.id);
    if (!known.some((one) => one.domain === domain)) fail('not_found');
    await addDomain({ ...team, tx }, domain, { proven: true });
  });
};

/**
 * Removes a domain. From now on nobody with an address in it can sign in with the company account. The sessions and
 * connections of these people that began with the company account end.
 */
export const removeDomain = (caller: Team, domain: string): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    requireNotDemanded(team);
    if ((await domains.remove(tx, team.id, domain)).count === 0) return;
    await endCompanyAccess(tx, team, { domain });
    recordChange(tx, team, 'company_sign_in.changed', { domainRemoved: domain });
  });

/**
 * Sets what the team demands of sign-ins, at once or from a time on, and mails the members who can't sign in that way
 * yet. If the demand is the present one, a plan is called off. Then the members who were mailed about the plan, and
 * still can't sign in in the planned way, are mailed again. Only a person whose own session meets the demand may set
 * it, so that nobody locks the team out by a wrong set-up. An operator may force it.
 */
export const demandSignIn = (
  caller: Team,
  { demand, from }: { demand: Demand['demand']; from?: Date | undefined },
  by: SignInWay | 'operator',
): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const now = team.platform.clock.now();
    const { signInDemand, planned } = demandsAt(team.row, now);
    if (signInDemand === demand) {
      if (!planned) return;
      await callOffSignInDemand(tx, team, planned);
      if (planned.demand !== 'none') await mailCalledOff(tx, team, { demand: planned.demand, since: now });
      return;
    }
    if (from !== undefined && (from <= now || from > later(now, daysToMs(companyLimits.plannedDays)))) {
      const detail = companyMessages.demandFrom(companyLimits.plannedDays);
      fail('validation_error', { field: 'from', detail });
    }
    if (demand === 'company') {
      if (!(await requireProvider(tx, team)).enabled) fail('conflict', { detail: companyMessages.notSetUp });
      if (by !== 'company' && by !== 'operator') fail('conflict', { detail: companyMessages.demandNeedsCompany });
    }
    if (demand === 'second_factor' && by === 'password') {
      fail('conflict', { detail: companyMessages.demandNeedsSecondFactor });
    }
    if (demand === 'none') return setSignInDemand(tx, team, { demand, from: undefined });
    await setSignInDemand(tx, team, { demand, from });
    await mailUnready(tx, team, { demand, from, since: now });
  });

// For sign-ins

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** The teams whose company account an address may use. */
export const teamsForAddress = ({ database }: Platform, email: string) =>
  domains.teamsOf(database.prisma, domainOf(email));

export const isAllowedAddress = ({ database }: Platform, tenantId: string, email: string) =>
  domains.isProven(database.prisma, tenantId, domainOf(email));

/**
 * Whether people with this address can sign in with the company account: it is switched on, and their domain is proven.
 */
export const isCompanyAddress = async (tx: Tx, { id }: Pick<Team, 'id'>, email: string): Promise<boolean> =>
  (await providers.get(tx, id))?.enabled === true && (await domains.isProven(tx, id, domainOf(email)));

/** Notes that somebody has signed in with the present settings. */
export const noteProviderTested = async ({ database, clock }: Platform, tenantId: string): Promise<void> => {
  await providers.noteTested(database.prisma, tenantId, clock.now());
};

/** The provider of a team, with the role of new people; undefined while it is off, unless `evenIfOff` (for a test). */
export const providerOf = async (
  { database, vault }: Platform,
  tenantId: string,
  { evenIfOff = false } = {},
): Promise<(ProviderClient & { role: 'admin' | 'member' }) | undefined> => {
  const row = await providers.get(database.prisma, tenantId);
  if (!row || !(row.enabled || evenIfOff)) return undefined;
  const { issuer, clientId, clientSecret, role } = row;
  return {
    issuer,
    clientId,
    clientSecret: vault.open(purpose, tenantId, clientSecret),
    role: role === 'admin' ? 'admin' : 'member',
  };
};

/** Encrypts the client secrets of all teams again with the first secret. */
export const resealClientSecrets = async ({ database, vault }: Platform, max?: number): Promise<ResealResult> =>
  resealAll(
    {
      rows: (await clientSecrets.all(database)).map((row) => ({ id: row.tenantId, row })),
      sealAgain: ({ id, row }) => vault.sealAgain(purpose, id, row.clientSecret),
      replace: ({ row }, clientSecret) => clientSecrets.replace(database, row, clientSecret),
    },
    max,
  );
