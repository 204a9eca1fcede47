import { afterAll, beforeAll, expect, it } from 'vitest';
import { days } from '../../src/core/clock.ts';
import { abortTraining, endTraining, saveEvaluation, startTraining } from '../../src/modules/trainings/service.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { anEvaluation, theTrainings } from '../support/trainings.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const many = 10_000;
const begun = Date.now() - days(30);

/** Every id of a list, page by page, and how many pages that were. */
const pagesOf = async (team: TestTeam, path: string) => {
  const seen: string[] = [];
  let cursor = '';
  let pages = 0;
  do {
    const answer = await team.client.get(`${path}?limit=200${cursor}`);
    expect(answer.status).toBe(200);
    seen.push(...answer.data.map(({ id }) => String(id)));
    const next = answer.body['next_cursor'];
    cursor = typeof next === 'string' ? `&cursor=${next}` : '';
    pages += 1;
  } while (cursor !== '');
  return { seen, pages };
};

/** Practice that goes on beside the reader: sessions start, end, are given up and scored. */
const practiceOn = (team: TestTeam, existing: readonly string[]) => {
  const end = new AbortController();
  const counts = { started: 0 };
  const practise = async () => {
    const acting = await team.acting();
    for (let turn = 0; !end.signal.aborted; turn += 1) {
      const memberId = team.members[turn % team.members.length]?.id ?? '';
      const { training_id: id } = await startTraining(acting, { memberId, source: 'app' });
      counts.started += 1;
      if (turn % 3 === 0) await abortTraining(acting, id);
      else await endTraining(acting, id);
      if (turn % 3 === 1) await saveEvaluation(acting, id, anEvaluation());
      // One of those from the start that ended without being scored: it changes where it stands.
      const old = existing[(turn * 37) % existing.length];
      if (old !== undefined) await saveEvaluation(acting, old, anEvaluation());
    }
  };
  const done = practise();
  return {
    counts,
    stop: async () => {
      end.abort();
      await done;
    },
  };
};

it(
  'paging through 10,000 sessions and their evaluations, while others start and are scored, gives each exactly once',
  { timeout: 120_000 },
  async () => {
    const team = await aTeam(service, { members: 3 });
    const users = team.members.map(({ user_id }) => user_id ?? '');
    const ids = await theTrainings(
      service,
      team,
      Array.from({ length: many }, (_, n) => {
        // Many start in the same millisecond, and in no order of their ids.
        const created_at = new Date(begun + ((n * 7_919) % (many / 4)) * 60_000);
        const saved_at = new Date(created_at.getTime() + 600_000);
        return {
          user_id: users[n % users.length] ?? '',
          status: 'ended' as const,
          created_at,
          finished_at: saved_at,
          ...(n % 2 === 0 && { evaluation: { ...anEvaluation(), saved_at } }),
        };
      }),
    );
    const scored = ids.filter((_, n) => n % 2 === 0);
    const unscored = ids.filter((_, n) => n % 2 === 1);
    const practice = practiceOn(team, unscored);
    try {
      for (const [path, atTheStart] of [
        ['/trainings', ids],
        ['/evaluations', scored],
      ] as const) {
        const before = { ...practice.counts };
        const { seen, pages } = await pagesOf(team, path);
        expect(pages).toBeGreaterThanOrEqual(atTheStart.length / 200);
        expect(new Set(seen).size).toBe(seen.length);
        const found = new Set(seen);
        expect(atTheStart.filter((id) => !found.has(id))).toEqual([]);
        // Only if something happened meanwhile does this prove anything.
        expect(practice.counts.started).toBeGreaterThan(before.started + 5);
      }
    } finally {
      await practice.stop();
    }
    expect((await team.client.get('/trainings?status=running')).data).toEqual([]);
  },
);
