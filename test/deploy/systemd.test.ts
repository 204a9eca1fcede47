import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { besidesHeap, stopSeconds, unknownSettings } from './deployed.ts';

const run = promisify(execFile);
const folder = 'docs/deploy/systemd';
const names = (await readdir(folder)).toSorted();
const units = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })),
);
const services = units.filter(({ name }) => name.includes('@'));

/** All values of a key, which may be written several times. */
const valuesOf = (text: string, key: string): string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

const environmentOf = (text: string): Map<string, string> =>
  new Map(
    valuesOf(text, 'Environment')
      .flatMap((line) => line.split(' '))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );

const missing = await run('systemd-analyze', ['--version']).then(
  () => undefined,
  () => 'systemd-analyze is missing',
);

describe('the units', () => {
  it('are an API, a worker and the migrations, which start what exists', async () => {
    expect(names).toEqual([
      'team-customer-api-migrate.service',
      'team-customer-api-worker@.service',
      'team-customer-api@.service',
    ]);
    const started = units.flatMap(({ text }) => valuesOf(text, 'ExecStart'));
    const node = '/opt/team-customer-api/node_modules/.bin/node';
    expect(started).toEqual([`${node} scripts/migrate.ts`, `${node} src/main.ts worker`, `${node} src/main.ts api`]);
  });

  it('give processes more time than they need to stop, and more memory than their heap', () => {
    for (const { name, text } of services) {
      expect(Number(valuesOf(text, 'TimeoutStopSec')[0]), name).toBeGreaterThan(stopSeconds);
      const nodeOptions = environmentOf(text).get('NODE_OPTIONS');
      const beyond = besidesHeap({ nodeOptions, limit: valuesOf(text, 'MemoryMax')[0] });
      expect(beyond, name).toBeGreaterThanOrEqual(512);
      expect(valuesOf(text, 'Restart')).toEqual(['always']);
    }
  });

  it('set only settings that the service has', () => {
    for (const { name, text } of units) expect(unknownSettings(environmentOf(text).keys()), name).toEqual([]);
  });

  it('are valid and hardened, as systemd judges', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const copies = await mkdtemp(join(tmpdir(), 'team-customer-api-units-'));
    onTestFinished(() => rm(copies, { recursive: true }));
    // It looks for the program, so this one stands for the Node of an installation.
    const program = join(copies, 'node');
    await writeFile(program, '#!/bin/sh\n');
    await chmod(program, 0o755);
    for (const { name, text } of units) {
      const copy = join(copies, name.replace('@', '@3000'));
      await writeFile(copy, text.replace('/opt/team-customer-api/node_modules/.bin/node', program));
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', copy]);
      expect(stderr, name).toBe('');
      // The exposure of a service without hardening is 9.6 of 10; above the threshold, of 2.5, this fails.
      await run('systemd-analyze', ['security', '--offline=yes', '--threshold=25', copy]);
    }
  });
});
