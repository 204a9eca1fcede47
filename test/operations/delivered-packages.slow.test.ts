import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bundledIn, collectLicenses } from '../../scripts/licenses/collect.ts';
import { nameAt, readLock, type Lock } from '../../scripts/licenses/lock-file.ts';
import { billOfMaterials, kinds } from '../../scripts/sbom/bill.ts';
import { makeClient } from '../support/client.ts';
import { filesMatching } from '../support/files-matching.ts';
import { useTestService } from '../support/service.ts';

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

const listedIn = async (list: 'licenses.txt' | (typeof kinds)[number]): Promise<string[]> => {
  if (list === 'licenses.txt') {
    const { status, headers, text } = await makeClient(service.origin).get('/licenses.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    return [...text.matchAll(/^-{80}\n(\S+ \S+)\nLicense: (\S+)\nIn: .*\n\n\S/gm)].map(([, label = '']) => label);
  }
  const bill = Components.parse(JSON.parse(await billOfMaterials(project, list)));
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
