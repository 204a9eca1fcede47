import { expect, it } from 'vitest';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { proceduresOf } from '../../src/platform/trpc/procedures.ts';
import { makeBrowser, type BrowserSession, aSignedInPerson, testPassword } from '../support/people.ts';
import { useCompanies } from '../support/company.ts';
import { totp } from '../support/authenticators.ts';
import { entranceProcedures } from './rows/entrance.ts';
import type { EntranceRow } from './rows/kinds.ts';

// Who may call the procedures that need no team: the table in rows/entrance.ts against the running service.

const { service, aCompany, signIn } = await useCompanies();
const { prisma } = service.database;

const types = new Map(proceduresOf(entranceRouter).map(([path, { _def }]) => [path, _def.type]));
const rows = Object.entries(entranceProcedures).map(([path, row]): [string, EntranceRow] => [path, row]);

const codeOf = async (browser: BrowserSession, path: string, input: object = { unknown: 1 }): Promise<unknown> => {
  const ask = types.get(path) === 'query' ? browser.query : browser.mutate;
  const answer = await ask(`entrance/${path}`, input);
  return answer.status === 200 ? undefined : answer.problem['code'];
};

const company = await aCompany();
const withPassword = (await aSignedInPerson(service, company.team)).browser;
const withCompanyAccount = (await signIn(`vera@${company.domain}`)).browser;

/** A person who showed their password an hour ago. */
const late = await aSignedInPerson(service, company.team);
const latePerson = await prisma.person.findUniqueOrThrow({ where: { email: late.email } });
await prisma.session.updateMany({
  where: { personId: latePerson.id },
  data: { createdAt: new Date(Date.now() - 3_600_000), provedAt: null },
});

it.each(rows)('%s admits and refuses visitors before it checks the input', async (path, row) => {
  const isOpen = row.who === 'anybody';
  expect(await codeOf(makeBrowser(service), path)).toBe(isOpen ? 'validation_error' : 'unauthorized');
  expect(await codeOf(withPassword, path)).toBe('validation_error');
  expect(await codeOf(late.browser, path)).toBe(row.proof === 'fresh' ? 'proof_required' : 'validation_error');
  // A sign-in at the provider is no fresh proof.
  const admitted = row.proof === 'fresh' ? 'proof_required' : 'validation_error';
  expect(await codeOf(withCompanyAccount, path)).toBe(row.companyAccount === 'refused' ? 'conflict' : admitted);
});

it.each(rows.filter(([, { proof }]) => proof === 'password'))('%s needs the right password', async (path) => {
  const { browser } = await aSignedInPerson(service, company.team);
  if (path !== 'account.startTwoFactor') {
    const { data } = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
    await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(String(data['secret'])) });
  }
  const given = (password: string) =>
    path === 'account.changePassword' ? { current: password, password: 'quite another password' } : { password };
  expect(await codeOf(browser, path, given('a wrong long password'))).toBe('validation_error');
  expect(await codeOf(browser, path, given(testPassword))).toBe(undefined);
});
