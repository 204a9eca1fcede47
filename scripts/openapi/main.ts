// npm run openapi: stores the current description of v1 unless it has a breaking change, and writes from it the
// collection of requests, and the client's types and methods.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { publicRouter } from '../../src/modules/public-router.ts';
import { openApiDocument } from '../../src/server/rest/openapi-document.ts';
import { writeClient } from '../client/write-client.ts';
import { format } from '../kit/format.ts';
import { baselineFile, documentedUrl } from './document.ts';
import { breakingChanges } from './breaking-changes.ts';
import { collectionFile, collectionOf } from './collection.ts';

const present = JSON.stringify(openApiDocument(publicRouter, documentedUrl));
const accepted: unknown = JSON.parse(await readFile(baselineFile, 'utf8').catch(() => '{}'));
const breaking = breakingChanges(accepted, JSON.parse(present));

if (breaking.length > 0) {
  console.error(`v1 may only be added to:\n${breaking.map((change) => `  ${change}`).join('\n')}`);
  process.exitCode = 1;
} else {
  await writeFile(baselineFile, present);
  await writeFile(collectionFile, JSON.stringify(collectionOf(JSON.parse(present))));
  await format(baselineFile, fileURLToPath(collectionFile));
  await writeClient();
  console.error(present === JSON.stringify(accepted) ? 'Nothing changed.' : `Wrote ${baselineFile}`);
}
