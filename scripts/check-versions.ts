import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { judge, newestOf, stepTo, type Difference, type Judgement } from './versions/behind.ts';
import { exceptions } from './versions/exceptions.ts';

// npm run check:versions: lists the direct dependencies that are behind the registry, and the known flaws of all
// packages, because the code of the app's packages is delivered, too. It needs the network, so it is no part of
// `npm run check`.
//
// The exit code is 0 if nothing is behind, no exception is out of date and no flaw is known; 1 if something is to be
// done; 2 if all that is left is that the registry does not answer audits.

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
/** `wanted` is what package.json pins; `current` is absent for a package of another platform. */
const Outdated = z.record(z.string(), z.object({ wanted: z.string(), latest: z.string(), type: z.string() }));
const Failed = z.object({ error: z.object({ code: z.string().nullish(), summary: z.string() }) });
const Versions = z.union([z.array(z.string()), z.string().transform((version) => [version])]);
const Refused = z.object({ statusCode: z.int().min(400).max(499), message: z.string() });
const Audit = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.string(),
      range: z.string(),
      via: z.array(z.union([z.string(), z.object({ title: z.string() })])),
    }),
  ),
});

/** The JSON that npm prints. It exits with 1 also if it has found something. */
const npm = async (...args: string[]): Promise<unknown> => {
  const printed = await new Promise<string>((resolve, reject) => {
    execFile('npm', [...args, '--json'], { maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
      if (error && stdout === '') reject(new Error(`npm ${args.join(' ')} failed: ${stderr || error.message}`));
      else resolve(stdout);
    });
  });
  return JSON.parse(printed || '{}');
};

const readDifferences = async (): Promise<Difference[]> => {
  const printed = await npm('outdated', '--long');
  const failed = Failed.safeParse(printed);
  if (failed.success) throw new Error(`npm could not ask the registry: ${failed.data.error.summary}`);
  return Promise.all(
    Object.entries(Outdated.parse(printed)).map(async ([name, { wanted, latest, type: kind }]) => {
      // The version with the tag `latest` may be older than the pinned one, as for a package whose former line is still
      // maintained.
      const isAhead = stepTo(latest, wanted) !== undefined;
      const versions = isAhead ? Versions.parse(await npm('view', name, 'versions')) : [latest];
      return { name, kind, pinned: wanted, latest, newest: newestOf(wanted, versions) };
    }),
  );
};

const table = (rows: readonly (readonly string[])[]): string => {
  const widths = rows.reduce<number[]>((all, row) => row.map((cell, at) => Math.max(all[at] ?? 0, cell.length)), []);
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd()).join('\n');
};

const say = (...lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

const report = ({ behind, excepted, ahead, stale }: Judgement): void => {
  if (behind.length === 0) say('No direct dependency is behind the registry.');
  else {
    const rows = behind.map(({ name, pinned, newest, step, kind }) => [name, pinned, newest, step, kind]);
    say(`Behind the registry: ${behind.length}`, table([['Package', 'Pinned', 'Newest', 'Step', 'Kind'], ...rows]));
  }
  say('', 'Exceptions (scripts/versions/exceptions.ts):');
  for (const { packages, version, reason } of exceptions) {
    const newer = new Set(excepted.filter(({ name }) => packages.includes(name)).map(({ newest }) => newest));
    const newest = newer.size > 0 ? ` (newest: ${[...newer].join(', ')})` : '';
    say(`  ${packages.join(', ')} ${version}${newest}: ${reason}.`);
  }
  for (const sentence of stale) say(`  Out of date: ${sentence}.`);
  if (ahead.length > 0) {
    const names = ahead.map(({ name, pinned, latest }) => `${name} ${pinned} (${latest})`);
    say('', `Newer than the registry’s tag “latest”, and the newest there is: ${names.join(', ')}`);
  }
};

/** Says which flaws of packages are known; returns their number, undefined if the registry does not say. */
const audit = async (): Promise<number | undefined> => {
  const printed = await npm('audit');
  const refused = Refused.safeParse(printed);
  if (refused.success) {
    const reason = refused.data.message.split(' - ')[0];
    say('', `Audit: this registry does not answer audits (${reason}), so known flaws were not looked up.`);
    return undefined;
  }
  const flaws = Object.entries(Audit.parse(printed).vulnerabilities);
  if (flaws.length === 0) say('', 'Audit: no flaw is known in any package.');
  else {
    const rows = flaws.map(([name, { severity, range, via }]) => [
      name,
      range,
      severity,
      via.map((one) => (typeof one === 'string' ? `by ${one}` : one.title)).join('; '),
    ]);
    say(
      '',
      `Audit: flaws are known in ${flaws.length} packages`,
      table([['Package', 'Versions', 'Severity', 'Flaw'], ...rows]),
    );
  }
  return flaws.length;
};

try {
  const manifest = Manifest.parse(JSON.parse(await readFile('package.json', 'utf8')));
  const pins = new Map(Object.values(manifest).flatMap((dependencies) => Object.entries(dependencies)));
  const judgement = judge(pins, await readDifferences(), exceptions);
  report(judgement);
  const flaws = await audit();
  if (judgement.behind.length + judgement.stale.length + (flaws ?? 0) > 0) process.exitCode = 1;
  else if (flaws === undefined) process.exitCode = 2;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
