import fc from 'fast-check';
import { expect, it } from 'vitest';
import { daysToMs, later, utcDay } from '../../src/core/clock.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { addActiveMember } from '../../src/modules/members/invitations.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { recomputed } from './recomputed.ts';
import { ask, practise, usersOf } from './team-analytics.ts';

const service = await useTestService();

const percent = fc.integer({ min: 0, max: 100 });
const evaluation = fc.record({
  total: fc.option(percent),
  dimensions: fc.record({
    closing: percent,
    conversation_control: percent,
    needs_analysis: percent,
    objection_handling: percent,
    value_argument: percent,
  }),
});
/** How a training ended. */
const outcome = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ status: fc.constantFrom('running' as const, 'aborted' as const, 'ended' as const) }),
  },
  { weight: 4, arbitrary: fc.record({ evaluation }) },
);

it('GET /analytics/team equals a plain recomputation, of all time and of any days, whatever happened and whoever left and came back', async () => {
  const members = 7;
  const now = fc.constantFrom(
    '2026-11-20T12:00:00.000Z',
    '2026-11-22T23:59:00.000Z',
    '2026-11-23T00:00:01.000Z',
    '2027-01-01T00:00:01.000Z',
    '2028-03-01T00:00:01.000Z',
  );
  // The distance of the start from today, and its time of day.
  const start = fc.record({
    daysAgo: fc.oneof(
      fc.nat({ max: 100 }),
      fc.constantFrom(0, 1, 6, 7, 28, 29, 30, 31, 58, 59, 60, 61, 76, 77, 78, 82, 83, 84, 85),
    ),
    time: fc.constantFrom('00:00:00.000', '11:30:00.000', '23:59:59.999'),
  });
  // The ends of a range, as days before today; either may be missing.
  const end = fc.option(fc.oneof(fc.integer({ min: -3, max: 100 }), fc.constantFrom(0, 1, 30, 60)));
  const whole = fc.record({
    now,
    ranges: fc.array(fc.tuple(end, end), { minLength: 1, maxLength: 2 }),
    trainings: fc.array(fc.tuple(fc.nat({ max: members + 1 }), start, outcome), { minLength: 10, maxLength: 45 }),
    left: fc.uniqueArray(fc.nat({ max: members - 1 }), { maxLength: 3 }),
    back: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(whole, async (one) => {
      service.clock.set(new Date(one.now));
      const team = await aTeam(service, { admins: 1, members });
      await team.anInvitedMember();
      const users = usersOf(team);
      const acting = await team.acting();
      const trainings = one.trainings.map(([user, at, rest]) => {
        const day = later(service.clock.now(), -daysToMs(at.daysAgo)).toISOString().slice(0, 10);
        return { userId: users[user] ?? '', createdAt: new Date(`${day}T${at.time}Z`), ...rest };
      });
      await practise(service, team, trainings);
      const expectSame = async () => {
        const dayOf = (ago: number | null) =>
          ago === null ? undefined : utcDay(later(service.clock.now(), -daysToMs(ago)));
        const ranges = one.ranges.map(([first, last]) => {
          const isTurned = first !== null && last !== null && first < last;
          return isTurned ? { since: dayOf(last), until: dayOf(first) } : { since: dayOf(first), until: dayOf(last) };
        });
        for (const days of [{}, ...ranges]) {
          expect(await ask(team, days), JSON.stringify(days)).toEqual(
            await recomputed(acting, service.clock.now(), days),
          );
        }
      };
      await expectSame();

      const left = one.left.flatMap((index) => team.members[index] ?? []);
      for (const { id } of left) await removeMember(acting, id);
      await expectSame();

      const [first] = left;
      if (!one.back || !first) return;
      const { user_id: userId, email = '' } = first;
      await addActiveMember(acting, { userId: userId ?? '', email, role: 'member' });
      await expectSame();
    }),
    { numRuns: 12 },
  );
});
