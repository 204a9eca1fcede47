import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { languages } from '../../src/core/language.ts';
import { allListed } from '../support/pages.ts';
import { useServiceWithReceiver } from '../support/service.ts';
import { datadog, splunk } from '../support/siem.ts';
import { aTeam } from '../support/team.ts';
import { aDispatcher, untilAllAre } from '../support/worker.ts';

// The page “To your SIEM”: its endpoints, against stand-ins. siem-program.slow.test.ts has its program.

const { receiver, service } = await useServiceWithReceiver();

const NewEndpoint = z.object({
  url: z.string(),
  events: z.tuple([z.literal('audit.recorded')]),
  headers: z.record(z.string(), z.string()),
});

/** The bodies of the requests on the page that make endpoints. */
const endpointsOnPage = async (language: string) => {
  const page = await readFile(`src/server/developers/pages/${language}/siem.md`, 'utf8');
  return [...page.matchAll(/-d '(\{[^']*\})'/g)].map(([, body = '']) => NewEndpoint.parse(JSON.parse(body)));
};

const endpointOnPage = async (host: string) =>
  (await endpointsOnPage('en')).find(({ url }) => new URL(url).host.includes(host)) ??
  expect.unreachable(`no endpoint for ${host}`);

const tokenIn = ({ headers }: { headers: Record<string, string> }) =>
  (Object.values(headers)[0] ?? '').replace(/^Splunk /, '');

it('the pages in all languages have the same endpoints', async () => {
  const [first, ...others] = await Promise.all(languages.map(endpointsOnPage));
  expect(first).toHaveLength(2);
  for (const other of others) expect(other).toEqual(first);
});

describe('the endpoint on the page', () => {
  it.each([
    ['splunk', splunk, { source: 'audit-log' }],
    ['datadog', datadog, { service: 'training' }],
  ])('gets its entries into %s, which refuses another token', async (host, standIn, added) => {
    const shown = await endpointOnPage(host);
    const { answer, logs } = standIn(tokenIn(shown));
    receiver.answerWith(answer);
    const team = await aTeam(service, { members: 1 });
    const { pathname, search } = new URL(shown.url);
    const wanted = { ...shown, url: `${receiver.url}${pathname}${search}` };
    const { body, status } = await team.client.post('/webhook-endpoints', wanted);
    expect(status).toBe(201);
    const id = String(body['id']);
    await aDispatcher(service, { egress: service.platform.egress, retrySeconds: [] });
    await team.client.post(`/webhook-endpoints/${id}/test`);
    await team.client.patch(`/users/${String(team.members[0]?.id)}`, { role: 'admin' });
    await untilAllAre(service, 'ok', id, 2);
    const [entry] = (await team.client.get('/audit-entries?action=member.role_changed')).data;
    expect(logs.map(({ type }) => type).toSorted()).toEqual(['audit.recorded', 'ping']);
    expect(logs.find(({ type }) => type === 'audit.recorded')).toMatchObject({
      ...added,
      id: `evt_${String(entry?.['id']).replaceAll('-', '')}`,
      data: { id: entry?.['id'], action: 'member.role_changed', data: { from: 'member', to: 'admin' } },
    });

    const name = Object.keys(shown.headers)[0] ?? '';
    const headers = { [name]: shown.headers[name]?.replace('0', '1') ?? '' };
    expect((await team.client.patch(`/webhook-endpoints/${id}`, { headers })).status).toBe(200);
    await team.client.post('/cases', { user_id: team.owner.user_id });
    const codes = async () =>
      (await allListed(team.client, `/webhook-deliveries?endpoint_id=${id}&status=gave_up`)).map(
        ({ response_code }) => response_code,
      );
    await expect.poll(codes).toEqual([403]);
    expect(logs).toHaveLength(2);
  });
});

it('Splunk’s other path refuses events that are not in a field of their own, as the page says', async () => {
  const { answer } = splunk('token');
  const request = {
    method: 'POST',
    headers: { authorization: 'Splunk token' },
    body: '{"id":"evt_1"}',
    at: new Date(),
  };
  expect(await answer({ ...request, path: '/services/collector/event' })).toMatchObject({ status: 400 });
});
