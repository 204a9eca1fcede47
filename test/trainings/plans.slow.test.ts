import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { getEvaluation, getTraining, listEvaluated, listTrainings } from '../../src/modules/trainings/listing.ts';
import type { Team } from '../../src/platform/team.ts';
import { askedBy, explained, modes } from '../support/plans.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aScoredTraining } from '../support/practice.ts';

// Statistics under which the planner's estimates are far from the truth: first a large team among thousands of tiny
// ones, then that team alone, with nearly all trainings scored and of one person.

const many = 100_000;
const assignment = makeId();

const service = await useTestService({ own: true });
const made = await aTeam(service, { members: 2 });
const [rare = '', never = ''] = made.members.map(({ user_id }) => user_id ?? '');
const people = { busy: made.owner.user_id, rare, never };
const team = await made.acting();
const scored = await aScoredTraining(service, made, { userId: people.busy });
const client = await useConnection(service.databaseUrl);
// Rows as the triggers would write them, without teams behind the tiny ones.
await client.query('set session_replication_role = replica');
await client.query(
  `insert into training (tenant_id, id, user_id, status, source, assignment_id, evaluated_at, created_at, updated_at, listed)
   select $1, gen_random_uuid(), case when n % 2000 = 0 then $3 else $2 end::uuid,
          status, 'app', case when n % 4000 = 0 then $4 end::uuid, case when status = 'scored' then t end, t, t, n % 10 <> 1
     from generate_series(1, $5::int) n,
          lateral (select now() - ($5 - n) * interval '1 minute' as t) as started,
          -- One aborted training first, so that the index by status grows in the middle and not at its end, as in production.
          lateral (select case when n = 2 then 'aborted' when n % 5000 = 7 then 'running' else 'scored' end::training_status
                      as status) as state`,
  [team.id, people.busy, people.rare, assignment, many],
);
await client.query(
  `insert into training (tenant_id, id, user_id, status, source, evaluated_at, created_at, updated_at, listed)
   select tenant, gen_random_uuid(), gen_random_uuid(), 'scored', 'app', now(), now() - random() * interval '90 days', now() - random() * interval '90 days', true
     from (select gen_random_uuid() as tenant from generate_series(1, 8000)) as tiny, generate_series(1, 2)`,
);
await client.query(
  `insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling, value_argument, total, created_at)
   select tenant_id, id, 1, 2, 3, 4, 5, 3, created_at from training where status = 'scored' and id <> $1`,
  [scored],
);
await client.query('vacuum analyze training, evaluation');

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const since = () => daysAgo(30);

/** Times of the filters `since` and `until`. */
const times = () => [
  {},
  { since: since() },
  { since: since(), until: daysAgo(20) },
  // Before all.
  { until: daysAgo(400) },
];

/** What a page was asked for: shown if a check fails. */
interface Described {
  include?: 'evaluation' | undefined;
  [filter: string]: unknown;
}

/** Every combination of filters, its first page and a later one. */
const checkPages = async (): Promise<number> => {
  let pages = 0;
  const check = async (what: Described, page: (team: Team) => Promise<unknown>) => {
    const [asked] = await askedBy(team, page);
    // An evaluation is found by its key: the levels of an index, and its row.
    const maxBuffers = what.include ? 100 + 51 * 5 : 100;
    for (const mode of modes) {
      const seen = await explained(client, asked, mode);
      const message = JSON.stringify({ mode, ...what, ...seen });
      expect(seen.sorts, message).toEqual([]);
      // The rows of the page, one more, and a few of other users, if the planner knows that nearly all rows are of this
      // user.
      expect(seen.looked, message).toBeLessThanOrEqual(60);
      expect(seen.buffers, message).toBeLessThanOrEqual(maxBuffers);
      pages += 1;
    }
  };
  const checkDeep = async (
    what: Described,
    page: (team: Team, query: { limit: number; cursor?: string }) => Promise<{ nextCursor: string | null }>,
  ) => {
    await check(what, (listening) => page(listening, { limit: 50 }));
    const { nextCursor: cursor } = await page(team, { limit: 5 });
    if (cursor !== null) await check({ ...what, cursor }, (listening) => page(listening, { limit: 50, cursor }));
  };

  for (const who of [undefined, 'busy', 'rare', 'never'] as const) {
    for (const status of [undefined, 'scored', 'running', 'aborted'] as const) {
      for (const assignmentId of [undefined, assignment, makeId()]) {
        for (const time of times()) {
          for (const include of [undefined, 'evaluation'] as const) {
            const filter = { userId: who && people[who], status, assignmentId, ...time, include };
            await checkDeep({ who, ...filter }, (listening, query) =>
              listTrainings(listening, { ...query, ...filter }),
            );
          }
        }
      }
    }
  }
  for (const who of [undefined, 'busy', 'rare', 'never'] as const) {
    for (const assignmentId of [undefined, assignment, makeId()]) {
      for (const time of [...times(), { updatedSince: since() }]) {
        for (const include of [undefined, 'evaluation'] as const) {
          const filter = { userId: who && people[who], assignmentId, ...time, include };
          await checkDeep({ who, ...filter }, (listening, query) => listEvaluated(listening, { ...query, ...filter }));
        }
      }
    }
  }
  return pages;
};

describe('a page is read in the order of an index, the first or a later one, without reading other rows', () => {
  it('of a large team among thousands of tiny ones', async () => {
    expect(await checkPages()).toBeGreaterThan(200);
  });

  it('of the only team, in which every training is scored', async () => {
    await client.query(`delete from training where tenant_id <> $1`, [team.id]);
    await client.query(`delete from evaluation where tenant_id <> $1`, [team.id]);
    await client.query(`update training set status = 'scored', evaluated_at = created_at where status <> 'scored'`);
    await client.query('vacuum analyze training, evaluation');
    expect(await checkPages()).toBeGreaterThan(200);
  });
});

it('one training, and one evaluation, needs one statement that reads one row of each', async () => {
  for (const read of [
    (listening: Team) => getTraining(listening, scored),
    (listening: Team) => getEvaluation(listening, scored),
  ]) {
    const asked = await askedBy(team, read);
    expect(asked).toHaveLength(1);
    for (const mode of modes) {
      const { sorts, looked, buffers } = await explained(client, asked[0], mode);
      expect({ sorts, looked }).toEqual({ sorts: [], looked: 1 });
      expect(buffers).toBeLessThanOrEqual(10);
    }
  }
});
