import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { languages } from '../../src/core/language.ts';
import { keyPattern, makeKeyText } from '../../src/modules/keys/key-text.ts';

// What the page on keys says about looking for them.

it.each(languages)('the pattern on the page (%s) is that of keys', async (language) => {
  const page = await readFile(`src/server/developers/pages/${language}/authentication.md`, 'utf8');
  expect(page).toContain(`\`${keyPattern.source}\``);
});

it('find-keys.mjs finds keys, and no text that only looks like one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'find-keys-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [one, other] = [makeKeyText().text, makeKeyText().text];
  const similar = `${one.slice(0, -1)}${one.endsWith('x') ? 'y' : 'x'}`;
  const fileOf = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const bad = await fileOf('settings.env', `# settings\nKEY=${one}\n${similar}\n{"a":"${other}","b":"${one}"}\n`);
  const good = await fileOf('notes.md', `svck_live_…\n${similar}\n`);
  const find = (...files: string[]) => {
    const program = 'src/server/developers/examples/find-keys.mjs';
    const { status, stdout } = spawnSync(process.execPath, [program, ...files], { encoding: 'utf8' });
    return { status, lines: stdout.split('\n').slice(0, -1) };
  };
  const shown = (line: number, key: string) => `${bad}:${line}: ${key.slice(0, 22)}…`;
  expect(find(good)).toEqual({ status: 0, lines: [] });
  expect(find(good, bad)).toEqual({ status: 1, lines: [shown(2, one), shown(4, other), shown(4, one)] });
});
