import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledIn, collectLicenses, licensesText } from './collect.ts';
import { readLock } from './lock-file.ts';

// npm run licenses: checks that each package that is delivered has a license that is allowed. The build of the app
// runs it with `write`, which makes dist/web/licenses.txt.

const project = join(import.meta.dirname, '..', '..');
const built = join(project, 'dist', 'web');

const { packages, complaints } = collectLicenses(readLock(project), bundledIn(built));
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
else if (process.argv.includes('write')) writeFileSync(join(built, 'licenses.txt'), licensesText(project, packages));
