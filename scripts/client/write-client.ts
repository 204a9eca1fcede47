import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from '../kit/format.ts';
import { readDocument } from '../openapi/document.ts';
import { writePythonResources } from './write-python-resources.ts';
import { writePythonTypes } from './write-python-types.ts';
import { writeResources } from './write-resources.ts';
import { writeTypes } from './write-types.ts';

const folder = fileURLToPath(new URL('../../src/packages/client/generated/', import.meta.url));
const pythonFolder = fileURLToPath(new URL('../../src/packages/client-py/team_customer_api_client/', import.meta.url));

/** Writes the types and methods of the clients from docs/openapi.v1.json. */
export const writeClient = async (): Promise<void> => {
  const document = await readDocument();
  await writeFile(`${folder}types.ts`, writeTypes(document));
  await writeFile(`${folder}resources.ts`, writeResources(document));
  await format(folder);
  await writeFile(`${pythonFolder}types.py`, writePythonTypes(document));
  await writeFile(`${pythonFolder}_resources.py`, writePythonResources(document));
};
