import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { allTools } from '../../src/server/mcp/protocol.ts';

it.each(['src/server/developers/pages/en/assistants.md', 'src/server/developers/pages/de/assistants.md'])(
  '%s has a row for each tool, with its scopes',
  async (file) => {
    const text = await readFile(file, 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)` +\|[^|]+\| (.*?) +\|$/gm)].map(([, name, scopes = '']) => [
      name,
      scopes.split(', ').toSorted(),
    ]);
    const expected = allTools.map(({ name, scopes }) => [name, scopes.map((scope) => `\`${scope}\``).toSorted()]);
    expect(rows.toSorted()).toEqual(expected.toSorted());
  },
);
