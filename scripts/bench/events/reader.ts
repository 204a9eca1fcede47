// A reader of the event feed, in a process that may be killed at any moment: reader.ts TEAM [CURSOR]. It prints each page as a line.

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openFoundation } from '../../../src/run/foundation.ts';
import { readConfig } from '../../../src/config.ts';
import { listEvents } from '../../../src/modules/events/service.ts';
import { actIn } from '../../../src/modules/teams/service.ts';

export const PageRead = z.object({ ids: z.array(z.string()), cursor: z.string() });

const read = async (teamId: string, after: string | undefined): Promise<void> => {
  const { platform } = await openFoundation(readConfig());
  const team = await actIn(platform, { kind: 'operator' }, teamId);
  let cursor = after;
  for (;;) {
    const page = await listEvents(team, { limit: 200, wait: 0, cursor });
    if (page.has_gap) throw new Error('the feed has a gap');
    if (page.data.length === 0) await sleep(20);
    else {
      console.log(JSON.stringify({ ids: page.data.map(({ id }) => id), cursor: page.next_cursor }));
      cursor = page.next_cursor;
    }
  }
};

if (import.meta.main) await read(process.argv[2] ?? '', process.argv[3]);
