import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { billOfMaterials, kinds } from './bill.ts';

// npm run sbom -- service|image FILE: writes the bill of materials of the service or of its image.

const [wanted, file] = process.argv.slice(2);
const kind = kinds.find((one) => one === wanted);
if (kind === undefined || file === undefined) {
  console.error(`npm run sbom -- ${kinds.join('|')} FILE`);
  process.exitCode = 1;
} else await writeFile(file, await billOfMaterials(join(import.meta.dirname, '..', '..'), kind));
