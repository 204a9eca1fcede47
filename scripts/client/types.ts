// npm run client:types: generates the client's types and methods from docs/openapi.v1.json.

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readDocument } from '../openapi/document.ts';
import { writeResources } from './write-resources.ts';
import { writeTypes } from './write-types.ts';

const folder = fileURLToPath(new URL('../../src/packages/client/generated/', import.meta.url));
const document = await readDocument();
// Long lines are fine here: the formatter breaks them afterwards.
await writeFile(`${folder}types.ts`, writeTypes(document));
await writeFile(`${folder}resources.ts`, writeResources(document));
