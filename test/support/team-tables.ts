import { readFileSync } from 'node:fs';
import { schemaFile } from '../../src/db/migrate.ts';

const models = readFileSync(schemaFile, 'utf8').matchAll(/^model \w+ \{$([\s\S]*?)^\}$/gm);

/** The tables with rows of teams, from the schema. */
export const teamTables: ReadonlySet<string> = new Set([
  'team',
  ...[...models].flatMap(([, body = '']) =>
    body.includes('@map("tenant_id")') ? (/@@map\("(\w+)"\)/.exec(body)?.[1] ?? []) : [],
  ),
]);
