import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { nameAt, productionPaths, type Lock } from './lock-file.ts';

// The licenses of the packages that are in the service, and of those whose code or font is in the built app.

/** Licenses that only ask to be named. Any other one is read by a person before it is added here. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Python-2.0',
]);

export interface Bundled {
  readonly name: string;
  readonly version: string;
}

export interface Licensed extends Bundled {
  readonly license: string;
  /** Where it is: in the service, in the app's files, or in both. */
  readonly places: readonly ('service' | 'app')[];
  /** Its folder below the project. */
  readonly path: string;
}

const labelOf = ({ name, version }: Bundled): string => `${name} ${version}`;

/** What Vite has put into the files of the built app. */
export const bundledIn = (built: string): Bundled[] =>
  z
    .array(z.object({ name: z.string(), version: z.string() }))
    .parse(JSON.parse(readFileSync(join(built, '.vite', 'licenses.json'), 'utf8')));

/** The packages by name, and what keeps them from being delivered. */
export const collectLicenses = (
  lock: Lock,
  bundled: readonly Bundled[],
): { packages: Licensed[]; complaints: string[] } => {
  const inService = productionPaths(lock);
  const inApp = new Set(bundled.map(labelOf));
  const found = new Map<string, Licensed>();
  const complaints: string[] = [];
  for (const [path, locked] of Object.entries(lock)) {
    if (path === '') continue;
    const { version, license } = locked;
    const label = labelOf({ name: nameAt(path, locked), version });
    const places = [
      ...(inService.has(path) ? (['service'] as const) : []),
      ...(inApp.has(label) ? (['app'] as const) : []),
    ];
    if (places.length === 0) continue;
    if (license === undefined) complaints.push(`${label} names no license`);
    else if (!allowed.has(license)) complaints.push(`${label} has the license ${license}, which is not allowed yet`);
    else {
      const known = found.get(label);
      const all = [...new Set([...(known?.places ?? []), ...places])];
      found.set(label, { name: nameAt(path, locked), version, license, places: all, path: known?.path ?? path });
    }
    inApp.delete(label);
  }
  complaints.push(...[...inApp].map((label) => `${label} is in the app, but not in package-lock.json`));
  const packages = [...found.values()].toSorted((a, b) => (labelOf(a) < labelOf(b) ? -1 : 1));
  return { packages, complaints };
};

const isLicenseFile = (name: string): boolean => /^(licen[cs]e|copying|notice)/i.test(name);

const noText = 'The package has no file with the text of its license.';

/** The texts of a package. A package for another platform is not installed, so its texts are missing. */
const textsOf = (project: string, path: string): string => {
  const folder = join(project, path);
  const files = existsSync(folder) ? readdirSync(folder).filter(isLicenseFile).toSorted() : [];
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n') || noText;
};

const line = '-'.repeat(80);

/** One file with all licenses and their texts. */
export const licensesText = (project: string, packages: readonly Licensed[]): string =>
  [
    'Licenses of the packages of others in this service and its app.',
    'Packages for other platforms have no text here; it is in the package.',
    ...packages.map((one) =>
      [
        line,
        labelOf(one),
        `License: ${one.license}`,
        `In: ${one.places.join(', ')}`,
        '',
        textsOf(project, one.path),
      ].join('\n'),
    ),
    '',
  ].join('\n\n');
