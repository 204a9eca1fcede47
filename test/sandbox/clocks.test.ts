import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { hoursToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { adaptDatabase } from '../../src/packages/sandbox/database.ts';
import { timeAhead } from '../../src/packages/sandbox/moved-time.ts';
import { nextMoment, setClock } from '../../src/packages/sandbox/move-clock.ts';
import { jobs } from '../../src/platform/jobs.ts';
import { aCrmConnection } from '../support/crm.ts';
import { forgetDeliveries } from '../support/worker.ts';
import { createDatabase, withSql } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { forgetStatements } from '../support/tenant-in-statements.ts';
import { aDelivery, anEndpoint } from '../support/webhooks.ts';

afterAll(forgetStatements); // the sandbox reads what is due of all teams

const service = await useTestService({ own: true });

it('the clock of the process is moved before that of the database', async () => {
  const { url: databaseUrl, drop } = await createDatabase();
  onTestFinished(drop);
  await adaptDatabase(databaseUrl);
  const hourMs = 3_600_000;
  await withSql({ databaseUrl }, async (sql) => {
    await sql.query('begin; lock table sandbox.clock in exclusive mode');
    const moving = setClock({ databaseUrl }, hourMs);
    await expect.poll(timeAhead).toBe(hourMs);
    await sql.query('commit');
    await moving;
    const { rows } = await sql.query('select extract(epoch from now() - pg_catalog.now())::int as ahead');
    expect(rows).toEqual([{ ahead: 3_600 }]);
  });
});

describe('the next moment to which the clock moves is', () => {
  const pauseHours = 72;
  /** Set as they are stored, because here nothing works on them meanwhile. */
  const moments: Record<string, (team: TestTeam, at: Date) => Promise<unknown>> = {
    'that of a job': (_team, at) =>
      jobs.add(service.database, {
        task: 'a task',
        payload: {},
        key: makeId(),
        priority: 0,
        inMs: at.getTime() - Date.now(),
      }),
    'that of a delivery': async (team, dueAt) =>
      aDelivery(service, team, { endpointId: await anEndpoint(service, team), dueAt }),
    'that of a sync': (team, at) => aCrmConnection(service, team, { nextSyncAt: at }),
    'that of the warning about an endpoint': (team, at) =>
      anEndpoint(service, team, { failingSince: later(at, -hoursToMs(pauseHours / 2)) }),
    'that of the pause of an endpoint': async (team, at) => {
      const id = await anEndpoint(service, team, { failingSince: later(at, -hoursToMs(pauseHours)) });
      await service.database.prisma.webhookEndpoint.updateMany({ where: { id }, data: { warnedAt: new Date() } });
    },
  };
  const nothingIsLeft = async () => {
    await forgetDeliveries(service);
    await service.database.prisma.crmConnection.updateMany({ data: { nextSyncAt: null } });
  };
  const inMinutes = async () => {
    const moment = await nextMoment(service.platform);
    return moment && Math.round((moment.getTime() - service.clock.now().getTime()) / 60_000);
  };

  it.each(Object.entries(moments))('%s, if it is the first', async (_what, make) => {
    await nothingIsLeft();
    const team = await aTeam(service);
    expect(await inMinutes()).toBeUndefined();
    await make(team, later(service.clock.now(), hoursToMs(2)));
    expect(await inMinutes()).toBe(120);
    for (const other of Object.values(moments)) await other(team, later(service.clock.now(), hoursToMs(3)));
    expect(await inMinutes()).toBe(120);
  });

  it('none of what is due already, nor of a disabled endpoint', async () => {
    await nothingIsLeft();
    const team = await aTeam(service);
    for (const make of Object.values(moments)) await make(team, later(service.clock.now(), -hoursToMs(1)));
    const endpointId = await anEndpoint(service, team, { status: 'disabled' });
    await aDelivery(service, team, { endpointId, dueAt: later(service.clock.now(), hoursToMs(1)) });
    expect(await inMinutes()).toBeUndefined();
  });
});
