// A reader of the event feed, in a process that may be killed at any moment: reader.ts TEAM FOLDER. It writes each page to a file; then it
// stores, in one step, the number of pages and the next cursor. A page whose file was written but not yet counted is read again.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { openFoundation } from '../../../src/compose.ts';
import { readConfig } from '../../../src/config.ts';
import { listEvents } from '../../../src/modules/events/service.ts';
import { actIn } from '../../../src/modules/teams/service.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , teamId = '', folder = ''] = process.argv;
const Kept = z.object({ pages: z.int(), cursor: z.string() });

await mkdir(folder, { recursive: true });
const file = join(folder, 'kept.json');
const { platform } = await openFoundation(readConfig());
const team = await actIn(platform, { kind: 'operator' }, teamId);
let kept = await readFile(file, 'utf8').then(
  (text) => Kept.parse(JSON.parse(text)),
  () => undefined,
);
for (;;) {
  const page = await listEvents(team, { limit: 200, wait: 0, cursor: kept?.cursor });
  if (page.has_gap) throw new Error('the feed has a gap');
  if (page.data.length === 0) await sleep(20);
  else {
    const pages: number = kept?.pages ?? 0;
    await writeFile(join(folder, `page-${pages}.json`), JSON.stringify(page.data.map(({ id }) => id)));
    kept = { pages: pages + 1, cursor: page.next_cursor };
    await writeFile(`${file}.new`, JSON.stringify(kept));
    await rename(`${file}.new`, file);
  }
}
