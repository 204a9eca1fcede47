import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { languages, type Language } from '../../src/core/language.ts';
import { problemCodes } from '../../src/core/problem.ts';
import { allScopes } from '../../src/core/scopes.ts';
import { makeBook } from '../../src/server/developers/documentation.ts';
import { writtenPages } from '../../src/server/developers/contents.ts';
import { factsOf } from '../../src/server/developers/facts.ts';
import { hasGerman } from '../../src/server/developers/german.ts';
import { render } from '../../src/server/developers/markdown.ts';
import { tagsOf } from '../../src/server/developers/openapi.ts';
import { makeSearch } from '../../src/server/developers/search.ts';
import { bodySchemaOf, dataOf } from '../../src/modules/events/payloads.ts';
import { allEventTypes, sentTypes } from '../../src/core/events.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { allTools } from '../../src/server/mcp/protocol.ts';
import { openApiDocument } from '../../src/server/rest/openapi-document.ts';
import { eventHeaders } from '../../src/server/rest/openapi-webhooks.ts';

const publicUrl = 'https://api.example.com';
const document = () => openApiDocument(publicRouter, publicUrl);
const surroundings = {
  publicUrl,
  retirement: undefined,
  retrySeconds: [60, 7200],
  attemptsPerEndpoint: 5,
  anonymousPerMinute: 60,
  webhookSources: null,
  retentionDays: 17,
  teamDeletionDays: 23,
  securityContacts: [],
  document,
  tools: allTools,
};
const book = makeBook(surroundings);
const allPages = languages.flatMap((language) => book.paths().flatMap((path) => book.page(path, language) ?? []));
const source = (language: string, path: string) =>
  readFileSync(`src/server/developers/pages/${language}/${path}.md`, 'utf8');

describe('the pages', () => {
  it('name the arguments of each tool for assistants', () => {
    for (const language of languages) {
      const text = book.page('assistants', language)?.markdown ?? '';
      const rows = text.slice(text.indexOf('\n### Argument'));
      for (const { name, inputSchema } of allTools) {
        const row = rows.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
        const named = [...row.matchAll(/(?<=[|,] )`(\w+)`/g)].map(([, argument]) => argument);
        const { properties } = z.object({ properties: z.record(z.string(), z.unknown()) }).parse(inputSchema);
        expect(
          Object.keys(properties).filter((argument) => !named.includes(argument)),
          name,
        ).toEqual([]);
      }
    }
    expect(book.page('assistants', 'en')?.markdown).toContain('`limit` (1 to 5; by default `3`)');
  });

  it('are all in the contents, in both languages', () => {
    for (const language of languages)
      expect(readdirSync(`src/server/developers/pages/${language}`).sort()).toEqual(
        writtenPages.map((path) => `${path}.md`).sort(),
      );
  });

  it.each(writtenPages)('%s: has the same sections and facts in both languages', (path) => {
    const shape = (language: string) => {
      const text = source(language, path);
      return {
        headings: [...text.matchAll(/^#+ /gm)].map(([mark]) => mark),
        facts: [...text.matchAll(/\{\{[^}]+\}\}/g)].map(([fact]) => fact).sort(),
        code: [...text.matchAll(/^```.*$/gm)].length,
      };
    };
    expect(shape('de')).toEqual(shape('en'));
    expect(source('de', path)).not.toBe(source('en', path));
  });

  it('have no unresolved placeholder, and no two headings of a page with the same anchor', () => {
    for (const { path, language, html, markdown, headings } of allPages) {
      const page = `${language}/${path}`;
      expect(html, page).not.toMatch(/\{\{[a-z]| \{#\w/);
      expect(markdown, page).not.toMatch(/\{\{[a-z]| \{#\w/);
      expect(new Set(headings.map(({ id }) => id)).size, page).toBe(headings.length);
    }
  });

  it('have absolute links in Markdown, and show the anchor of every link between them, as a heading or in HTML', () => {
    const slugOf = (heading: string) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_.-]/gu, '')
        .trim()
        .replaceAll(/\s+/g, '-');
    const missing: string[] = [];
    for (const language of languages) {
      for (const path of book.paths()) {
        const text = book.page(path, language)?.markdown ?? '';
        for (const [relative] of text.matchAll(/\]\([\w/-]+\.md[^)]*\)/g))
          missing.push(`${language}/${path}: ${relative}`);
        const links = [
          ...text.matchAll(/\]\((?:https:\/\/api\.example\.com\/developers\/\w\w\/([\w/-]+)\.md)?#([^)]+)\)/g),
        ];
        for (const [, target = path, anchor = ''] of links) {
          const there = book.page(target, language)?.markdown ?? '';
          const headings = [...there.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slugOf(heading));
          if (!there.includes(`<a id=${anchor}></a>`) && !headings.includes(decodeURIComponent(anchor)))
            missing.push(`${language}/${path} → ${target}#${anchor}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });

  it('have typographic apostrophes and quotation marks, except in code', () => {
    for (const { path, language, markdown } of allPages) {
      const prose = markdown.replaceAll(/^ *```.*?^ *```$|`[^`]*`|<!--.*?-->/gms, '');
      expect(prose, `${language}/${path}`).not.toMatch(/['"]/);
    }
  });

  it('fail for an unknown fact', () => {
    const expand = factsOf(surroundings, () => []);
    expect(() => expand('{{nothing}}', 'en')).toThrow('{{nothing}}');
    expect(() => expand('{{number limits.nothing}}', 'en')).toThrow('limits.nothing');
    expect(() => expand('{{example nothing.mjs}}', 'en')).toThrow('nothing.mjs');
    expect(() => expand('{{event_example nothing}}', 'en')).toThrow('nothing');
  });

  it('show HTML in a text as text', () => {
    const { html } = render(
      '# <b>x</b>\n\n<script>alert(1)</script> [x](javascript:alert(1))\n\n`<i>`\n\n```js\n"<u>"\n```',
      'en',
    );
    expect(html).not.toMatch(/<(b|script|i|u)>/);
  });
});

describe('the facts on the pages', () => {
  const html = (path: string, language: 'de' | 'en' = 'en') => book.page(path, language)?.html ?? '';

  it('has every scope, error code, event, header and operation', () => {
    for (const scope of allScopes) expect(html('authentication')).toContain(`<code>${scope}</code>`);
    for (const code of problemCodes) expect(html('errors')).toContain(`id="${code}"`);
    for (const type of [...allEventTypes, 'ping']) expect(html('webhook-events')).toContain(`<h3 id="${type}">`);
    for (const { name } of Object.values(eventHeaders))
      expect(html('webhook-signatures')).toContain(`<code>${name}</code>`);
    for (const { openapi } of operationsOf(publicRouter))
      expect(html('reference')).toContain(`<code>${openapi.method} ${openapi.path}</code>`);
  });

  it('include the configured limits and schedule', () => {
    expect(html('webhooks')).toContain('after 1 min and 2 h,');
    expect(html('webhooks')).toContain('3 attempts in about 2 hours');
    expect(html('webhooks')).toContain('kept for 17 days');
    expect(html('webhooks')).toContain('At most 5 requests');
    expect(html('limits')).toContain('<td data-column="At most">256 KiB</td>');
    expect(html('limits', 'de')).toContain('20.000 Zeichen');
    expect(html('webhooks', 'de')).toContain('nach 1 min und 2 h noch einmal');
  });

  it('describes every operation with its scope, its fields and an example', () => {
    const tags = tagsOf(document());
    expect(tags.flatMap(({ operations }) => operations)).toHaveLength(operationsOf(publicRouter).length);
    const text = book.page('reference/assignments', 'en')?.markdown ?? '';
    expect(text).toContain('`POST /assignments`');
    expect(text).toContain('`assignments:write`');
    expect(text).toContain('| `member_id` *required* |');
    expect(text).toContain('"situation_id": "');
    expect(text).toContain('[`vorgabe_gesperrt`](https://api.example.com/developers/en/errors.md#vorgabe_gesperrt)');
  });

  it('names on the page Tools what each workflow takes besides the key', () => {
    const workflows = readFileSync('docs/workflows.arazzo.yaml', 'utf8').split('- workflowId: ').slice(1);
    expect(workflows.length).toBe(3);
    for (const workflow of workflows) {
      const name = workflow.split('\n')[0];
      const [, required = ''] = /required: \[apiKey, (.*)\]/.exec(workflow) ?? [];
      expect(required).not.toBe('');
      for (const language of languages) {
        const row = source(language, 'tools')
          .split('\n')
          .find((line) => line.startsWith(`| \`${name}\``));
        for (const input of required.split(', ')) expect(row, name).toContain(`\`${input}\``);
      }
    }
  });

  it('has a German title for each page of the reference', () => {
    const titles = (language: Language) =>
      book
        .navigation(language)
        .flatMap(({ items }) => items)
        .filter(({ path }) => path.startsWith('reference/'));
    const english = new Map(titles('en').map(({ path, title }) => [path, title]));
    const same = titles('de').filter(({ path, title }) => english.get(path) === title);
    expect(same.map(({ title }) => title).toSorted()).toEqual(['CRM', 'Exports', 'Trainings']);
    expect(book.page('reference/webhook-endpoints', 'de')?.markdown).toMatch(/^# Webhook-Endpunkte\n/);
  });

  it('shows the type of every field of an event, and the values that it may have', () => {
    for (const language of languages) {
      const rows = (book.page('webhook-events', language)?.markdown ?? '').match(/^\| `.*\|$/gm) ?? [];
      expect(rows.length).toBeGreaterThan(30);
      for (const row of rows) expect(row).toMatch(/^\| `\w+` \| \S.* \| \S.* \|$/);
    }
    expect(book.page('webhook-events', 'en')?.markdown).toContain('| `source` | `app`, `phone`, `api` |');
    expect(book.page('webhook-events', 'de')?.markdown).toContain(
      '| `status` | `open`, `in_progress`, `done`, `revoked` |',
    );
  });

  it('has a German text for every description of an event and a header', () => {
    const described = sentTypes
      .flatMap((type) => [bodySchemaOf(type), dataOf(type)])
      .flatMap((schema) => Object.values(schema.shape).map((field) => field.meta()?.description ?? ''));
    const headers = Object.values(eventHeaders).map(({ description }) => description);
    expect([...described, ...headers].filter((text) => text !== '' && !hasGerman(text))).toEqual([]);
  });
});

describe('the search', () => {
  const search = makeSearch(book);

  it.each([
    ['retry', 'en', 'webhooks'],
    ['idempotency-key', 'en', 'idempotency'],
    ['Zustellung', 'de', 'webhooks'],
    ['rate_limited', 'de', 'errors'],
    ['GET /assignments', 'en', 'reference/assignments'],
    ['pagnation', 'en', 'pagination'],
    ['SSO', 'en', 'company-account'],
    ['single sign', 'de', 'company-account'],
  ] as const)('finds %s in %s on the page %s', async (query, language, path) => {
    expect((await search(query, language)).map((hit) => hit.path)).toContain(path);
  });

  it.each([
    ['Firmenkonto', 'de', 'company-account', ''],
    ['company account', 'en', 'company-account', ''],
    ['headers of your own', 'en', 'webhooks', 'headers-of-your-own'],
  ] as const)('lists what is called %s in %s first', async (query, language, path, anchor) => {
    expect((await search(query, language))[0]).toMatchObject({ path, anchor });
  });

  it('marks the words in the excerpt, whichever case they have', async () => {
    const hits = await search('Idempotency', 'en');
    expect(hits.some(({ excerpt }) => excerpt.length > 1)).toBe(true);
    for (const { excerpt } of hits) {
      const [plain = [], marked = []] = [0, 1].map((odd) => excerpt.filter((_, at) => at % 2 === odd));
      expect(marked.filter((part) => !/idempoten/i.test(part))).toEqual([]);
      expect(plain.filter((part) => /idempotency/i.test(part))).toEqual([]);
    }
  });

  it('finds nothing for an empty text, and accepts any text', async () => {
    for (const query of ['', '   ', '"', '(((', 'x'.repeat(10_000), '\u{0}', 'zzzzqqqq'])
      expect(await search(query, 'en')).toEqual([]);
  });
});
