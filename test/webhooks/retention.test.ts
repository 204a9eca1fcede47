import type pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPartitions, deleteOld } from '../../src/modules/webhooks/upkeep.ts';
import { aDeliveryBefore, connect, dayBefore, idsBegin, partitionBefore, tablesOf } from '../support/history.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { eventually } from '../support/eventually.ts';
import { aWorker } from '../support/worker.ts';

const tables = ['webhook_event', 'webhook_delivery', 'webhook_attempt'];
const everywhere = ['attempt', 'delivery', 'event', 'waiting'];

/** A new database for each test, because the tests change its tables; with connections to it. */
const aService = async (): Promise<{ service: TestService; client: pg.Client; open: () => Promise<pg.Client> }> => {
  const service = await startTestService({ own: true });
  onTestFinished(() => service.close());
  const open = async () => {
    const client = await connect(service.databaseUrl);
    onTestFinished(() => client.end());
    return client;
  };
  return { service, client: await open(), open };
};

const partitions = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relispartition and relkind = 'r' order by relname`,
  );
  return rows.map(({ name }) => name);
};

describe('data older than RETENTION_DAYS', () => {
  it('is deleted when a worker starts, in partitions and rest, with its waiting rows; younger data stays', async () => {
    const { service, client } = await aService();
    const inPartition = await aDeliveryBefore(client, 9);
    await createPartitions(service.platform);
    const ids = [inPartition];
    for (const ago of [40, 8, 7, 0]) ids.push(await aDeliveryBefore(client, ago));
    aWorker(service, { retentionDays: 7 });
    await vi.waitFor(
      async () => {
        expect(await tablesOf(client, ids)).toEqual([[], [], [], everywhere, everywhere]);
        const names = await partitions(client);
        for (const table of tables) {
          expect(names).not.toContain(partitionBefore(table, 8));
          expect(names).toContain(partitionBefore(table, 7));
        }
      },
      { timeout: 20_000 },
    );
  });

  it('is deleted from the rest too if it has no partition', async () => {
    const { service, client } = await aService();
    const ids = [await aDeliveryBefore(client, 9), await aDeliveryBefore(client, 5)];
    await deleteOld(service.platform, { days: 7 });
    expect(await tablesOf(client, ids)).toEqual([[], everywhere]);
  });

  it('leaves sums of 90 days, or of longer if more is kept', async () => {
    const { service, client } = await aService();
    const team = await aTeam(service);
    const endpointId = await anEndpoint(service, team, { events: ['member.joined'] });
    for (const ago of [0, 89, 91, 120])
      await client.query(`insert into webhook_endpoint_day (tenant_id, endpoint_id, day) values ($1, $2, $3)`, [
        team.id,
        endpointId,
        dayBefore(ago),
      ]);
    const kept = async () => {
      const { rows } = await client.query<{ day: string }>(`select day::text from webhook_endpoint_day order by day`);
      return rows.map(({ day }) => day);
    };
    // The counts by quarter of an hour are kept as long as the attempts.
    await client.query(
      `insert into webhook_quarter_hour (tenant_id, endpoint_id, start, delivered, duration, attempts)
       select $1, $2, $3::date::timestamp at time zone 'UTC' + n * interval '15 minutes', true, 1, 1 from generate_series(-1, 0) n`,
      [team.id, endpointId, dayBefore(7)],
    );
    await deleteOld(service.platform, { days: 100 });
    expect(await kept()).toEqual([91, 89, 0].map(dayBefore));
    await deleteOld(service.platform, { days: 7 });
    expect(await kept()).toEqual([89, 0].map(dayBefore));
    const { rows } = await client.query<{ start: Date }>('select start from webhook_quarter_hour');
    expect(rows).toEqual([{ start: new Date(dayBefore(7)) }]);
  });

  it('is deleted by the next run if a table is in use, and nobody waits for the deletion', async () => {
    const { service, client: reader, open } = await aService();
    const writer = await open();
    const old = await aDeliveryBefore(writer, 9);
    await createPartitions(service.platform);
    await reader.query('begin');
    await reader.query('select count(*) from webhook_event');

    const cutting = new AbortController();
    const waits: number[] = [];
    const write = async () => {
      while (!cutting.signal.aborted) {
        const begin = performance.now();
        await aDeliveryBefore(writer, 0);
        waits.push(performance.now() - begin);
      }
    };
    const writing = write();
    // A writer may prevent the drop of a table until the next run; a reader prevents it as long as it reads.
    const dropped: string[] = [];
    await eventually(async () => {
      const cut = await deleteOld(service.platform, { days: 7 });
      dropped.push(...cut.dropped);
      expect(cut.postponed).toEqual([partitionBefore('webhook_event', 9)]);
    });
    cutting.abort();
    await writing;
    expect(dropped.toSorted()).toEqual(
      ['webhook_attempt', 'webhook_delivery'].map((table) => partitionBefore(table, 9)),
    );
    // 200 ms, and the delay of a busy machine.
    expect(Math.max(...waits)).toBeLessThan(10_000);
    expect(await tablesOf(writer, [old])).toEqual([['event']]);

    await reader.query('commit');
    await deleteOld(service.platform, { days: 7 });
    expect(await tablesOf(writer, [old])).toEqual([[]]);
  });
});

describe('partitions', () => {
  it('are created for two weeks ahead, each like those of the migration', async () => {
    const { service, client } = await aService();
    const shape = async (name: string) => {
      const { rows } = await client.query<Record<string, unknown>>(
        `select c.reloptions, c.relispartition, pg_get_partition_constraintdef(c.oid) as bounds,
                array(select pg_get_constraintdef(oid) from pg_constraint where conrelid = c.oid order by 1) as constraints,
                array(select replace(pg_get_indexdef(indexrelid), c.relname, '') from pg_index
                       where indrelid = c.oid order by 1) as indexes
           from pg_class c where relname = $1`,
        [name],
      );
      return rows[0];
    };
    const made = tables.map((table) => partitionBefore(table, -3));
    const shapes = async () => {
      const all = [];
      for (const name of made) all.push(await shape(name));
      return all;
    };
    const before = [await partitions(client), await shapes()];
    for (const name of made) await client.query(`drop table ${name}`);
    await createPartitions(service.platform);
    expect([await partitions(client), await shapes()]).toEqual(before);

    service.clock.forward(2 * 86_400_000);
    await createPartitions(service.platform);
    for (const table of tables) expect(await partitions(client)).toContain(partitionBefore(table, -16));
  });

  it('take the rows in the rest, while it is written to, and two processes may create them at once', async () => {
    const { service, client, open } = await aService();
    for (const table of tables) await client.query(`drop table ${partitionBefore(table, 0)}`);
    const keeping = new AbortController();
    const ids: string[] = [];
    const write = async (connection: pg.Client) => {
      while (!keeping.signal.aborted) ids.push(await aDeliveryBefore(connection, 0));
    };
    const writing = Promise.all([write(await open()), write(await open())]);
    await vi.waitUntil(() => ids.length > 20, { timeout: 20_000 });
    const today = tables.map((table) => partitionBefore(table, 0));
    // If writers hold their locks too long for it at some moment, that is no failure: the next run creates the partitions.
    await vi.waitFor(
      async () => {
        await Promise.all([createPartitions(service.platform), createPartitions(service.platform)]);
        expect(await partitions(client)).toEqual(expect.arrayContaining(today));
      },
      { timeout: 20_000 },
    );
    const soFar = ids.length;
    await vi.waitUntil(() => ids.length > soFar + 20, { timeout: 20_000 });
    keeping.abort();
    await writing;

    expect(await tablesOf(client, ids)).toEqual(ids.map(() => everywhere));
    const count = async (table: string) =>
      (await client.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows;
    for (const table of tables) {
      expect(await count(`${table}_rest`)).toEqual([{ n: 0 }]);
      expect(await count(partitionBefore(table, 0))).toEqual([{ n: ids.length }]);
    }
  });

  it('leave too many rows in the rest, because moving them would block others; they are deleted there', async () => {
    const { service, client } = await aService();
    await client.query(
      `insert into webhook_event
       select id, id, 'ping', '{}', $1::date
         from generate_series(1, 50001),
              lateral (select (${idsBegin('$1::date')} || right(gen_random_uuid()::text, 23))::uuid as id
                        where generate_series > 0) as made`,
      [dayBefore(9)],
    );
    await createPartitions(service.platform);
    expect(await partitions(client)).not.toContain(partitionBefore('webhook_event', 9));
    await deleteOld(service.platform, { days: 7 });
    expect((await client.query('select 1 from webhook_event')).rows).toEqual([]);
  });
});
