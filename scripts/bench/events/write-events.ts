import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../../../src/core/ids.ts';

interface Writing {
  databaseUrl: string;
  teamId: string;
  writers: number;
  events: number;
}

const upTo = (most: number) => Math.floor(Math.random() * most);

/**
 * Raises events of a team in transactions of random length, several at a time, as `raise` does: the transaction locks the team. One in ten
 * is rolled back. Returns the ids of the committed events as receivers see them.
 */
export const writeEvents = async ({ databaseUrl, teamId, writers, events }: Writing): Promise<Set<string>> => {
  const committed = new Set<string>();
  const write = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      while (committed.size < events) {
        const ids: string[] = [];
        await client.query('begin');
        await client.query('select from team where id = $1 for share', [teamId]);
        const pieces = 1 + upTo(3);
        for (let piece = 0; piece < pieces; piece += 1) {
          const some = Array.from({ length: 1 + upTo(10) }, () => newId());
          await client.query(
            `with event as (
               insert into webhook_event (tenant_id, id, type, data, created_at)
               select $1::uuid, id, 'training.completed', json_build_object('team_id', $1::uuid), clock_timestamp() from unnest($2::uuid[]) id
               returning id, type)
             insert into event_feed_entry (tenant_id, event_id, type)
             select $1::uuid, id, type from event`,
            [teamId, some],
          );
          ids.push(...some);
          await sleep(upTo(upTo(40)));
        }
        const isKept = upTo(10) > 0;
        await client.query(isKept ? 'commit' : 'rollback');
        if (isKept) for (const id of ids) committed.add(`evt_${id.replaceAll('-', '')}`);
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return committed;
};
