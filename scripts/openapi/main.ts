// npm run openapi: stores the current description of v1 unless it has a breaking change, and writes the collection of requests.

import { readFile, writeFile } from 'node:fs/promises';
import { publicRouter } from '../../src/modules/public-router.ts';
import { openApiDocument } from '../../src/server/rest/openapi-document.ts';
import { baselineFile, documentedUrl } from './document.ts';
import { breakingChanges } from './breaking-changes.ts';
import { collectionFile, collectionOf } from './collection.ts';

// Long lines are fine here: the formatter breaks them afterwards.
const present = JSON.stringify(openApiDocument(publicRouter, documentedUrl));
const accepted: unknown = JSON.parse(await readFile(baselineFile, 'utf8').catch(() => '{}'));
const breaking = breakingChanges(accepted, JSON.parse(present));

if (breaking.length > 0) {
  console.error(`v1 may only be added to:\n${breaking.map((change) => `  ${change}`).join('\n')}`);
  process.exitCode = 1;
} else {
  await writeFile(baselineFile, present);
  await writeFile(collectionFile, JSON.stringify(collectionOf(JSON.parse(present))));
  console.error(present === JSON.stringify(accepted) ? 'Nothing changed.' : `Wrote ${baselineFile}`);
}
