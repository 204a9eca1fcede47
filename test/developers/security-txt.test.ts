import { describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs } from '../../src/core/clock.ts';
import { makeClient } from '../support/client.ts';
import { startTestService, useTestService } from '../support/service.ts';

const service = await useTestService();
const path = '/.well-known/security.txt';

const withContact = async (contact: string) => {
  const own = await startTestService({ environment: { SECURITY_CONTACT: contact } });
  onTestFinished(() => own.close());
  return own;
};

/** The fields in order, each a name and a value. */
const fieldsIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(': '));

describe('security.txt', () => {
  it.each([
    ['a mailbox', 'mailto:security@example.com', ['mailto:security@example.com']],
    ['a page', 'https://example.com/report', ['https://example.com/report']],
    [
      'several, in the order of the setting',
      'https://example.com/report,mailto:security@example.com',
      ['https://example.com/report', 'mailto:security@example.com'],
    ],
  ])('names %s, and what RFC 9116 asks for', async (_what, setting, contacts) => {
    const own = await withContact(setting);
    const { publicUrl } = own.platform;
    const answer = await makeClient(own.origin).get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(fieldsIn(answer.text)).toEqual([
      ...contacts.map((contact) => ['Contact', contact]),
      ['Expires', expect.any(String)],
      ['Preferred-Languages', 'de, en'],
      ['Canonical', `${publicUrl}${path}`],
      ['Policy', `${publicUrl}/developers/security`],
    ]);
  });

  it('expires in the future and in less than a year, whenever it is read', async () => {
    const own = await withContact('mailto:security@example.com');
    const before = own.platform.clock.now().getTime();
    const { text } = await makeClient(own.origin).get(path);
    const [, expires = ''] = /^Expires: (\S+)$/m.exec(text) ?? [];
    const left = new Date(expires).getTime() - before;
    expect(left).toBeGreaterThanOrEqual(daysToMs(180));
    expect(left).toBeLessThan(daysToMs(365));
  });

  it('is answered to HEAD without its text, and to nothing else', async () => {
    const own = await withContact('mailto:security@example.com');
    const client = makeClient(own.origin);
    const head = await client.request('HEAD', path);
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, 'text/plain; charset=utf-8', '']);
    expect(await client.post(path)).toBeProblem('not_found');
    expect(await client.get(`${path}/`)).toBeProblem('not_found');
  });

  it('names a page that exists as the policy', async () => {
    expect((await makeClient(service.origin).get('/developers/security')).status).toBe(200);
  });

  it.each(['*/*', 'text/html', 'text/plain'])('is not there without the setting, for Accept: %s', async (Accept) => {
    const client = makeClient(service.origin);
    for (const method of ['GET', 'HEAD'])
      expect((await client.request(method, path, { headers: { Accept } })).status).toBe(404);
  });
});
