import { expect, it } from 'vitest';
import { hoursToMs, later } from '../../src/core/clock.ts';
import { inTheApp } from '../support/app-caller.ts';
import { theRequests } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

const outcomes = [
  [200, 'answered'],
  [299, 'answered'],
  [304, 'answered'],
  [399, 'answered'],
  [400, 'refused'],
  [428, 'refused'],
  [429, 'limited'],
  [430, 'refused'],
  [499, 'refused'],
  [500, 'failed'],
  [599, 'failed'],
] as const;

it('a status is the same outcome in the list, the chart, the routes of its key and the days of its key, at each bound', async () => {
  const team = await aTeam(service);
  const { requests, keys } = await inTheApp(team);
  const now = service.clock.now();
  const span = { starts: [later(now, -hoursToMs(1)).toISOString()], end: later(now, hoursToMs(1)).toISOString() };
  for (const [status, outcome] of outcomes) {
    const { id: key_id } = await team.aKey();
    await theRequests(service, team, key_id, [{ status }]);
    const none = { limited: 0, refused: 0, failed: 0 };
    const counted = outcome === 'answered' ? none : { ...none, [outcome]: 1 };
    const [interval] = (await requests.volume({ ...span, key_id })).data;
    expect(interval, `${status} in the chart`).toEqual({ answered: 0, ...none, [outcome]: 1 });
    expect((await requests.ofKey({ key_id })).routes, `${status} of the key`).toMatchObject([
      { requests: 1, ...counted },
    ]);
    const days = (await keys.usage({ key_id, days: 2 })).days.filter((day) => day.requests > 0);
    expect(days, `${status} of the day`).toMatchObject([{ requests: 1, ...counted }]);
  }
  for (const hundreds of [2, 3, 4, 5] as const) {
    const { data } = await requests.list({ status: `${hundreds}xx` });
    expect(data.map(({ status }) => status).toReversed()).toEqual(
      outcomes.flatMap(([status]) => (Math.floor(status / 100) === hundreds ? [status] : [])),
    );
  }
});
