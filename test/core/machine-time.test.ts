import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';

// Rules, rows and answers have the service's time: `platform.clock`, which is the database's (src/db/database-clock.ts).
// A machine's own clock may be wrong, and the sandbox moves another one.

/** What runs on machines of customers. */
const elsewhere = ['src/web/**', 'src/packages/client/**', 'src/server/developers/examples/**'];

/** The files that read the machine's time, and for what. */
const allowed: Record<string, string> = {
  'src/core/clock.ts': 'the clock of the sandbox, in which `Date` is moved',
  'src/core/log.ts': 'lines of the log, beside those of other programs on the machine',
  'src/core/ttl-map.ts': 'how long something has been in memory',
  'src/db/database-clock.ts': 'the difference to the database’s clock',
  'src/db/embedded.ts': 'how long the start of PostgreSQL takes',
  'src/modules/crm/providers/feed.ts': 'any recent time, to try credentials',
  'src/modules/crm/providers/http.ts': 'how long the `Retry-After` of a CRM is',
  'src/modules/crm/providers/hubspot.ts': 'any recent time, to try credentials',
  'src/modules/sign-ins/library-time.ts': 'the difference to the service’s clock, for the sign-in library',
  'src/run/process.ts': 'how long a stop takes',
};

it('only these files read the time of the machine', async () => {
  const found: string[] = [];
  for await (const file of filesMatching('src/**/*.ts', elsewhere)) {
    if (/\bnew Date\(\)|\bDate\.now\b|(?<!new )\bDate\(\)/.test(await readFile(file, 'utf8'))) found.push(file);
  }
  expect(found.toSorted()).toEqual(Object.keys(allowed).toSorted());
});
