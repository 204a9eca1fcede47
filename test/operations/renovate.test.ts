import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exceptions } from '../../scripts/versions/exceptions.ts';
import { readProject } from '../../scripts/versions/pins.ts';

// What Renovate itself can't notice: a rule for a package that the project does not have does nothing.

const Rule = z.strictObject({
  description: z.string().optional(),
  groupName: z.string().optional(),
  matchPackageNames: z.array(z.string()).optional(),
  matchDepNames: z.array(z.string()).optional(),
  allowedVersions: z.string().optional(),
});
const Config = z.looseObject({
  automerge: z.literal(false),
  rangeStrategy: z.literal('pin'),
  extends: z.array(z.string()),
  schedule: z.array(z.string()),
  osvVulnerabilityAlerts: z.boolean(),
  vulnerabilityAlerts: z.strictObject({
    schedule: z.tuple([z.literal('at any time')]),
    automerge: z.literal(false),
    labels: z.array(z.string()),
  }),
  packageRules: z.array(Rule),
});

const config = Config.parse(JSON.parse(readFileSync('renovate.json', 'utf8')));
const { packageRules } = config;
const { manifest, files } = readProject();
const direct = Object.keys({
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
});
const images = [...(files.get('docs/deploy/Dockerfile') ?? '').matchAll(/^FROM ([\w-]+):/gm)].map(([, name]) => name);
const known = [...direct, ...images];

/** A name of a rule is exact, or has all packages of a scope: `@prisma/**`. */
const matches = (name: string, pattern: string): boolean =>
  pattern.endsWith('/**') ? name.startsWith(pattern.slice(0, -2)) : name === pattern;

const groups = packageRules.filter(({ groupName }) => groupName !== undefined);
const groupsOf = (name: string): (string | undefined)[] =>
  groups
    .filter(({ matchPackageNames = [] }) => matchPackageNames.some((pattern) => matches(name, pattern)))
    .map(({ groupName }) => groupName);

describe('renovate.json', () => {
  it('opens pull requests on the first day of a month, as CONTRIBUTING.md says', () => {
    expect(config.extends).toEqual(['config:recommended']);
    const [cron = '', ...others] = config.schedule;
    const [, , ...days] = cron.split(' '); // of the month, months, days of the week
    expect([days, others]).toEqual([['1', '*', '*'], []]);
  });

  it('looks for known flaws at GitHub and OSV', () => expect(config.osvVulnerabilityAlerts).toBe(true));

  const patterns = packageRules.flatMap(({ matchPackageNames = [], matchDepNames = [] }) => [
    ...matchPackageNames,
    ...matchDepNames,
  ]);

  it.each(patterns)('names with %s a package of package.json or an image', (pattern) => {
    expect(known.some((name) => name !== undefined && matches(name, pattern))).toBe(true);
  });

  it('puts a package into one group at most', () => {
    for (const name of direct) expect(groupsOf(name).length, name).toBeLessThan(2);
  });

  it.each([
    ['prisma', /^@?prisma(\/|$)/],
    ['mantine', /^@mantine\//],
    ['tanstack', /^@tanstack\//],
    ['trpc', /^@trpc\//],
    ['opentelemetry', /^@opentelemetry\//],
    ['node', /^node-(bin|linux|darwin)-/],
    ['react', /^(@types\/)?react(-dom)?$/],
  ])('updates all packages of %s together', (group, names) => {
    const members = direct.filter((name) => names.test(name));
    expect(members).not.toEqual([]);
    for (const name of members) expect(groupsOf(name), name).toEqual([group]);
  });

  it('updates Node in the image and in npm together', () => {
    expect(images).toContain('node');
    expect(groupsOf('node')).toEqual(['node']);
  });

  it.each(['typescript', 'zod-openapi'])('keeps %s in the line of the version that its exception names', (name) => {
    const [exception] = exceptions.filter(({ packages }) => packages.includes(name));
    const [rule] = packageRules.filter(({ matchDepNames }) => matchDepNames?.includes(name));
    const next = Number(exception?.version.split('.')[0]) + 1;
    expect(rule?.allowedVersions).toBe(`<${next}`);
  });
});
