import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { limits } from '../../src/core/limits.ts';
import { problemCodes, problems } from '../../src/core/problem.ts';
import { closeCells } from '../../src/db/cells/make-cells.ts';
import { say, wire } from '../rest/raw-http.ts';
import { makeBrowser, aSignedInPerson } from '../support/people.ts';
import { isDistributed } from '../support/postgres.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { startWiredService } from '../support/wire.ts';

const index = fileURLToPath(new URL('../../dist/web/index.html', import.meta.url));
const isBuilt = existsSync(index);
const service = await useTestService();

describe('pages', () => {
  const pages = ['/', '/sign-in', '/reset-password/x', '/invitations/x', '/account', '/webhooks/1', '/nowhere'];

  it.skipIf(!isBuilt)('are served to every client at the addresses that others link to', async () => {
    const statusOf = async (path: string, method: string) =>
      (await fetch(`${service.origin}${path}`, { method, headers: { Accept: '*/*' } })).status;
    expect([
      await statusOf('/', 'HEAD'),
      await statusOf('/report-key', 'HEAD'),
      await statusOf('/report-key', 'GET'),
    ]).toEqual([200, 200, 200]);
    expect(await statusOf('/webhooks/1', 'GET')).toBe(404);
  });

  it.each([...pages, '/developers/errors'])('%s can’t be framed and runs no foreign script', async (path) => {
    const { headers } = await fetch(`${service.origin}${path}`, { headers: { Accept: 'text/html' } });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    if (isBuilt) expect(policy).toContain("base-uri 'none'");
    if (isBuilt) expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(policy).not.toMatch(/script-src[^;]*('unsafe-|https?:|\*|data:)/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.has('x-powered-by')).toBe(false);
    expect(headers.get('strict-transport-security')).toContain('max-age=');
    expect(['same-origin', 'no-referrer']).toContain(headers.get('referrer-policy'));
  });

  it.runIf(isBuilt)('have no script or style that the policy would have to allow', () => {
    const page = readFileSync(index, 'utf8');
    expect(page).not.toMatch(/<script(?![^>]*\ssrc="\/)[^>]*>/);
    expect(page).not.toMatch(/<script[^>]*>[^<]/);
    expect(page).not.toMatch(/<style|\son\w+=|javascript:/i);
  });

  it('are not found outside of the build, in any spelling of the path', async () => {
    for (const path of [
      '/../package.json',
      '/%2e%2e/package.json',
      '/assets/..%2f..%2fpackage.json',
      '/index.html%00',
    ]) {
      const answer = await fetch(`${service.origin}${path}`);
      expect(answer.status).toBe(404);
    }
  });
});

const Refusal = z.object({
  error: z.object({
    message: z.string(),
    data: z.object({
      problem: z.object({
        code: z.enum(problemCodes),
        status: z.int(),
        title: z.string(),
        request_id: z.string(),
      }),
    }),
  }),
});

describe('the app’s procedures over HTTP', () => {
  const problemAt = async (path: string, body: string, team?: string) => {
    const browser = makeBrowser(service);
    const { status, problem, text } = await browser.mutate(path, body, {
      ...(team !== undefined && { team }),
      headers: { 'Accept-Language': 'en' },
    });
    return { status, problem, text };
  };

  it('answer 404 for an unknown procedure', async () => {
    for (const path of ['entrance/nothing', 'entrance/entrance', 'entrance/entrance.signIn.x', 'entrance/__proto__']) {
      const { status, problem } = await problemAt(path, '{}');
      expect([status, problem['code']]).toEqual([404, 'not_found']);
      expect(problem['title']).toBe('Not found');
      expect(problem['request_id']).toMatch(/^[0-9a-f-]{36}$/);
    }
    for (const path of ['/trpc', '/trpc/', '/trpc/nothing/x', '/trpc/entrance']) {
      expect((await fetch(`${service.origin}${path}`)).status).toBe(404);
    }
  });

  it.each<[what: string, path: string, init?: RequestInit]>([
    ['an unknown procedure', 'entrance/nothing?input=%7B%7D'],
    ['a known one by another method', 'entrance/entrance.signIn?input=%7B%7D'],
    ['a batch', 'entrance/entrance.who,entrance.who?batch=1&input=%7B%7D'],
    ['a batch that mixes reads and changes', 'entrance/entrance.who,entrance.signIn?batch=1&input=%7B%7D'],
    ['a batch that is too long', `entrance/${'entrance.who,'.repeat(500)}entrance.who?batch=1&input=%7B%7D`],
    ['a stream of answers', 'entrance/entrance.who?input=%7B%7D', { headers: { 'trpc-accept': 'application/jsonl' } }],
    ['connection parameters that are none', 'entrance/entrance.who?input=%7B%7D&connectionParams=%7Bx'],
    ['a path that is not percent-encoded', 'entrance/entrance.who%ff?input=%7B%7D'],
    ['an input that is no JSON', 'entrance/entrance.who?input=%7Bx'],
  ])('refuse %s in the caller’s language, with the id of the request', async (_what, path, init = {}) => {
    const titles = new Set<unknown>();
    for (const language of ['de', 'en']) {
      const headers = { ...init.headers, Origin: service.origin, 'Accept-Language': language };
      const answer = await fetch(`${service.origin}/trpc/${path}`, { ...init, headers });
      const { error } = Refusal.parse(await answer.json());
      const { problem } = error.data;
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(problem).toMatchObject({ status: answer.status, title: error.message });
      expect(problem.request_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(problem.request_id).toBe(answer.headers.get('x-request-id'));
      expect(problem.title).toBe(problems[problem.code].title[language === 'en' ? 'en' : 'de']);
      titles.add(problem.title);
    }
    expect(titles.size).toBe(2);
  });

  it.each([
    ['TRACE', '/trpc/entrance/entrance.who'],
    ['PUT', '/trpc/entrance/entrance.who'],
    ['GET', '/trpc/entrance//'],
    ['GET', '/trpc/entrance//x'],
    ['POST', '/trpc/app//'],
    ['GET', '/trpc/entrance/x/entrance.rules'],
  ])('answer 404 to %s %s, and log no error', async (method, path) => {
    const { host } = new URL(service.origin);
    const headers = { 'Content-Type': 'application/json', Origin: `http://${host}`, Host: host };
    const [answer] = await say(service.origin, wire(method, path, { ...headers, Connection: 'close' }));
    expect(answer?.status).toBe(404);
    const { problem } = Refusal.parse(answer?.body).error.data;
    expect(problem).toMatchObject({ status: 404, code: 'not_found', request_id: answer?.headers.get('x-request-id') });
    expect(service.logged().filter(({ msg }) => msg === 'unexpected error')).toEqual([]);
  });

  it('answer to cookies that can’t be decoded as without them', async () => {
    const team = await aTeam(service);
    const { browser } = await aSignedInPerson(service, team);
    const [session = ''] = [...browser.cookies.keys()].filter((name) => name.endsWith('session_token'));
    for (const name of browser.cookies.keys()) browser.cookies.set(name, '%ff');
    expect(session).not.toBe('');
    for (const text of ['%ff', '%', 'a.%ff', '%00', '"']) {
      browser.cookies.set(session, text);
      expect((await browser.query('app/team.settings', {}, { team: team.id })).status).toBe(401);
      expect((await browser.query('entrance/entrance.who')).status).toBe(200);
    }
    expect(service.logged().filter(({ msg }) => msg === 'unexpected error')).toEqual([]);
  });

  it('answer 413 to a body that is too large', async () => {
    const { status, problem } = await problemAt(
      'entrance/entrance.signIn',
      JSON.stringify({ email: 'x'.repeat(limits.bodyBytes), password: 'x' }),
    );
    expect([status, problem['code'], problem['status']]).toEqual([413, 'bad_request', 413]);
  });

  it.each(['{', '', 'x', '"x"', '[]', 'null', '{"email":"a@example.com","password":"\\u0000"}', '{"email":"\\ud800"}'])(
    'answer 422 to %s',
    async (body) => {
      const { status, problem } = await problemAt('entrance/entrance.signIn', body);
      expect([status, problem['code']]).toEqual([422, 'validation_error']);
    },
  );

  it('name the invalid value, also an unknown key', async () => {
    const body = JSON.stringify({ email: 'no address', password: 'x', tenant_id: 'x' });
    const { problem } = await problemAt('entrance/entrance.signIn', body);
    expect(problem['errors']).toEqual([
      expect.objectContaining({ path: ['email'] }),
      expect.objectContaining({ path: ['tenant_id'] }),
    ]);
  });

  it('show only the request id for a bug, by which the operator finds it', async () => {
    const broken = await startTestService({ own: true });
    const team = await aTeam(broken);
    const { browser } = await aSignedInPerson(broken, team);
    await broken.database.prisma.$executeRawUnsafe('alter table "case" rename to former_case');
    if (isDistributed()) await closeCells(broken.databaseUrl); // their views follow the table
    const { status, text, problem } = await browser.query('app/ownCases.list', {}, { team: team.id });
    expect(status).toBe(500);
    expect(problem).toEqual({
      code: 'internal',
      status: 500,
      title: 'Unerwarteter Fehler',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(text).not.toMatch(/prisma|case|select|stack|node_modules|does not exist/i);
    expect(broken.logged()).toContainEqual(
      expect.objectContaining({
        request_id: problem['request_id'],
        msg: 'unexpected error',
        procedure: 'ownCases.list',
      }),
    );
    await broken.close();
  });

  it('answer 503 while the database is unavailable, and nobody is signed out by it', async () => {
    const { service: wired, wire, close } = await startWiredService();
    const team = await aTeam(wired);
    const { browser } = await aSignedInPerson(wired, team);
    await wire.close();
    for (const path of ['entrance/entrance.who', 'entrance/account.sessions', 'app/reference.limits']) {
      const { status, problem } = await browser.query(path, {}, { team: team.id });
      expect([path, status, problem['code']]).toEqual([path, 503, 'unavailable']);
      expect([...browser.cookies.keys()]).toEqual(['team.session_token', 'team.known_browser']);
    }
    await close().catch(() => undefined);
  });
});
