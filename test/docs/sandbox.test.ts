import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { sandboxProgram } from '../../src/packages/sandbox/program.ts';

const pages = ['en', 'de'].map((language) => `src/server/developers/pages/${language}/sandbox.md`);
const usages = [...pages, ...['en', 'de'].map((language) => `src/server/developers/pages/${language}/tools.md`)];

/** The options of a command, from its help. */
const optionsOf = async (command: string): Promise<string[]> => {
  let help = '';
  const stdout = { write: (text: string) => (help += text) };
  const context = { env: {}, stdin: Readable.from([]), stdout, stderr: stdout };
  expect(await runCli(['sandbox', command, '--help'], context, sandboxProgram)).toBe(0);
  return [...help.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].flatMap(([, option]) => option ?? []);
};

/** The page says once that every command has these. */
const ofAll = ['--help', '--json', '--port'];

it.each(pages)('%s has a row for each command of the sandbox, with its options', async (file) => {
  const page = await readFile(file, 'utf8');
  for (const option of ofAll) expect(page).toContain(`\`${option}\``);
  const documented = new Map<string, string[]>();
  for (const [row, command = 'start'] of page.matchAll(/^\| `sandbox(?: (\w[\w-]*))?.*\|$/gm))
    documented.set(command, [
      ...(documented.get(command) ?? []),
      ...[...row.matchAll(/--[\w-]+/g)].map(([option]) => option),
    ]);
  expect([...documented.keys()].toSorted()).toEqual(
    ['clock', 'create-key', 'reset', 'start', 'status', 'stop', 'trigger'].toSorted(),
  );
  for (const [command, options] of documented) {
    const own = (all: string[]) => all.filter((option) => !ofAll.includes(option)).toSorted();
    expect(own(options), command).toEqual(own(await optionsOf(command)));
  }
});

it.each(usages)('%s calls the sandbox with options that it has', async (file) => {
  const calls = [...(await readFile(file, 'utf8')).matchAll(/npx team-customer-api sandbox\b ?([\w-]*)(.*)$/gm)];
  expect(calls.length).toBeGreaterThan(1);
  for (const [, command = '', rest = ''] of calls)
    for (const [option] of rest.matchAll(/--[\w-]+/g))
      expect(await optionsOf(command === '' ? 'start' : command)).toContain(option);
});
