import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cliOnDatabase } from './on-database.ts';

const cli = await cliOnDatabase();

const starter = join(import.meta.dirname, '..', '..', 'src', 'modules', 'catalog', 'starter-catalog.json');

const Counts = z.strictObject({
  items_created: z.int(),
  items_changed: z.int(),
  items_unchanged: z.int(),
  rules_created: z.int(),
  rules_removed: z.int(),
});

const Item = z.strictObject({
  key: z.string(),
  name: z.strictObject({ de: z.string().optional(), en: z.string().optional() }),
  icon: z.string().optional(),
  published: z.boolean(),
  position: z.int(),
});
const Lists = z.record(z.enum(['personality', 'industry', 'role']), z.array(z.string()).optional());
const Exported = z.strictObject({
  items: z.record(z.enum(['situation', 'personality', 'industry', 'role', 'methodology']), z.array(Item)),
  rules: z.array(z.strictObject({ situation: z.string(), only: Lists, never: Lists })),
});

let counter = 0;
const aFile = (content: unknown): string => {
  const file = join(cli.folder, `catalog-${(counter += 1)}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

const importing = (file: string, ...flags: string[]) => cli.json(Counts, ['catalog', 'import', file, ...flags]);
const exporting = (...flags: string[]) => cli.json(Exported, ['catalog', 'export', ...flags]);

describe('catalog import and export', () => {
  it('import a file, once, and export it again', async () => {
    const created = await importing(starter);
    expect(created.items_created).toBeGreaterThan(40);
    expect(created.rules_created).toBeGreaterThan(20);
    const unchanged = {
      items_created: 0,
      items_changed: 0,
      items_unchanged: created.items_created,
      rules_created: 0,
      rules_removed: 0,
    };
    expect(await importing(starter)).toEqual(unchanged);
    const exported = await exporting();
    expect(exported.items.situation[0]).toMatchObject({ key: 'cold_call', name: { de: 'Kaltakquise' } });
    expect(await importing(aFile(exported))).toEqual(unchanged);
  });

  it('print a file that can be imported also without --json', async () => {
    const { exitCode, stdout } = await cli.run(['catalog', 'export']);
    expect(exitCode).toBe(0);
    expect(Exported.parse(JSON.parse(stdout))).toEqual(await exporting());
  });

  it('work on a team’s own catalog with --team', async () => {
    const { tenant_id } = await cli.aTeam();
    const own = { items: { role: [{ key: 'own', name: { de: 'Eigene' } }] } };
    const before = await exporting();
    expect(await importing(aFile(own), '--team', tenant_id)).toMatchObject({ items_created: 1 });
    expect((await exporting('--team', tenant_id)).items).toMatchObject({ ...own.items, situation: [] });
    expect(await exporting()).toEqual(before);
  });

  it('refuse a bad file, with every flaw and its place: exit code 1', async () => {
    const file = aFile({ itmes: {}, items: { role: [{ key: 'A B', name: { de: '' } }] } });
    const failure = await cli.failure(['catalog', 'import', file]);
    expect(failure).toMatchObject({ exitCode: 1, code: 'validation_error' });
    for (const place of ['itmes', 'items.role[0].key', 'items.role[0].name.de']) {
      expect(failure.message).toMatch(new RegExp(`^ *${place.replace(/[[\]]/g, '\\$&')}: .`, 'm'));
    }
    const { exitCode, stdout, stderr } = await cli.run(['catalog', 'import', file]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('items.role[0].key: ');
    expect(stderr).not.toContain('.ts:');
  });

  it.each([
    ['a file that is not there', () => join(cli.folder, 'nowhere.json')],
    ['a folder', () => cli.folder],
    ['no JSON', () => aFile('catalog:\n  - role')],
  ])('refuse %s: exit code 1', async (_what, file) => {
    expect(await cli.failure(['catalog', 'import', file()])).toMatchObject({ exitCode: 1, code: 'validation_error' });
  });

  it('refuse an unknown team', async () => {
    const nobody = ['--team', 'nobody'];
    const refused = { exitCode: 1, code: 'not_found' };
    expect(await cli.failure(['catalog', 'export', ...nobody])).toMatchObject(refused);
    expect(await cli.failure(['catalog', 'import', starter, ...nobody])).toMatchObject(refused);
  });
});
