// npm run openapi: accepts the present description of v1, unless it takes something away from customers.

import { readFile, writeFile } from 'node:fs/promises';
import { publicRouter } from '../../src/modules/public-router.ts';
import { openApiDocument } from '../../src/rest/openapi-document.ts';
import { baselineFile } from './baseline.ts';
import { breakingChanges } from './breaking-changes.ts';

const present = `${JSON.stringify(openApiDocument(publicRouter, 'http://localhost:3000'), null, 2)}\n`;
const accepted = await readFile(baselineFile, 'utf8').catch(() => '{}');
const breaking = breakingChanges(JSON.parse(accepted), JSON.parse(present));

if (breaking.length > 0) {
  console.error(`v1 may only be added to:\n${breaking.map((change) => `  ${change}`).join('\n')}`);
  process.exitCode = 1;
} else {
  await writeFile(baselineFile, present);
  console.error(present === accepted ? 'Nothing changed.' : `Wrote ${baselineFile}`);
}
