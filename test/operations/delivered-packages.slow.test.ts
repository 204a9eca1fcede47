import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bundledIn, collectLicenses, licensesText } from '../../scripts/licenses/collect.ts';
import { nameAt, readLock, type Lock } from '../../scripts/licenses/lock-file.ts';
import { billOfMaterials, kinds } from '../../scripts/sbom/bill.ts';
import { makeClient } from '../support/client.ts';
import { filesMatching } from '../support/files-matching.ts';
import { useTestService } from '../support/service.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

// The packages that are delivered, by what npm itself notes in the lock file: `dev` and `devOptional` for packages that
// an installation without development leaves out, `optional` for those of other platforms.

const service = await useTestService();
const project = process.cwd();
const lock = readLock(project);
const locked = Object.entries(lock).filter(([path]) => path !== '');
const labelOf = (name: string, version: string) => `${name} ${version}`;
const labels = (wanted: (one: (typeof locked)[number][1]) => boolean) =>
  new Set(locked.filter(([, one]) => wanted(one)).map(([path, one]) => labelOf(nameAt(path, one), one.version)));
const production = labels(({ dev, devOptional, optional }) => !dev && !devOptional && !optional);
const optional = labels((one) => one.optional);
const ofDevelopment = labels(({ dev, devOptional }) => dev || devOptional);

/** What Vite has put into the app's files. */
const bundled = bundledIn('dist/web').map(({ name, version }) => labelOf(name, version));

/** The packages that the app's own files import. */
const importedByApp = new Set<string>();
for await (const file of filesMatching('src/web/**/*.{ts,tsx}', ['**/*.config.ts', '**/*.d.ts'])) {
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|\}) (?!type )(?:[^\n]* )?(?:from )?'([^'.][^']*)'/gm);
  for (const [, name = ''] of imports) importedByApp.add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
}

const Components = z.object({
  components: z.array(
    z.object({ name: z.string(), version: z.string(), purl: z.string(), licenses: z.array(z.unknown()).min(1) }),
  ),
  metadata: z.object({ component: z.object({ name: z.string(), type: z.string() }) }),
});

type Kind = (typeof kinds)[number];
const bills = new Map<Kind, Promise<string>>();

/** npm takes seconds for it. */
const billOf = (kind: Kind): Promise<string> => {
  const bill = bills.get(kind) ?? billOfMaterials(project, kind);
  bills.set(kind, bill);
  return bill;
};

const listedIn = async (list: 'licenses.txt' | Kind): Promise<string[]> => {
  if (list === 'licenses.txt') {
    const { status, headers, text } = await makeClient(service.origin).get('/licenses.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    return [...text.matchAll(/^-{80}\n(\S+ \S+)\nLicense: (\S+)\nIn: .*\n\n\S/gm)].map(([, label = '']) => label);
  }
  const bill = Components.parse(JSON.parse(await billOf(list)));
  expect(bill.metadata.component).toEqual({ name: 'team-customer-api', type: 'application' });
  return bill.components.map(({ name, version }) => labelOf(name, version));
};

describe.each(['licenses.txt', ...kinds] as const)('the packages in %s', (list) => {
  it('are those of production in package-lock.json and those in the app, each once, and no others', async () => {
    const listed = await listedIn(list);
    expect(new Set(listed).size).toBe(listed.length);
    const missing = [...production].filter((label) => !listed.includes(label));
    expect(missing).toEqual([]);
    const others = listed.filter((label) => !production.has(label));
    const inApp = others.filter((label) => !optional.has(label));
    expect(inApp.toSorted()).toEqual(bundled.filter((label) => !production.has(label)).toSorted());
    expect(inApp.filter((label) => !ofDevelopment.has(label))).toEqual([]);
    // Those for a platform are installed beside the image, not in it.
    const forPlatforms = others.filter((label) => optional.has(label)).map((label) => label.split(' ')[0]);
    if (list === 'image') expect(forPlatforms).toEqual([]);
    else expect(forPlatforms).toEqual(expect.arrayContaining(Object.keys(lock['']?.optionalDependencies ?? {})));
    const names = new Set(listed.map((label) => label.split(' ')[0]));
    expect([...importedByApp].filter((name) => !names.has(name))).toEqual([]);
    expect(importedByApp.size).toBeGreaterThan(10);
  });
});

const none = {
  dependencies: {},
  optionalDependencies: {},
  peerDependencies: {},
  peerDependenciesMeta: {},
  dev: false,
  devOptional: false,
  optional: false,
};

/** A lock file with a package that the project needs, and another one. */
const aLock = ({ license, needed }: { license: string | undefined; needed: boolean }): Lock => ({
  '': { ...none, version: '1.0.0', dependencies: { first: '1.0.0' } },
  'node_modules/first': { ...none, license: 'MIT', version: '1.0.0', dependencies: needed ? { second: '2.0.0' } : {} },
  'node_modules/second': { ...none, license, version: '2.0.0' },
});

describe.each([
  ['that the service needs', true],
  ['that is in the app alone', false],
])('the license of a package %s', (_which, needed) => {
  const complaintsOf = (license: string | undefined) =>
    collectLicenses(aLock({ license, needed }), needed ? [] : [{ name: 'second', version: '2.0.0' }]).complaints;

  it.each([
    ['GPL-3.0-only', 'second 2.0.0 has the license GPL-3.0-only, which is not allowed yet'],
    ['UNLICENSED', 'second 2.0.0 has the license UNLICENSED, which is not allowed yet'],
    ['(MIT OR GPL-3.0-only)', 'second 2.0.0 has the license (MIT OR GPL-3.0-only), which is not allowed yet'],
    [undefined, 'second 2.0.0 names no license'],
  ])('%s is refused with the name of the package', (license, complaint) => {
    expect(complaintsOf(license)).toEqual([complaint]);
  });

  it('MIT is accepted', () => expect(complaintsOf('MIT')).toEqual([]));
});

it('a package of development may have any license', () => {
  expect(collectLicenses(aLock({ license: 'GPL-3.0-only', needed: false }), [])).toMatchObject({
    complaints: [],
    packages: [{ name: 'first', version: '1.0.0', license: 'MIT', places: ['service'] }],
  });
});

it('a package in the app that package-lock.json does not have is refused', () => {
  const { complaints } = collectLicenses(aLock({ license: 'MIT', needed: true }), [
    { name: 'second', version: '3.0.0' },
  ]);
  expect(complaints).toEqual(['second 3.0.0 is in the app, but not in package-lock.json']);
});

it('licenses.txt has the text of every license that its package has', async () => {
  const { text } = await makeClient(service.origin).get('/licenses.txt');
  for (const name of ['express', 'react', '@fontsource-variable/inter']) {
    const file = readFileSync(join(project, 'node_modules', name, 'LICENSE'), 'utf8').trim();
    expect(text, name).toContain(file);
  }
});

describe('in licenses.txt a package', () => {
  const textWith = (files: Record<string, string>): string => {
    const folder = throwAwayFolder();
    const path = 'node_modules/first';
    mkdirSync(join(folder, path), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, path, name), content);
    return licensesText(folder, [
      { name: 'first', version: '1.0.0', license: 'Apache-2.0', places: ['service'], path },
    ]);
  };

  it.each(['LICENSE', 'LICENCE', 'License.md', 'license-apache-2.0.txt', 'LICENSE.third-party', 'COPYING', 'NOTICE'])(
    'with %s has the text of it',
    (name) => {
      expect(textWith({ [name]: 'The text.\n' })).toContain('License: Apache-2.0\nIn: service\n\nThe text.\n');
    },
  );

  it('has the texts of all its licenses, and the notice that Apache asks for', () => {
    const text = textWith({
      'README.md': 'Read me',
      'LICENSE-MIT': 'MIT',
      'LICENSE-APACHE': 'Apache',
      'NOTICE.txt': 'By us',
    });
    expect(text).toContain('\n\nApache\n\nMIT\n\nBy us\n');
    expect(text).not.toContain('Read me');
  });

  it('without a text says so', () => {
    expect(textWith({ 'README.md': 'Read me' })).toContain('The package has no file with the text of its license.');
  });
});

describe('npm run licenses', () => {
  /** Runs the command in a project with one package, which the service needs. */
  const run = (license: string) => {
    const folder = throwAwayFolder();
    const write = (path: string, content: object) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), JSON.stringify(content));
    };
    cpSync('scripts/licenses', join(folder, 'scripts', 'licenses'), { recursive: true });
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
    write('package.json', { type: 'module' });
    write('dist/web/.vite/licenses.json', []);
    const packages = {
      '': { version: '1.0.0', dependencies: { first: '1.0.0' } },
      'node_modules/first': { version: '1.0.0', license },
    };
    write('package-lock.json', { packages });
    return new Promise<{ code: number; err: string; isWritten: boolean }>((resolve) => {
      const program = join(folder, 'scripts', 'licenses', 'main.ts');
      execFile(process.execPath, [program, 'write'], (error, _out, err) => {
        const isWritten = existsSync(join(folder, 'dist', 'web', 'licenses.txt'));
        resolve({ code: Number(error?.code ?? 0), err, isWritten });
      });
    });
  };

  it('fails for a license that is not allowed, and writes no list', async () => {
    const { code, err, isWritten } = await run('GPL-3.0-only');
    expect([code, isWritten]).toEqual([1, false]);
    expect(err).toBe('first 1.0.0 has the license GPL-3.0-only, which is not allowed yet\n');
  });

  it('writes the list otherwise', async () => {
    expect(await run('MIT')).toEqual({ code: 0, err: '', isWritten: true });
  });
});

describe.each(kinds)('the bill of materials of the %s', (kind) => {
  const Graph = z.object({
    metadata: z.object({ component: z.object({ 'bom-ref': z.string() }) }),
    components: z.array(z.object({ 'bom-ref': z.string(), name: z.string() })),
    dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
  });

  it('says of every package which one needs it, from the service on', async () => {
    const { metadata, components, dependencies } = Graph.parse(JSON.parse(await billOf(kind)));
    const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const names = new Map(components.map((one) => [one['bom-ref'], one.name]));
    const root = metadata.component['bom-ref'];
    const reached = new Set<string>();
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of needs.get(ref) ?? []) visit(next);
    };
    visit(root);
    expect(components.filter((one) => !reached.has(one['bom-ref'])).map(({ name }) => name)).toEqual([]);
    expect([...reached].filter((ref) => ref !== root && !names.has(ref))).toEqual([]);
    const direct = (needs.get(root) ?? []).map((ref) => names.get(ref));
    expect(direct).toEqual(expect.arrayContaining(Object.keys(lock['']?.dependencies ?? {})));
  });
});
