import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hashPassword } from '../../src/core/password.ts';
import { setPassword } from '../../src/modules/people/store.ts';
import { hasBrowser, password, useApp } from './support/app.ts';
import { filteredLists, filtersOf, type Ids } from './support/filtered-lists.ts';
import { aLivelyTeam } from './support/lively-team.ts';

// What lists ask the server for: all that the reader has chosen.

const Input = z.record(z.string(), z.unknown());

interface Call {
  name: string;
  input: z.output<typeof Input>;
}

/** The queries that a page sends from now on, with their inputs. */
const callsOf = (page: Page): Call[] => {
  const calls: Call[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const [, name] = /^\/trpc\/(\w+\/[\w.]+)$/.exec(pathname) ?? [];
    if (name === undefined || request.method() !== 'GET') return;
    calls.push({ name, input: Input.parse(JSON.parse(searchParams.get('input') ?? '{}')) });
  });
  return calls;
};

/** Parts of an input that are no filters. */
const ofPage = new Set(['limit', 'cursor', 'endpoint_id']);

/** Lets a list answer as if it had no filters, so that it has rows, whatever they are. */
const withoutFilters = (page: Page, list: string) =>
  page.route(`**/trpc/${list}?*`, (route) => {
    const url = new URL(route.request().url());
    const input = Object.entries(Input.parse(JSON.parse(url.searchParams.get('input') ?? '{}')));
    url.searchParams.set('input', JSON.stringify(Object.fromEntries(input.filter(([name]) => ofPage.has(name)))));
    return route.continue({ url: url.toString() });
  });

describe.skipIf(!hasBrowser)('what is asked for', () => {
  const app = useApp({ own: true });
  let ids: Ids;
  let readers: { owner: string; member: string };

  beforeAll(async () => {
    if (!hasBrowser) return;
    const { addresses, owner } = await aLivelyTeam(app, 'de');
    const { prisma } = app.service.database;
    const { tenantId } = await prisma.member.findFirstOrThrow({ where: { email: owner } });
    const idIn = (path: string) => addresses[path]?.split('/').at(-1) ?? '';
    const member = await prisma.member.findFirstOrThrow({ where: { tenantId, id: idIn('/members/:id') } });
    const training = await prisma.training.findFirstOrThrow({ where: { tenantId, situationId: { not: null } } });
    const assignment = await prisma.assignment.findFirstOrThrow({ where: { tenantId } });
    const request = await prisma.requestLogEntry.findFirstOrThrow({ where: { tenantId } });
    ids = {
      member: member.id,
      user: member.userId ?? '',
      assignment: assignment.id,
      situation: training.situationId ?? '',
      key: idIn('/keys/:id'),
      endpoint: idIn('/webhooks/:id'),
      connection: idIn('/crm/:id'),
      request: request.requestId,
    };
    readers = { owner, member: member.email };
    const person = await prisma.person.findUniqueOrThrow({ where: { email: member.email } });
    const hash = await hashPassword(password, app.service.platform.signIn.passwordCost);
    await prisma.$transaction((tx) => setPassword(tx, app.service.platform, person.id, hash));
  });

  it.each(Object.entries(filteredLists))(
    'of %s has every filter and the order: in the list, its number and its file',
    async (_of, listOf) => {
      const one = listOf(ids);
      const { path, list, count, sort, isOwn = false } = one;
      const { address, input } = filtersOf(one);
      const page = await app.signedIn(isOwn ? readers.member : readers.owner, '/account');
      const calls = callsOf(page);
      const inputsOf = (name: string) => calls.filter((call) => call.name === name).map((call) => call.input);
      await withoutFilters(page, list);
      const asked = new URLSearchParams({ ...address, ...(sort !== undefined && { sort }) });
      await page.goto(`${path}${path.includes('?') ? '&' : '?'}${asked.toString()}`);
      const order = sort !== undefined && { sort: { by: sort.replace('-', ''), desc: sort.startsWith('-') } };
      const inOrder = { ...input, ...order };
      await expect.poll(() => inputsOf(list)).toContainEqual(expect.objectContaining(inOrder));
      if (count !== undefined) await expect.poll(() => inputsOf(count)).toContainEqual(input);
      await page.getByRole('button', { name: 'CSV', exact: true }).click();
      await expect.poll(() => inputsOf(list)).toContainEqual(expect.objectContaining({ ...inOrder, limit: 200 }));
    },
  );

  it('of the requests in the chart has every filter, too', async () => {
    const page = await app.signedIn(readers.owner, '/account');
    const calls = callsOf(page);
    const filters = { key: ids.key, status: '4xx', code: 'not_found', method: 'POST', route: '/assignments' };
    await page.goto(`/requests?${new URLSearchParams(filters).toString()}`);
    const { key, ...others } = filters;
    await expect
      .poll(() => calls.filter(({ name }) => name === 'app/requests.volume').map(({ input }) => input))
      .toContainEqual(expect.objectContaining({ key_id: key, ...others }));
  });
});
