// Compares what two ways to the same service answer.

import { z } from 'zod';
import { pick, aCombination, type Seeded, type SeededTeam } from '../../kit/seed.ts';
import type { Answer, Send, Wanted } from './load.ts';

/** Any value that is new in every answer: ids, times, secrets. */
const changing = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|[\w-]{20,}/g;

const withoutChanging = (answer: unknown): string => JSON.stringify(answer).replaceAll(changing, '…');

const Item = z.looseObject({ id: z.string() });
const Page = z.object({ data: z.array(z.unknown()) });
const itemsOf = ({ body }: Answer) =>
  (Page.safeParse(body).data?.data ?? []).flatMap((row) => Item.safeParse(row).data ?? []);

const lists = [
  '/assignments',
  '/cases',
  '/users',
  '/trainings',
  '/evaluations',
  '/webhook-endpoints',
  '/crm/deals',
  '/crm/objections',
];
const others = [
  '/me',
  '/catalog',
  '/analytics/team',
  '/events?limit=100',
  '/cases/unknown',
  '/users?limit=0',
  '/nothing',
];
const detailsEach = 10;

/** The reads of a team: lists, further pages, single rows and errors. */
const readsOf = async (send: Send, team: SeededTeam): Promise<string[]> => {
  const key = pick(team.keys, 0);
  const paths = [...lists.map((path) => `${path}?limit=200`), ...others];
  for (const list of ['/assignments', '/cases', '/users', '/trainings']) {
    const page = await send({ path: `${list}?limit=${detailsEach}`, key });
    const { next_cursor: next } = z.object({ next_cursor: z.string().nullish() }).parse(page.body);
    if (next) paths.push(`${list}?limit=${detailsEach}&cursor=${encodeURIComponent(next)}`);
    paths.push(...itemsOf(page).map(({ id }) => `${list}/${id}`));
  }
  paths.push(...team.scored.slice(0, detailsEach).map((id) => `/trainings/${id}/evaluation`));
  const endpoints = itemsOf(await send({ path: '/webhook-endpoints', key }));
  return [...paths, ...endpoints.map(({ id }) => `/webhook-endpoints/${id}/deliveries?limit=200`)];
};

export interface Compared {
  answers: number;
  /** Each answer that was another one. */
  differences: string[];
}

/** Sends the same reads both ways. Nothing may change meanwhile. */
export const compareReads = async (one: Send, other: Send, teams: readonly SeededTeam[]): Promise<Compared> => {
  const compared: Compared = { answers: 0, differences: [] };
  for (const team of teams) {
    for (const [index, path] of (await readsOf(other, team)).entries()) {
      const wanted = { path, key: pick(team.keys, index) };
      // The problem of a refused request has the id of the request.
      const shown = ({ status, body }: Answer) =>
        status === 200 ? JSON.stringify(body) : withoutChanging([status, body]);
      const [first, second] = [shown(await one(wanted)), shown(await other(wanted))];
      compared.answers += 1;
      if (first !== second) compared.differences.push(`${path}: ${first.slice(0, 500)} / ${second.slice(0, 500)}`);
    }
  }
  return compared;
};

/** Makes some changes, and deletes what it created. Returns the answers without their ids and times, which differ in each run. */
const writesBy = async (send: Send, { team, catalog, url, run }: WriteOptions & { run: string }): Promise<string[]> => {
  const key = pick(team.keys, 1);
  const answers: string[] = [];
  const write = async (wanted: Omit<Wanted, 'key'>): Promise<string> => {
    const { status, body } = await send({ ...wanted, key });
    answers.push(`${wanted.method ?? ''} ${withoutChanging([wanted.path, status, body])}`);
    return Item.safeParse(body).data?.id ?? '';
  };
  const [member] = itemsOf(await send({ path: '/users', key }));
  const assignment = { member_id: pick(team.members, 0), title: 'Compared', ...aCombination(0, catalog) };
  const idempotencyKey = `compared ${run}`;
  const id = await write({ path: '/assignments', body: assignment, idempotencyKey });
  await write({ path: '/assignments', body: assignment, idempotencyKey });
  await write({ path: '/assignments', body: { ...assignment, title: 'Another' }, idempotencyKey });
  await write({ path: `/assignments/${id}`, method: 'PATCH', body: { status: 'done', note: 'Compared' } });
  await write({ path: `/assignments/${id}`, method: 'DELETE' });
  await write({ path: `/assignments/${id}` });

  const aCase = await write({
    path: '/cases',
    body: { user_id: member?.['user_id'], title: 'Compared', fields: { a: 1 } },
  });
  await write({ path: `/cases/${aCase}`, method: 'PATCH', body: { fields: { a: [1.5, 'b'] } } });
  await write({ path: `/cases/${aCase}`, method: 'DELETE' });
  await write({ path: '/cases', body: {} });

  const invited = await write({ path: '/users', body: { email: 'compared@example.com', role: 'member' } });
  await write({ path: '/users', body: { email: 'compared@example.com', role: 'member' } });
  await write({ path: `/users/${invited}`, method: 'PATCH', body: { role: 'admin' } });
  await write({ path: `/users/${invited}`, method: 'DELETE' });

  const endpoint = await write({ path: '/webhook-endpoints', body: { url, events: ['member.joined'] } });
  await write({ path: `/webhook-endpoints/${endpoint}`, method: 'PATCH', body: { status: 'disabled' } });
  await write({ path: `/webhook-endpoints/${endpoint}`, method: 'DELETE' });
  return answers;
};

interface WriteOptions {
  team: SeededTeam;
  catalog: Seeded['catalog'];
  /** The URL of a receiver, for an endpoint. */
  url: string;
}

/** Sends the same writes one way and then the other. */
export const compareWrites = async (one: Send, other: Send, options: WriteOptions): Promise<Compared> => {
  const first = await writesBy(one, { ...options, run: 'one' });
  const second = await writesBy(other, { ...options, run: 'other' });
  return {
    answers: first.length,
    differences: first.flatMap((answer, index) => (answer === second[index] ? [] : [`${answer} / ${second[index]}`])),
  };
};
