import { describe, expect, it, onTestFinished } from 'vitest';
import { languages } from '../../src/core/language.ts';
import { inTheApp } from '../support/app-caller.ts';
import { makeClient } from '../support/client.ts';
import { startTestService, useTestService, type TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  makeClient(service.origin).request(method, path, { headers });

/** The links of an HTML page, and the ids in it that links can refer to. */
const linksIn = (html: string) =>
  [...html.matchAll(/ (?:href|src|action)="([^"]+)"/g)].flatMap(([, href]) => href ?? []);
const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].flatMap(([, id]) => id ?? []));

describe('the documentation', () => {
  it('has no broken link, in HTML, in Markdown, and in the files for programs', async () => {
    const origin = service.origin;
    const publicUrl = service.platform.publicUrl;
    const seen = new Map<string, { ids: Set<string>; status: number }>();
    const broken: string[] = [];
    const waiting: [from: string, to: string][] = [
      ['', '/developers'],
      ['', '/developers/en'],
      ['', '/developers/de'],
      ['', '/llms.txt'],
      ['', '/sitemap.xml'],
    ];
    const note = (from: string, href: string) => {
      const url = new URL(href.replaceAll('&amp;', '&').replace(publicUrl, origin), `${origin}${from}`);
      if (url.origin === origin) waiting.push([from, `${url.pathname}${url.search}${decodeURIComponent(url.hash)}`]);
    };
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [from, to] = next;
      const [path = '', anchor] = to.split('#');
      if (!seen.has(path)) {
        const ours = path.startsWith('/developers') || path === '/llms.txt' || path === '/sitemap.xml';
        // A page of the app is asked for as by a browser.
        const answer = await get(path, { Accept: ours ? '*/*' : 'text/html' });
        seen.set(path, { status: answer.status, ids: idsIn(answer.text) });
        const type = answer.headers.get('content-type') ?? '';
        if (ours && type.startsWith('text/html')) for (const href of linksIn(answer.text)) note(path, href);
        if (ours && /markdown|plain/.test(type) && !path.includes('/examples/'))
          for (const [, href] of answer.text.matchAll(/\]\(([^)\s]+)\)/g)) if (href !== undefined) note(path, href);
        if (path === '/sitemap.xml')
          for (const [, href] of answer.text.matchAll(/<loc>([^<]+)/g)) if (href !== undefined) note(path, href);
      }
      const target = seen.get(path);
      const asksForPlace =
        anchor !== undefined && anchor !== '' && path.startsWith('/developers') && !path.endsWith('.md');
      if (target?.status !== 200 || (asksForPlace && !target.ids.has(anchor))) broken.push(`${from} → ${to}`);
    }
    expect([...new Set(broken)]).toEqual([]);
    expect(seen.size).toBeGreaterThan(60);
  });

  it.each(languages)('is in %s at its own URL, whatever the client prefers', async (language) => {
    const page = await get(`/developers/${language}/quick-start`, {
      'Accept-Language': language === 'de' ? 'en' : 'de',
    });
    expect(page.headers.get('content-language')).toBe(language);
    expect(page.text).toContain(`<html lang="${language}">`);
    expect(page.text).toContain('hreflang="de"');
    expect(page.text).toContain('hreflang="en"');
    const negotiated = await get('/developers/quick-start', { 'Accept-Language': language });
    expect(negotiated.text).toBe(page.text);
    expect(negotiated.headers.get('vary')).toContain('Accept-Language');
  });

  it('is Markdown at .md and with Accept: text/markdown, HTML for browsers and everybody else', async () => {
    const asFile = await get('/developers/en/webhooks.md');
    const negotiated = await get('/developers/en/webhooks', { Accept: 'text/markdown, text/html;q=0.5' });
    expect(asFile.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(negotiated.text).toBe(asFile.text);
    expect(asFile.text).toMatch(/^# Webhooks\n/);
    expect(asFile.text).toContain('/developers/en/webhook-signatures.md');
    for (const Accept of ['*/*', 'text/html,application/xhtml+xml,*/*;q=0.8'])
      expect((await get('/developers/en/webhooks', { Accept })).headers.get('content-type')).toContain('text/html');
  });

  it('answers HEAD as GET, without the content', async () => {
    for (const path of ['/developers', '/developers/de/errors.md', '/llms.txt', '/robots.txt']) {
      const [head, whole] = [await get(path, {}, 'HEAD'), await get(path)];
      expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', whole.headers.get('etag')]);
    }
  });

  it('allows no inline script or style, no external resources, and no frame', async () => {
    for (const path of [
      '/developers/en/reference/assignments',
      '/developers/en/search?q=x',
      '/developers/en/nothing',
    ]) {
      const { headers, text } = await get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|http|data:|\*/);
      expect(text).not.toMatch(/<style| style=| on\w+="|<script(?! src="\/developers\/assets\/)/);
      for (const [, source] of text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g))
        expect(new URL(source ?? '', service.origin).origin).toBeOneOf([service.origin, service.platform.publicUrl]);
    }
  });

  it.each([
    '/developers/nothing',
    '/developers/en/reference/nothing',
    '/developers/fr/errors',
    '/developers/en/errors/',
    '/developers/examples/..%2Ffacts.ts',
    '/developers/assets/site.css',
  ])('%s is a friendly 404', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.text).toContain('/developers/de');
  });

  it('finds by server-side search, as a page and as JSON, and shows the query as text', async () => {
    const page = await get('/developers/en/search?q=idempotency');
    expect(page.text).toContain('href="/developers/en/idempotency');
    const json = await get('/developers/de/search?q=Zustellung', { Accept: 'application/json' });
    expect(json.body['hits']).toContainEqual(expect.objectContaining({ path: 'webhooks' }));
    const hostile = await get(`/developers/en/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(hostile.text).toContain('&lt;script&gt;');
    expect(hostile.text).not.toContain('<script>');
    for (const query of ['', '?q', '?q=', '?q[]=x', '?q=%zz', `?q=${'a'.repeat(5000)}`])
      expect((await get(`/developers/en/search${query}`)).status).toBe(200);
  });

  it('tells programs where everything is', async () => {
    const llms = await get('/llms.txt');
    expect(llms.text).toMatch(/^# .+\n\n> /);
    expect(llms.text.length).toBeLessThan(50_000);
    const [, , list = ''] = /^([^]*?)(\n## [^]*)$/.exec(llms.text) ?? [];
    for (const line of list.split('\n').filter((line) => line !== ''))
      expect(line).toMatch(/^## \S|^- \[.+\]\(http\S+\.md\): \S/);
    const full = await get('/llms-full.txt');
    expect(full.text).toContain('# Quick start');
    expect(full.text).toContain('# Assignments');
    expect((await get('/robots.txt')).text).toContain('Sitemap: ');
    expect((await get('/sitemap.xml')).text).toContain('/developers/de/reference/assignments</loc>');
  });

  it('offers the examples for download, as the pages show them', async () => {
    const page = await get('/developers/en/quick-start.md');
    const file = await get('/developers/examples/receiver.mjs');
    expect(file.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(page.text).toContain(file.text);
    expect((await get('/developers/examples/verify-webhook.mts')).text).toContain('verifyWebhook');
    expect(JSON.parse((await get('/developers/examples/webhook-test-vectors.json')).text)).toHaveProperty('vectors');
    const collection = await get('/developers/examples/team-customer-api.postman_collection.json');
    expect(JSON.parse(collection.text)).toHaveProperty('item');
    expect((await get('/developers/examples/workflows.arazzo.yaml')).text).toMatch(/^arazzo: /);
  });
});

describe('the addresses from which webhooks come', () => {
  const file = '/developers/webhook-source-addresses.json';
  const read = async ({ origin }: TestService) => {
    const answer = await fetch(`${origin}${file}`);
    const pages = await Promise.all(
      languages.map(async (language) => (await fetch(`${origin}/developers/${language}/webhooks.md`)).text()),
    );
    return { type: answer.headers.get('content-type'), json: await answer.json(), pages };
  };

  it('are on the page, in the app and in a file, if the operator has given them', async () => {
    const own = await startTestService({
      environment: { WEBHOOK_SOURCE_ADDRESSES: '203.0.113.7, 2001:db8::/48' },
    });
    onTestFinished(() => own.close());
    const addresses = ['203.0.113.7', '2001:db8::/48'];
    const { type, json, pages } = await read(own);
    expect([type, json]).toEqual(['application/json; charset=utf-8', { addresses }]);
    for (const page of pages) expect(page).toContain('`203.0.113.7`, `2001:db8::/48`');
    const { webhooks } = await (await inTheApp(await aTeam(own))).reference.limits({});
    expect(webhooks.source_addresses).toEqual(addresses);
  });

  it('are null in the file otherwise, and the page says so', async () => {
    const { json, pages } = await read(service);
    expect(json).toEqual({ addresses: null });
    expect(pages[0]).toContain('keine festen Adressen');
    expect(pages[1]).toContain('no fixed addresses');
  });
});
