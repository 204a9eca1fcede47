import { describe, expect, it } from 'vitest';
import { problemCodes, problems } from '../../src/core/problem.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { rawConnection, wire } from './raw-http.ts';

const service = await useTestService();
const team = await aTeam(service);

const ask = (path: string, language?: string, key = team.client.key) =>
  makeClient(service.baseUrl, key).get(path, { headers: { 'Accept-Language': language ?? '*' } });

describe('the language of an answer', () => {
  it.each([
    ['en', 'en'],
    ['en-GB, de;q=0.5', 'en'],
    ['fr', 'de'],
    [`en,${'fr,'.repeat(1_000)}`, 'en'],
    [`${'fr,'.repeat(1_000)}en`, 'de'], // beyond the part that is parsed
  ])('%j is %s, in the header and in the title', async (header, language) => {
    const answer = await ask('/nothing', header);
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.body['title']).toBe(language === 'en' ? problems.not_found.title.en : problems.not_found.title.de);
    expect(answer.headers.get('vary')).toContain('Accept-Language');
  });

  it('is German without a header; two headers are one list', async () => {
    const connection = rawConnection(service.origin);
    const headers = { Authorization: `Bearer ${team.client.key ?? ''}` };
    connection.send(wire('GET', '/api/public/v1/me', headers));
    expect((await connection.next()).headers.get('content-language')).toBe('de');
    connection.send(
      wire('GET', '/api/public/v1/me', { ...headers, 'Accept-Language': 'fr', 'accept-language': 'en;q=0.2' }),
    );
    expect((await connection.next()).headers.get('content-language')).toBe('en');
    connection.hangUp();
  });

  it('is in the headers of successes as well, and code and detail are the same in every language', async () => {
    expect((await ask('/me', 'en')).headers.get('content-language')).toBe('en');
    const { text: key } = await team.aKey({ scopes: ['catalog:read'] });
    const [german, english] = [await ask('/users', 'de', key), await ask('/users', 'en', key)];
    expect(german).toBeProblem('insufficient_scope', { title: problems.insufficient_scope.title.de });
    expect(english).toBeProblem('insufficient_scope', { title: problems.insufficient_scope.title.en });
    expect(german.body['detail']).toBe(english.body['detail']);
  });

  it('has a title and advice for every problem in both languages', () => {
    for (const language of ['de', 'en'] as const) {
      const titles = problemCodes.map((code) => problems[code].title[language]);
      expect(new Set(titles).size).toBe(problemCodes.length);
      for (const code of problemCodes) expect(problems[code].advice[language].length).toBeGreaterThan(20);
    }
    for (const code of problemCodes) expect(problems[code].title.de).not.toBe(problems[code].title.en);
  });
});
