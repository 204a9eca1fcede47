import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { teamTables } from '../../src/modules/export/tables.ts';

it('docs/export.md lists the files of an export, in their order', async () => {
  const text = await readFile('docs/export.md', 'utf8');
  const listed = [...text.matchAll(/^\| `(\w+\.json)` /gm)].map(([, file]) => file);
  expect(listed).toEqual([...teamTables.map(({ file }) => file), 'export.json']);
});
