import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unzip } from '../export/unzip.ts';
import { cliOnDatabase } from './on-database.ts';

const cli = await cliOnDatabase();

const Exported = z.strictObject({
  format: z.literal(1),
  tenant_id: z.uuid(),
  made_at: z.iso.datetime({ precision: 3 }),
  snapshot: z.literal(true),
  file: z.string(),
  bytes: z.int(),
  rows: z.int(),
  files: z.record(z.string().regex(/^[a-z_]+\.json$/), z.int()),
});

describe('team export', () => {
  it('writes a ZIP that only its user can read, and prints its content', async () => {
    const { tenant_id } = await cli.aTeam();
    const out = join(cli.folder, 'team.zip');
    const said = await cli.json(Exported, ['team', 'export', '--team', tenant_id, '--out', out]);
    const { mode, size } = await stat(out);
    expect(mode & 0o777).toBe(0o600);
    expect(said).toMatchObject({ tenant_id, file: out, bytes: size, files: { 'members.json': 1 } });
    const files = await unzip(await readFile(out));
    expect([...files.keys()].toSorted()).toEqual([...Object.keys(said.files), 'export.json'].toSorted());
    expect(JSON.parse(files.get('export.json') ?? '')).toMatchObject({ files: said.files, snapshot: true });
  });

  it('never overwrites a file, and leaves none for an unknown team', async () => {
    const { tenant_id } = await cli.aTeam();
    const out = join(cli.folder, 'twice.zip');
    await cli.json(Exported, ['team', 'export', '--team', tenant_id, '--out', out]);
    const again = await cli.failure(['team', 'export', '--team', tenant_id, '--out', out]);
    const message = expect.stringContaining(`The file ${out} already exists.`);
    expect(again).toMatchObject({ exitCode: 1, code: 'validation_error', message });
    const nobody = join(cli.folder, 'nobody.zip');
    const unknown = await cli.failure(['team', 'export', '--team', 'unknown', '--out', nobody]);
    expect(unknown).toMatchObject({ exitCode: 1, code: 'not_found' });
    await expect(stat(nobody)).rejects.toThrow(/ENOENT/);
  });
});
