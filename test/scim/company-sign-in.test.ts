import { expect, it } from 'vitest';
import { removeMember } from '../../src/modules/members/service.ts';
import { useCompanies } from '../support/company.ts';
import { added, aDirectory, patchOf } from '../support/scim.ts';
import { anEmail } from '../support/team.ts';

// A directory of a team whose people sign in with their company account.

const { service, aCompany, anAccount, signIn } = await useCompanies();

const deactivation = patchOf({ op: 'replace', path: 'active', value: false });
const activation = patchOf({ op: 'replace', path: 'active', value: true });

/** The members with this address, as the API shows them. */
const membersWith = async (company: Awaited<ReturnType<typeof aCompany>>, email: string) =>
  (await company.team.client.get(`/users?email=${encodeURIComponent(email)}`)).data;

it('a person of a proven domain gets no mail and joins by signing in; of another domain they are invited', async () => {
  const company = await aCompany();
  const directory = await aDirectory(service, company.team);
  const userName = `vera@${company.domain}`;
  const { id } = await added(directory, { userName });
  expect(await service.mailsTo(userName)).toEqual([]);
  expect(await membersWith(company, userName)).toMatchObject([{ status: 'invited' }]);
  const { answer } = await signIn(userName);
  expect(answer.data).toMatchObject({ tenant_id: company.team.id });
  expect(await membersWith(company, userName)).toMatchObject([{ status: 'active' }]);
  expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ id, active: true });
  const elsewhere = anEmail('elsewhere');
  await added(directory, { userName: elsewhere });
  expect(await service.mailsTo(elsewhere)).toHaveLength(1);
  await company.ask('switch', { enabled: false });
  const later = `max@${company.domain}`;
  await added(directory, { userName: later });
  expect(await service.mailsTo(later)).toHaveLength(1);
});

it('a leaver can’t sign in, also one who had never come; who returns is a member at once, with the same id', async () => {
  const company = await aCompany();
  const directory = await aDirectory(service, company.team);
  const userName = `vera@${company.domain}`;
  const login = anAccount(userName);
  const { id } = await added(directory, { userName });
  const { browser } = await signIn(userName, login);
  const inTeam = () => browser.query('app/overview.get', {}, { team: company.team.id });
  const enter = async () => (await signIn(userName, login)).answer;

  await directory.patch(`/Users/${String(id)}`, deactivation);
  expect((await enter()).problem).toMatchObject({ code: 'conflict' });
  expect(await membersWith(company, userName)).toEqual([]);
  expect((await inTeam()).status).not.toBe(200);

  expect((await directory.patch(`/Users/${String(id)}`, activation)).body).toMatchObject({ id, active: true });
  expect(await membersWith(company, userName)).toMatchObject([{ status: 'active' }]);
  expect(await service.mailsTo(userName)).toEqual([]);
  expect((await enter()).data).toMatchObject({ tenant_id: company.team.id });

  const never = `never@${company.domain}`;
  const other = await added(directory, { userName: never });
  await directory.patch(`/Users/${String(other['id'])}`, deactivation);
  expect((await signIn(never)).answer.problem).toMatchObject({ code: 'conflict' });
  const stored = await added(directory, { userName: `stored@${company.domain}`, active: false });
  expect((await signIn(String(stored['userName']))).answer.problem).toMatchObject({ code: 'conflict' });
  expect(await membersWith(company, never)).toEqual([]);
});

it('who returns keeps the account of the provider: another one with the address is refused', async () => {
  const company = await aCompany();
  const directory = await aDirectory(service, company.team);
  const userName = `vera@${company.domain}`;
  const { id } = await added(directory, { userName });
  await signIn(userName);
  // Removed by hand, and active again by the directory.
  const [member] = await membersWith(company, userName);
  await removeMember(await company.team.acting(), String(member?.['id']));
  expect((await directory.get(`/Users/${String(id)}`)).body).toMatchObject({ id, active: false });
  await directory.patch(`/Users/${String(id)}`, activation);
  expect((await signIn(userName)).answer.problem).toMatchObject({ code: 'conflict' });
});

it.each([
  ['was deactivated', true],
  ['was removed by hand', false],
])('a session that nobody used while its person %s does not go on when they return', async (_how, byDirectory) => {
  const company = await aCompany();
  const directory = await aDirectory(service, company.team);
  const userName = `vera@${company.domain}`;
  const login = anAccount(userName);
  const { id } = await added(directory, { userName });
  const { browser } = await signIn(userName, login);
  const [member] = await membersWith(company, userName);
  if (byDirectory) await directory.patch(`/Users/${String(id)}`, deactivation);
  else await removeMember(await company.team.acting(), String(member?.['id']));
  await directory.patch(`/Users/${String(id)}`, activation);
  expect(await membersWith(company, userName)).toMatchObject([{ status: 'active' }]);
  expect(await browser.isSignedIn()).toBe(false);
  const again = await signIn(userName, login);
  expect(await again.browser.isSignedIn()).toBe(true);
});
