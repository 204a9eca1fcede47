import { exceptions } from './versions/exceptions.ts';
import { misfits, readProject } from './versions/pins.ts';

// npm run pins: checks that the versions which documentation, deployment files and scripts name are those that
// package.json pins.

const complaints = misfits(readProject(), exceptions);
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
