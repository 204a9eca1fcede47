// npm run test:time [-- --write]: the files of the last run that got dearer than test/times.json says; --write: writes that file anew.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { dearerFiles, lastTimes } from './times.ts';

const kept = join(import.meta.dirname, '..', '..', 'test', 'times.json');
const Times = z.record(z.string(), z.number());
const read = (file: string) => Times.parse(JSON.parse(readFileSync(file, 'utf8')));

const now = read(lastTimes);
const before = read(kept);
if (process.argv.includes('--write')) {
  const all = Object.entries({ ...before, ...now })
    .filter(([file]) => existsSync(file))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(kept, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  console.log(`test/times.json has the times of ${all.length} files.`);
} else {
  const dearer = dearerFiles(before, now);
  for (const { file, before: seconds, now: took, times } of dearer) {
    console.log(`${file}: ${seconds.toFixed(1)} s before, ${took.toFixed(1)} s now, ${times.toFixed(2)} times as dear`);
  }
  if (dearer.length === 0) console.log('No file of the last run got 30 % dearer.');
}
