import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { makeBrowser, aPerson, aSignedInPerson, testPassword } from '../support/people.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const mutationsOf = (name: string, router: AnyRouter): string[] =>
  Object.entries<AnyProcedure>(router._def.procedures)
    .filter(([, { _def }]) => _def.type === 'mutation')
    .map(([path]) => `${name}/${path}`);

// Every change that the app can make, including new ones.
const mutations = [
  ...mutationsOf('entrance', entranceRouter),
  ...mutationsOf('app', appRouter),
  ...mutationsOf('api', publicRouter),
];
const service = await useTestService();
const team = await aTeam(service);
const admin = await aSignedInPerson(service, team, { role: 'admin' });

/** All rows that a change could write: their number, and for rows that can also change a sum of their hashes. */
const traces = () =>
  service.database.prisma.$queryRaw`
    select (select count(*) from audit_entry) as audited,
           (select count(*) from mail) as mails,
           (select count(*) from idempotency_record) as answers,
           (select array[count(*), sum(hashtextextended(session::text, 0))] from session) as sessions,
           (select array[count(*), sum(hashtextextended(person::text, 0))] from person) as people`;

/** The ways in which a page of another site could try it, with the cookies of the person who is signed in here. */
const tries: Readonly<Record<string, RequestInit>> = {
  'from another site': { headers: { Origin: 'https://evil.example', 'Content-Type': 'application/json' } },
  'from a page without an origin of its own': { headers: { Origin: 'null', 'Content-Type': 'application/json' } },
  'as cross-site': { headers: { 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'application/json' } },
  'as another host of the same site': {
    headers: { 'Sec-Fetch-Site': 'same-site', 'Content-Type': 'application/json' },
  },
  'as a form': { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
  'as a form with files': { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } },
  'as plain text': { headers: { 'Content-Type': 'text/plain' } },
  'as almost JSON': { headers: { 'Content-Type': 'application/jsonp' } },
  'without a type': {},
};

const before = await traces();

const ways = Object.entries(tries);
/** Enough to show that a mutation is behind the guard, which is one for all of them. */
const mainWays = ways.filter(([how]) => ['from another site', 'as cross-site', 'as a form'].includes(how));
const firstOfRouters = new Set(
  ['entrance/', 'app/', 'api/'].map((name) => mutations.find((path) => path.startsWith(name))),
);

it.each(mutations)('%s is refused to pages of other sites, and can’t be called with GET', async (path) => {
  for (const [how, init] of firstOfRouters.has(path) ? ways : mainWays) {
    const headers = { 'X-Team': team.id, ...init.headers };
    const body = new Blob([JSON.stringify({})]);
    const { status } = await admin.browser.fetch(`/trpc/${path}`, { method: 'POST', body, headers });
    expect(status, how).toBe(Object.hasOwn(headers, 'Origin') || Object.hasOwn(headers, 'Sec-Fetch-Site') ? 403 : 415);
  }
  const answer = await admin.browser.query(path, {}, { team: team.id });
  expect(answer.status).toBe(404);
  expect(answer.problem).toMatchObject({ code: 'not_found' });
});

it('none of these calls changed anything', async () => {
  expect(await traces()).toEqual(before);
});

describe('the app’s own page', () => {
  it('is accepted from every URL by which people reach it', async () => {
    const { email } = await aPerson(team);
    for (const headers of [
      {},
      { Origin: service.origin },
      { Origin: service.platform.publicUrl },
      { Origin: service.origin, 'Sec-Fetch-Site': 'same-origin' },
      { 'Content-Type': 'application/json; charset=utf-8' },
    ]) {
      const answer = await makeBrowser(service).mutate(
        'entrance/entrance.signIn',
        { email, password: testPassword },
        { headers },
      );
      expect(answer.status).toBe(200);
    }
  });

  it('is not accepted without its TLS', async () => {
    const secure = await startTestService({ publicUrl: 'https://app.example.com' });
    const { host } = new URL(secure.origin);
    const statuses = [];
    for (const page of ['https://app.example.com', `https://${host}`, `http://${host}`, 'http://app.example.com']) {
      statuses.push((await makeBrowser(secure, { page }).mutate('entrance/entrance.signOut')).status);
    }
    await secure.close();
    expect(statuses).toEqual([200, 200, 403, 403]);
  });

  it('is the only one: preflights of other sites get no permission', async () => {
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
    const answer = await admin.browser.fetch('/trpc/app/keys.create', { method: 'OPTIONS', headers });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(answer.status).toBe(403);
  });
});
