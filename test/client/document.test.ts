import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listenCommand } from '../../src/packages/client/cli/listen.ts';
import { makePrinter } from '../../src/packages/client/cli/renew-print.ts';
import { renewCommand } from '../../src/packages/client/cli/renew.ts';
import { verifyCommand } from '../../src/packages/client/cli/verify.ts';
import { operationsOf, readDocument } from '../../scripts/openapi/document.ts';
import { methods } from '../../scripts/client/methods.ts';
import { writePythonResources } from '../../scripts/client/write-python-resources.ts';
import { inSnakeCase, writePythonTypes } from '../../scripts/client/write-python-types.ts';
import { writeResources } from '../../scripts/client/write-resources.ts';
import { writeTypes } from '../../scripts/client/write-types.ts';

const execute = promisify(execFile);

describe('the code generated from the API’s document', () => {
  it('is up to date', async () => {
    const document = await readDocument();
    for (const [file, text] of [
      ['types.ts', writeTypes(document)],
      ['resources.ts', writeResources(document)],
    ] as const) {
      const path = `src/packages/client/generated/${file}`;
      const formatted = execute('node_modules/.bin/oxfmt', ['--stdin-filepath', path]);
      formatted.child.stdin?.end(text);
      expect((await formatted).stdout, 'npm run openapi').toBe(await readFile(path, 'utf8'));
    }
  });

  it('is up to date for Python', async () => {
    const document = await readDocument();
    const folder = 'src/packages/client-py/team_customer_api_client';
    expect(writePythonTypes(document), 'npm run openapi').toBe(await readFile(`${folder}/types.py`, 'utf8'));
    expect(writePythonResources(document), 'npm run openapi').toBe(await readFile(`${folder}/_resources.py`, 'utf8'));
  });

  it('has a method for each route, and refuses a route without one', async () => {
    const document = await readDocument();
    expect(new Set(Object.values(methods)).size).toBe(Object.keys(methods).length);
    expect(Object.keys(methods).toSorted()).toEqual(
      operationsOf(document)
        .map(([route]) => route)
        .toSorted(),
    );
    const [operation] = Object.values(document.paths['/me'] ?? {});
    const withAnother = {
      ...document,
      paths: { ...document.paths, ...(operation && { '/another': { get: operation } }) },
    };
    for (const write of [writeResources, writePythonResources])
      expect(() => write(withAnother)).toThrow('GET /another has no method');
  });

  const commands: Readonly<Record<string, { help: string }>> = {
    listen: listenCommand,
    verify: verifyCommand,
    renew: renewCommand,
  };

  const guides = [
    'src/packages/client/README.md',
    'src/server/developers/pages/en/tools.md',
    'src/server/developers/pages/de/tools.md',
  ];

  it.each(guides)('can be installed by %s', async (file) => {
    expect(await readFile(file, 'utf8')).toMatch(
      /^npm install (?:\{\{public_url\}\}|https:\/\/training\.example\.com)\/developers\/client\.tgz$/m,
    );
  });

  it.each([
    ...guides,
    'src/server/developers/pages/en/webhook-testing.md',
    'src/server/developers/pages/de/webhook-testing.md',
  ])('can be called by %s', async (file) => {
    const guide = await readFile(file, 'utf8');
    const calls = [...guide.matchAll(/^npx team-customer-api-client (listen|verify|renew)(.*)$/gm)];
    expect(calls.length).toBeGreaterThan(1);
    for (const [, name, options = ''] of calls) {
      const { help } = commands[name ?? ''] ?? expect.unreachable();
      for (const [option] of options.matchAll(/--[\w-]+/g)) expect(help).toContain(`  ${option}`);
    }
  });

  it.each(guides.slice(1))('can be installed for Python by %s', async (file) => {
    expect(await readFile(file, 'utf8')).toMatch(
      /^pip install \{\{public_url\}\}\/developers\/client-py\/\{\{client_wheel\}\}$/m,
    );
  });

  it.each(guides.slice(1))('prints the steps of a renewal as %s shows', async (file) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    const print = makePrinter(false);
    const answered = { step: 'answered', error: null } as const;
    print({ step: 'checked', event_id: 'evt_…', accepts_old_secret: true });
    print({ step: 'created', endpoint_id: '…', secret: 'whsec_…' });
    print({ ...answered, secret: 'old', response_code: 204 });
    print({ ...answered, secret: 'new', response_code: 400 });
    print({ ...answered, secret: 'new', response_code: 204 });
    print({ step: 'deleted', endpoint_id: '…' });
    const printed = log.mock.calls.flat().join('\n');
    expect(await readFile(file, 'utf8')).toContain(`\n\`\`\`\n${printed}\n\`\`\`\n`);

    log.mockClear();
    print({ ...answered, secret: 'new', response_code: null, error: 'No \u001B[2Jconnection.' });
    print({ step: 'checked', event_id: 'evt_…', accepts_old_secret: false });
    print({ step: 'recovered', since: '2026-11-20T10:00:00.000Z', events: 3 });
    expect(log.mock.calls.flat()).toEqual([
      'new secret: No \uFFFD[2Jconnection.',
      expect.stringContaining('could not be checked'),
      expect.stringContaining('3 events since 2026-11-20T10:00:00.000Z'),
    ]);
  });

  it.each([
    ['TypeScript', 'src/packages/client/README.md', (method: string) => method],
    ['Python', 'src/packages/client-py/README.md', inSnakeCase],
  ])('lists every method in the guide for %s', async (_language, file, nameOf) => {
    const guide = await readFile(file, 'utf8');
    const documented = [...guide.matchAll(/^\| `([\w.]+)` +\| (.*?) *\|$/gm)].flatMap(([, resource = '', list = '']) =>
      [...list.matchAll(/`(\w+)`/g)].map(([, method = '']) => (resource === 'api' ? method : `${resource}.${method}`)),
    );
    const routes = operationsOf(await readDocument()).map(([route]) => route);
    expect(routes.filter((route) => !documented.includes(nameOf(methods[route] ?? '')))).toEqual([]);
  });
});
