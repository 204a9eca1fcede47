import { describe, expect, it } from 'vitest';
import { makeClient } from '../support/client.ts';
import { useTestService, type TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { askOnce, wire } from './raw-http.ts';

const direct = await useTestService({ environment: { TRUST_PROXY: '' } });
const team = await aTeam(direct);
const trusting = (proxies: string) =>
  useTestService({ environment: { TRUST_PROXY: proxies }, databaseUrl: direct.databaseUrl });
const proxied = await trusting('1');
const known = await trusting('127.0.0.1,10.0.0.0/8');
const elsewhere = await trusting('10.0.0.0/8');

const statusOf = async (service: TestService, allowed: string[], forwarded?: string): Promise<number> => {
  const { text } = await team.aKey({ allowedIps: allowed });
  const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
  const answer = await makeClient(service.baseUrl, text).get('/me', { headers });
  if (answer.status !== 200) expect(answer).toBeProblem('unauthorized');
  return answer.status;
};

describe('a key for certain addresses, called directly', () => {
  it.each<[string[], string | undefined, number]>([
    [['127.0.0.1'], undefined, 200],
    [['10.0.0.0/8', '127.0.0.1/32'], undefined, 200],
    [['10.0.0.0/8'], undefined, 401],
    [['::/0'], undefined, 401],
    [['10.0.0.0/8'], '10.0.0.1', 401],
    [['127.0.0.1'], '203.0.113.7', 200],
  ])('%j, forwarded for %s: %i', async (allowed, forwarded, status) => {
    expect(await statusOf(direct, allowed, forwarded)).toBe(status);
  });

  it.each(['Forwarded: for=10.0.0.1', 'X-Real-IP: 10.0.0.1'])('401: %s has no effect', async (line) => {
    const { text } = await team.aKey({ allowedIps: ['10.0.0.0/8'] });
    const [name = '', value = ''] = line.split(': ');
    for (const service of [direct, proxied]) {
      expect(await makeClient(service.baseUrl, text).get('/me', { headers: { [name]: value } })).toBeProblem(
        'unauthorized',
      );
    }
  });
});

describe('behind one proxy', () => {
  it.each<[string[], string | undefined, number]>([
    [['203.0.113.7'], '203.0.113.7', 200],
    [['203.0.113.7'], '::ffff:cb00:7107', 200],
    [['2001:db8::/32'], '2001:db8::1', 200],
    [['2001:db8::/32'], '2001:db9::', 401],
    [['10.1.2.0/24'], '10.1.2.255', 200],
    [['10.1.2.0/24'], '10.1.3.0', 401],
    [['0.0.0.0/0'], '2001:db8::1', 401],
    [['::/0'], '203.0.113.9', 401],
    [['::ffff:10.1.2.3'], '10.1.2.3', 200],
    [['203.0.113.7'], undefined, 401],
    [['127.0.0.1'], undefined, 200],
    [['127.0.0.1'], '203.0.113.7', 401],
    // Only the address that the proxy itself added counts: the last one.
    [['203.0.113.7'], '203.0.113.7, 198.51.100.1', 401],
    [['198.51.100.1'], '203.0.113.7, 198.51.100.1', 200],
    [['203.0.113.7'], '203.0.113.7, garbage', 401],
    [['10.0.0.1'], '167772161', 401],
    [['8.0.0.1'], '010.0.0.1', 401],
    [['fe80::/10'], 'fe80::1%eth0', 200],
    // Some proxies add the port that the client came from.
    [['203.0.113.7'], '203.0.113.7:51234', 200],
    [['2001:db8::1'], '[2001:db8::1]:443', 200],
    [['203.0.113.7'], '203.0.113.7:51234, 198.51.100.1:1', 401],
    [['203.0.113.7'], '203.0.113.7:65536', 401],
    [['2001:db8::1'], '[2001:db8::1', 401],
    // Without brackets the port is parsed as part of the address.
    [['2001:db8::1'], '2001:db8::1:443', 401],
    [['2001:db8::1:443'], '2001:db8::1:443', 200],
  ])('%j, forwarded for %s: %i', async (allowed, forwarded, status) => {
    expect(await statusOf(proxied, allowed, forwarded)).toBe(status);
  });

  it('401: two headers are one list, of which the last entry counts', async () => {
    const { text } = await team.aKey({ allowedIps: ['203.0.113.7'] });
    const headers = {
      Authorization: `Bearer ${text}`,
      'X-Forwarded-For': '203.0.113.7',
      'x-forwarded-for': '198.51.100.1',
    };
    expect(await askOnce(proxied.origin, wire('GET', '/api/public/v1/me', headers))).toBeProblem('unauthorized');
  });
});

describe('behind proxies that are known by their addresses', () => {
  it.each<[string[], string | undefined, number]>([
    [['203.0.113.7'], '203.0.113.7', 200],
    [['203.0.113.7'], '203.0.113.7, 10.1.2.3', 200],
    [['203.0.113.7'], '203.0.113.7, 198.51.100.1, 10.1.2.3', 401],
    [['198.51.100.1'], '203.0.113.7, 198.51.100.1, 10.1.2.3', 200],
    [['10.9.9.9'], '10.9.9.9, 10.1.2.3', 200],
    [['203.0.113.7'], '203.0.113.7, garbage, 10.1.2.3', 401],
    [['203.0.113.7'], '203.0.113.7:51234, 10.1.2.3', 200],
    [['203.0.113.7'], '203.0.113.7, ::ffff:10.1.2.3', 200],
    [['203.0.113.7'], '203.0.113.7, 11.1.2.3', 401],
  ])('%j, forwarded for %s: %i', async (allowed, forwarded, status) => {
    expect(await statusOf(known, allowed, forwarded)).toBe(status);
  });

  it('401: another sender that forges the header counts with its own address', async () => {
    expect(await statusOf(elsewhere, ['203.0.113.7'], '203.0.113.7')).toBe(401);
    expect(await statusOf(elsewhere, ['127.0.0.1'], '203.0.113.7')).toBe(200);
  });
});
