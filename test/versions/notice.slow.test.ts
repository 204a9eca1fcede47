import { beforeEach, describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { mailLimits } from '../../src/core/limits.ts';
import { changePerson } from '../../src/modules/people/store.ts';
import { revokeKey } from '../../src/modules/keys/service.ts';
import { reports } from '../../src/modules/reporting/store.ts';
import { notifyTeam } from '../../src/modules/versions/service.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { theRequests } from '../support/logs.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aWorker } from '../support/worker.ts';

const service = await useTestService({ own: true });

const retired = {
  version: 'v1',
  retirement: {
    deprecatedAt: new Date('2027-01-31T00:00:00Z'),
    sunsetAt: new Date('2028-01-31T00:00:00Z'),
    successorUrl: 'https://api.example.com/api/public/v2',
  },
};

const announce = async ({ platform } = service) => {
  const { version } = retired;
  const teams = await reports.teamsToNotify(platform.database, { version, now: platform.clock.now() });
  for (const id of teams) await notifyTeam(platform, retired, id);
};

/** Writes the service's records about requests and keys to the database. */
const written = () => service.requestLog.write();

const noticesTo = async (email: string) =>
  (await service.mailsTo(email)).filter(({ kind }) => kind === 'api_version_deprecated');

const englishFor = async (userId: string) => {
  const { personId } = await service.database.prisma.teamUser.findFirstOrThrow({ where: { id: userId } });
  await service.database.transaction((tx) => changePerson(tx, personId, { language: 'en' }));
};

describe('the mail about a deprecated version', () => {
  let team: TestTeam;
  beforeEach(async () => {
    team = await aTeam(service, { admins: 1, members: 1 });
  });
  const emails = () => [team.owner.email, team.admins[0]?.email ?? '', team.members[0]?.email ?? ''] as const;

  it('goes to the owner and each admin, in their language, with the team’s own keys and routes', async () => {
    await englishFor(team.admins[0]?.user_id ?? '');
    const other = await aTeam(service);
    await other.client.get('/catalog');
    await team.client.get('/users');
    await team.client.get(`/users/${team.owner.member_id}`);
    await team.client.post('/users', {});
    await team.client.get('/nothing');
    const unused = await team.aKey();
    const revoked = await team.aKey();
    await revokeKey(await team.acting(), revoked.id);
    await written();
    await announce();

    const [owner, admin, member] = emails();
    const [german] = await noticesTo(owner);
    const [english] = await noticesTo(admin);
    expect(german?.body.text).toContain('gilt ab dem 31. Januar 2027 als veraltet');
    expect(german?.body.text).toContain('31. Januar 2028');
    expect(english?.body.text).toContain(
      'is deprecated as of 31 January 2027 and may stop answering on 31 January 2028',
    );
    const prefixOf = (key: string | undefined) => key?.slice('svck_live_'.length).slice(0, 12) ?? '';
    for (const mail of [german, english]) {
      expect(mail?.body.text).toContain(
        `- test (svck_live_${prefixOf(team.client.key)}…): GET /users, GET /users/{member_id}, POST /users\n`,
      );
      expect(mail?.body.html).toContain('<li>test (svck_live_');
      expect(mail?.body.text).toContain(retired.retirement.successorUrl);
      expect(mail?.body.text).toContain(`(svck_live_${prefixOf(unused.text)}…): `);
      for (const key of [other.client.key, revoked.text]) expect(mail?.body.text).not.toContain(prefixOf(key));
    }
    expect(await noticesTo(member)).toEqual([]);
  });

  it('is sent once, however many processes announce at the same time and however often', async () => {
    await team.client.get('/me');
    await written();
    const second = await startTestService({ databaseUrl: service.databaseUrl });
    await Promise.all([announce(), announce(second), announce(), announce(second)]);
    await announce();
    await second.close();
    for (const email of emails().slice(0, 2)) expect(await noticesTo(email)).toHaveLength(1);
  });

  it('is sent by the workers, once for two of them and for one that starts later', async () => {
    await team.client.get('/me');
    await written();
    const workers = [aWorker(service, { retired }), aWorker(service, { retired })];
    await expect.poll(() => noticesTo(team.owner.email)).toHaveLength(1);
    const third = await aTeam(service);
    await third.client.get('/me');
    await written();
    workers.push(aWorker(service, { retired }));
    await expect.poll(() => noticesTo(third.owner.email)).toHaveLength(1);
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const email of emails().slice(0, 2)) expect(await noticesTo(email)).toHaveLength(1);
  });

  it('goes later to an admin who joins later, and to nobody twice', async () => {
    await team.client.get('/me');
    await written();
    await announce();
    const late = await team.anActiveMember({ role: 'admin' });
    await announce();
    for (const email of [late.email ?? '', ...emails().slice(0, 2)]) expect(await noticesTo(email)).toHaveLength(1);
  });

  it('shows the day of its last use for a key whose requests the log no longer has', async () => {
    await service.database.prisma.apiKey.updateMany({
      where: { tenantId: team.id },
      data: { lastUsedAt: new Date(service.clock.now().getTime() - daysToMs(60)) },
    });
    await announce();
    const day = new Date(service.clock.now().getTime() - daysToMs(60));
    const german = day.toLocaleDateString('de-DE', { dateStyle: 'long', timeZone: 'UTC' });
    expect((await noticesTo(team.owner.email))[0]?.body.text).toContain(`zuletzt verwendet am ${german}`);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['whose key was revoked', () => changeKeys({ revokedAt: new Date() })],
    ['whose key has expired', () => changeKeys({ expiresAt: new Date(Date.now() - daysToMs(1)) })],
    ['that is suspended', () => team.change({ status: 'suspended' })],
    ['on the plan basic', () => team.change({ plan: 'basic' })],
  ])('is not sent to a team %s', async (_, change) => {
    await team.client.get('/users');
    await written();
    await change();
    await announce();
    for (const email of emails()) expect(await noticesTo(email)).toEqual([]);
  });
  const changeKeys = (data: { lastUsedAt?: Date | null; revokedAt?: Date; expiresAt?: Date }) =>
    service.database.prisma.apiKey.updateMany({ where: { tenantId: team.id }, data });
  const onlyLaterVersion = () =>
    service.database.prisma.requestLogEntry.updateMany({ where: { tenantId: team.id }, data: { route: '/v2/users' } });

  it.each<[string, () => Promise<unknown>]>([
    ['never', () => changeKeys({ lastUsedAt: null })],
    ['long ago', () => changeKeys({ lastUsedAt: new Date(Date.now() - daysToMs(400)) })],
    ['for a later version alone', () => onlyLaterVersion()],
  ])('goes to the owner and each admin of a team whose active key was used %s', async (_, change) => {
    await team.client.get('/users');
    await written();
    await change();
    await announce();
    const [owner, admin, member] = emails();
    for (const email of [owner, admin]) expect(await noticesTo(email)).toHaveLength(1);
    expect(await noticesTo(member)).toEqual([]);
  });

  it('says of a key that it was not used yet', async () => {
    await announce();
    expect((await noticesTo(team.owner.email))[0]?.body.text).toContain('…): noch nicht verwendet');
  });

  it('lists at most 20 keys and 12 routes of each, and says how many others there are', async () => {
    await englishFor(team.admins[0]?.user_id ?? '');
    const keys = [team.client.key];
    while (keys.length < 22) keys.push((await team.aKey()).text);
    const { id } = await service.database.prisma.apiKey.findFirstOrThrow({ where: { tenantId: team.id } });
    const routes = Array.from({ length: 14 }, (_, at) => ({ route: `/route-${String(at).padStart(2, '0')}` }));
    await theRequests(service, team, id, routes);
    await announce();
    const [owner, admin] = emails();
    for (const [email, more] of [
      [owner, 'und 2 weitere'],
      [admin, 'and 2 more'],
    ] as const) {
      const lines = (await noticesTo(email))[0]?.body.text.split('\n').filter((line) => line.startsWith('- ')) ?? [];
      expect(lines).toHaveLength(21);
      expect(lines[0]).toMatch(new RegExp(`: GET /route-00, .*GET /route-11, ${more}$`));
      expect(lines.at(-1)).toBe(`- ${more}`);
    }
  });

  it('waits for the next day if the team has used up its notices, and is then sent', async () => {
    await team.client.get('/me');
    await written();
    const endsAt = later(service.clock.now(), daysToMs(1));
    await service.database.prisma.rateWindow.create({
      data: { subject: `notices of ${team.id}`, endsAt, used: mailLimits.noticesPerTeam - 1 },
    });
    await announce();
    const counts = async () =>
      (await Promise.all(emails().map(noticesTo))).reduce((sum, found) => sum + found.length, 0);
    expect(await counts()).toBe(1);
    await announce();
    expect(await counts()).toBe(1);
    service.clock.forward(daysToMs(1));
    await announce();
    expect(await counts()).toBe(2);
    service.clock.forward(-daysToMs(1));
  });
});
