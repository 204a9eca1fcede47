import { describe, expect, it } from 'vitest';
import { escapeHtml } from '../../src/core/html.ts';
import { problemCodes, problems } from '../../src/core/problem.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';

const service = await useTestService();

const ask = (search = '', language = '*', method = 'GET') =>
  makeClient(service.origin).request(method, `/developers/errors${search}`, {
    headers: { 'Accept-Language': language },
  });

describe('/developers/errors', () => {
  it.each(['de', 'en'] as const)('explains every problem in %s, at its code', async (language) => {
    const answer = await ask('', language);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.text).toContain(`<html lang="${language}">`);
    for (const code of problemCodes) {
      expect(answer.text.split(`id="${code}"`)).toHaveLength(2);
      expect(answer.text).toContain(escapeHtml(problems[code].title[language]));
      expect(answer.text).toContain(escapeHtml(problems[code].advice[language]));
    }
  });

  it('is the target of a problem’s type', async () => {
    const { body } = await makeClient(service.baseUrl).get('/me');
    const type = new URL(String(body['type']));
    const answer = await makeClient(service.origin).get(type.pathname);
    expect(answer.text).toContain(`id="${type.hash.slice(1)}"`);
  });

  it.each([
    ['?lang=en', 'de', 'en'],
    ['?lang=de', 'en', 'de'],
    ['?lang=fr', 'en', 'en'],
    ['?lang=', 'en', 'en'],
    ['?lang=en&lang=de', 'fr', 'de'],
    ['?lang[]=en', 'fr', 'de'],
    ['?__proto__=en', 'fr', 'de'],
    ['?lang=%zz', 'en', 'en'],
    ['?lang=<script>', 'en', 'en'],
  ])('%s over Accept-Language %s shows it in %s', async (search, accepted, language) => {
    const answer = await ask(search, accepted);
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.text).not.toContain('<script>');
  });

  it('has no page below it', async () => {
    expect((await ask('', '*', 'HEAD')).status).toBe(200);
    for (const path of ['/', '/more', '?']) {
      expect((await ask(path)).status).toBe(path === '?' ? 200 : 404);
    }
    expect(await ask('', '*', 'POST')).toBeProblem('not_found');
  });
});
