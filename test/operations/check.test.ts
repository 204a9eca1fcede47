import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** The scripts of package.json that find no faults, or need the network, a browser, tests or hours. */
const noChecks = [
  'up cli migrate migrate:new bench try generate format sbom openapi prepack postpack',
  'test test:slow test:turn test:all test:time test:app test:time-zones test:citus',
  'check check:versions planted mutants statements client:runtimes openapi:tools',
].flatMap((names) => names.split(' '));

/** Runs the command with an npm that only notes which scripts it is to run; some of them fail. */
const check = (failing: readonly string[] = []) => {
  const folder = throwAwayFolder();
  const noted = join(folder, 'noted');
  writeFileSync(noted, '');
  writeFileSync(
    join(folder, 'npm'),
    `#!${process.execPath}
    const script = process.argv.at(-1);
    require('node:fs').appendFileSync(${JSON.stringify(noted)}, script + '\\n');
    console.log('the fault that ' + script + ' has found');
    process.exitCode = ${JSON.stringify(failing)}.includes(script) ? 1 : 0;`,
  );
  chmodSync(join(folder, 'npm'), 0o755);
  const env = { PATH: [folder, process.env['PATH']].join(delimiter) };
  return new Promise<{ code: number; out: string; ran: string[] }>((resolve) => {
    execFile(process.execPath, ['scripts/check.ts'], { env }, (error, out) => {
      const ran = readFileSync(noted, 'utf8').trim().split('\n').toSorted();
      resolve({ code: Number(error?.code ?? 0), out, ran });
    });
  });
};

describe('npm run check', () => {
  it('runs every script of package.json that finds faults', async () => {
    const { code, out, ran } = await check();
    expect(ran).toEqual(
      Object.keys(scripts)
        .filter((name) => !noChecks.includes(name))
        .toSorted(),
    );
    expect(noChecks.filter((name) => scripts[name] === undefined)).toEqual([]);
    expect(code).toBe(0);
    expect(out).not.toContain('fault');
  });

  it('fails if one of them fails, and shows what that has said', async () => {
    const { code, out, ran } = await check(['licenses', 'pins']);
    expect(code).toBe(1);
    expect(ran.length).toBeGreaterThan(10);
    expect(out.match(/the fault that .* has found/g)?.toSorted()).toEqual([
      'the fault that licenses has found',
      'the fault that pins has found',
    ]);
    expect(out).toMatch(/\nFailed: (licenses, pins|pins, licenses)\n$/);
  });
});
