import { describe, expect, it } from 'vitest';
import { auditLimits, endpointLimits } from '../../src/core/limits.ts';
import { entryData, urlInEntry } from '../../src/modules/audit/service.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const { namedInEntry, textCharacters } = auditLimits;
const service = await useTestService();

const entriesOf = (team: TestTeam) =>
  service.database.prisma.auditEntry.findMany({ where: { tenantId: team.id }, orderBy: { id: 'asc' } });

describe('an entry of the audit log', () => {
  it('has only the host and the beginning of the path of a webhook’s URL, however often it is changed', async () => {
    const team = await aTeam(service);
    const longUrl = (letter: string) => {
      const before = `https://hooks.example.com/${letter}`;
      return `${before}${letter.repeat(endpointLimits.urlCharacters - before.length - 10)}?token=xy`;
    };
    const { body } = await team.client.post('/webhook-endpoints', { url: longUrl('a'), events: ['member.joined'] });
    const path = `/webhook-endpoints/${String(body['id'])}`;
    for (const letter of ['b', 'c']) {
      const answer = await team.client.patch(path, { url: longUrl(letter) });
      expect([answer.status, answer.body['url']]).toEqual([200, longUrl(letter)]);
    }
    expect((await team.client.delete(path)).status).toBe(200);
    const entries = (await entriesOf(team)).filter(({ targetType }) => targetType === 'webhook_endpoint');
    expect(entries).toHaveLength(4);
    for (const { data } of entries) {
      expect(JSON.stringify(data)).toMatch(/"url":"https:\/\/hooks\.example\.com\/[abc]+…"/);
      expect(JSON.stringify(data)).not.toContain('token');
      expect(JSON.stringify(data).length).toBeLessThan(500);
    }
  });

  it('keeps short values unchanged, and of long values the beginning and the length', () => {
    const short = { title: '😀'.repeat(textCharacters), list: ['a', 'b'], inner: { a: null, b: [1] }, none: null };
    expect(entryData(short)).toEqual(short);
    const list = Array.from({ length: namedInEntry + 5 }, (_, at) => `item ${at}`);
    const long = { title: '😀'.repeat(textCharacters + 1), list, inner: { text: 'x'.repeat(1_000) } };
    expect(entryData(long)).toEqual({
      title: `${'😀'.repeat(textCharacters - 1)}…`,
      list: list.slice(0, namedInEntry),
      list_total: namedInEntry + 5,
      inner: { text: `${'x'.repeat(textCharacters - 1)}…` },
    });
  });

  it('leaves out the query of a URL, because it may hold a secret', () => {
    expect(urlInEntry('https://example.com/hook')).toBe('https://example.com/hook');
    expect(urlInEntry('https://example.com:8443/hook?token=x')).toBe('https://example.com:8443/hook?…');
    expect(urlInEntry(`https://example.com/${'a'.repeat(500)}`)).toHaveLength(textCharacters);
  });
});
