import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { listenCommand } from '../../src/packages/client/cli/listen.ts';
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
    const calls = [...guide.matchAll(/^npx team-customer-api-client (listen|verify)(.*)$/gm)];
    expect(calls.length).toBeGreaterThan(1);
    for (const [, name, options = ''] of calls) {
      const { help } = name === 'listen' ? listenCommand : verifyCommand;
      for (const [option] of options.matchAll(/--[\w-]+/g)) expect(help).toContain(`  ${option}`);
    }
  });

  it.each(guides.slice(1))('can be installed for Python by %s', async (file) => {
    expect(await readFile(file, 'utf8')).toMatch(
      /^pip install \{\{public_url\}\}\/developers\/client-py\/\{\{client_wheel\}\}$/m,
    );
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
