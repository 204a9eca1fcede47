import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from '../kit/format.ts';
import { readDocument } from '../openapi/document.ts';
import { writeResources } from './write-resources.ts';
import { writeTypes } from './write-types.ts';

const folder = fileURLToPath(new URL('../../src/packages/client/generated/', import.meta.url));

/** Writes the client's types and methods from docs/openapi.v1.json. */
export const writeClient = async (): Promise<void> => {
  const document = await readDocument();
  await writeFile(`${folder}types.ts`, writeTypes(document));
  await writeFile(`${folder}resources.ts`, writeResources(document));
  await format(folder);
};
