// Imports people as Microsoft Entra ID does, 20 requests a second: it looks each up by a filter, adds them, and changes
// some. Measures how long these requests take, how other teams' requests slow down meanwhile, and what a page of people
// costs beside the REST API's page of the same size.

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { basePath } from '../../src/core/product.ts';
import { enterpriseUrn, messageUrns, userUrn } from '../../src/core/scim/schemas.ts';
import { agentFor, sendJson, type Wanted } from '../kit/clients.ts';
import { connectTo, openBenchDatabase } from '../kit/database.ts';
import { atMost, below, median, quantile } from '../kit/figures.ts';
import { compareInTurn, medianOf, ratiosOf, sendAtRate, type Request } from '../kit/load.ts';
import { production, startServer, type Server } from '../kit/processes.ts';
import { pick, seedTeams, type SeededTeam } from '../kit/seed.ts';

/** `npm run bench -- directory 500` imports only 500 people. */
const people = Number(process.argv[3] ?? 5_000);
const rounds = 10;
const perSecond = 20;
/** One person in so many is changed after they were added. */
const changedOf = 5;
const requestsOfPerson = 2 + 1 / changedOf;

/** The requests of the other team, before and during the import. */
const others = { perSecond: 40, calmSeconds: 10 };

const domain = 'people.example';
const scimPath = '/scim/v2';

/** The team has a company account with a proven domain, so that nobody is invited by mail. */
const proveDomain = async (url: string, tenantId: string): Promise<void> => {
  await using client = await connectTo(url);
  await client.query(
    `insert into company_sign_in (tenant_id, issuer, client_id, client_secret, created_at, updated_at)
     values ($1, 'https://login.example.com', 'app', '\\x00', now(), now())`,
    [tenantId],
  );
  await client.query(
    'insert into company_domain (tenant_id, domain, proven_at, created_at) values ($1, $2, now(), now())',
    [tenantId, domain],
  );
};

const aUser = (number: number) => ({
  schemas: [userUrn, enterpriseUrn],
  externalId: `58342554-38d6-4ec8-948c-${String(number).padStart(12, '0')}`,
  userName: `person-${number}@${domain}`,
  active: true,
  displayName: `Vera Kauf ${number}`,
  emails: [{ primary: true, type: 'work', value: `person-${number}@${domain}` }],
  name: { formatted: `Vera Kauf ${number}`, familyName: 'Kauf', givenName: 'Vera' },
  title: 'Account executive',
  [enterpriseUrn]: { department: 'Sales', employeeNumber: String(number) },
});

const aChange = {
  schemas: [messageUrns.patch],
  Operations: [{ op: 'Replace', path: `${enterpriseUrn}:department`, value: 'Sales North' }],
};

const Known = z.object({ id: z.string() });

/** Adds the people with these numbers. Returns how many milliseconds each request took. */
const bringPeople = async (
  { origin }: Server,
  { keys }: SeededTeam,
  { first, count }: { first: number; count: number },
): Promise<number[]> => {
  await using agent = Object.assign(agentFor(), { [Symbol.asyncDispose]: () => agent.close() });
  const times: number[] = [];
  let asked = 0;
  // A key may send 120 requests a minute, so 20 a second need at least ten keys.
  const ask = async (wanted: Wanted, status: number): Promise<unknown> => {
    const key = pick(keys, first + asked);
    asked += 1;
    const began = performance.now();
    const answer = await sendJson(origin, agent, { ...wanted, key, path: `${scimPath}/Users${wanted.path}` });
    const text = await answer.body.text();
    times.push(performance.now() - began);
    if (answer.statusCode === status) return JSON.parse(text);
    throw new Error(`${wanted.path} was answered with ${answer.statusCode}: ${text.slice(0, 300)}`);
  };
  const bring = async (number: number): Promise<void> => {
    const user = aUser(number);
    await ask({ path: `?filter=${encodeURIComponent(`userName eq "${user.userName}"`)}` }, 200);
    const { id } = Known.parse(await ask({ path: '', body: user }, 201));
    if (number % changedOf === 0) await ask({ path: `/${id}`, method: 'PATCH', body: aChange }, 200);
  };
  const started = performance.now();
  const brought: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const dueAt = started + (index * requestsOfPerson * 1_000) / perSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    const one = bring(first + index);
    // It is reported at the end.
    one.catch(() => {});
    brought.push(one);
  }
  await Promise.all(brought);
  return times;
};

/** This many requests, with the keys of a team in turn. */
const requestsTo = (path: string, { keys }: SeededTeam, count: number): Request[] =>
  Array.from({ length: count }, (_, index) => ({
    method: 'GET',
    path,
    headers: { authorization: `Bearer ${pick(keys, index)}` },
  }));

const importAll = async (server: Server, customer: SeededTeam, other: SeededTeam): Promise<void> => {
  const count = Math.ceil(people / rounds);
  const seconds = (count * requestsOfPerson) / perSecond;
  console.log(`${people} people, ${perSecond} requests a second, in ${rounds} parts of ${seconds.toFixed(0)} s`);
  const readMe = (forSeconds: number) =>
    sendAtRate(
      [server],
      requestsTo(`${basePath}/me`, other, Math.ceil(others.perSecond * forSeconds)),
      others.perSecond,
    );
  await readMe(others.calmSeconds);
  const all: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const calm = await readMe(others.calmSeconds);
    const [seen, times] = await Promise.all([
      readMe(seconds),
      bringPeople(server, customer, { first: round * count, count }),
    ]);
    all.push(...times);
    const [without, during] = [quantile(calm, 0.99), quantile(seen, 0.99)];
    ratios.push(during / without);
    const ofImport = `p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
    console.log(`  import ${ofImport}; GET /me p99 without ${without.toFixed(1)} ms, with ${during.toFixed(1)} ms`);
  }
  below(`p99 of the ${all.length} requests of the import`, quantile(all, 0.99), 600, ' ms');
  below('p99 of GET /me of another team during the import, as a multiple (median)', median(ratios), 1.5);
};

export const run = async (): Promise<void> => {
  await using database = await openBenchDatabase();
  const { teams } = await seedTeams(database.url, { teams: 2, membersEach: 200, keysEach: 200, trainingsEach: 400 });
  const [customer, other] = [pick(teams, 0), pick(teams, 1)];
  await proveDomain(database.url, customer.tenantId);
  await using server = await startServer(['src/main.ts', 'api'], { ...production, DATABASE_URL: database.url });
  await importAll(server, customer, other);

  const of = (path: string) => ({ server, requests: requestsTo(path, customer, customer.keys.length) });
  const pages = new Map([
    ['GET /Users?count=200', of(`${scimPath}/Users?count=200`)],
    ['GET /users?limit=200', of(`${basePath}/users?limit=200`)],
  ]);
  const measured = await compareInTurn(database, pages, { rounds: 5, secondsEach: 4, warmUpSeconds: 8, callers: 2 });
  console.log('\nA page of 200 people, 2 connections');
  for (const [name, runs] of measured) {
    const figures = (['p50', 'server', 'postgres'] as const).map((one) => medianOf(runs, (seen) => seen[one]));
    const [p50 = NaN, ofServer = NaN, postgres = NaN] = figures;
    const costs = `CPU of a request: server ${ofServer.toFixed(0)} µs, PostgreSQL ${postgres.toFixed(0)} µs`;
    console.log(`  ${name}   p50 ${p50.toFixed(2)} ms   ${costs}`);
  }
  const [scim = [], rest = []] = [...measured.values()];
  const ratios = ratiosOf(scim, rest, (seen) => seen.server + seen.postgres);
  // The page of the directory has twice the bytes, and the exact number of all people, for which every membership is
  // read.
  atMost('CPU time of the page of the directory, as a multiple (median)', median(ratios), 2.5);
};
