import { expect, it } from 'vitest';
import { daysToMs, later, utcDay } from '../../src/core/clock.ts';
import { teamAnalytics } from '../../src/modules/analytics/service.ts';
import { askedBy, explained, modes } from '../support/plans.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const client = await useConnection(service.databaseUrl);

it('the analytics of a week read the trainings of its twelve weeks from an index, of a team with 100,000 in six years', async () => {
  const made = await aTeam(service);
  const team = await made.acting();
  await client.query(
    `insert into training (tenant_id, id, user_id, status, source, created_at, updated_at)
     select $1, gen_random_uuid(), $2, 'ended', 'app', at, at
       from (select $3::timestamptz - n * interval '31 minutes' as at from generate_series(1, 100000) n) times`,
    [team.id, made.owner.user_id, service.clock.now()],
  );
  await client.query('vacuum analyze training');

  const until = later(service.clock.now(), -daysToMs(365));
  const days = { since: utcDay(later(until, -daysToMs(6))), until: utcDay(until) };
  const asked = await askedBy(team, (reader) => teamAnalytics(reader, days));
  expect(asked).toHaveLength(1);
  // 84 days at the most, each with 47 trainings.
  for (const mode of modes) {
    const { looked, buffers } = await explained(client, asked[0], mode);
    expect({ mode, isLess: looked < 84 * 47, looked }).toMatchObject({ isLess: true });
    // They are next to each other in an index.
    expect({ mode, isLess: buffers < 200, buffers }).toMatchObject({ isLess: true });
  }
});
