import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs, hoursToMs } from '../../src/core/clock.ts';
import { limits } from '../../src/core/limits.ts';
import { abortTraining, endTraining, startTraining, saveEvaluation } from '../../src/modules/trainings/service.ts';
import { aCopyProgram, requestsOf } from '../changes/copy-program.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEvaluation, theTrainings } from '../support/practice.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService({ own: true });

const many = 600;
const perPage = 20;
const begun = Date.now() - daysToMs(30);

/** All ids of a list, page by page; `meanwhile` runs while each page is read. */
const pagesOf = async (team: TestTeam, path: string, meanwhile: () => Promise<void>) => {
  const seen: string[] = [];
  let cursor = '';
  do {
    const [answer] = await Promise.all([team.client.get(`${path}?limit=${perPage}${cursor}`), meanwhile()]);
    expect(answer.status).toBe(200);
    seen.push(...answer.data.map(({ id }) => String(id)));
    const next = answer.body['next_cursor'];
    cursor = typeof next === 'string' ? `&cursor=${next}` : '';
  } while (cursor !== '');
  return seen;
};

/** Trainings that change while the reader reads, one step at a time: they start, end, are aborted and scored. */
const practiceIn = async (team: TestTeam, unscored: readonly string[]) => {
  const acting = await team.acting();
  let turn = 0;
  return async () => {
    turn += 1;
    const memberId = team.members[turn % team.members.length]?.id ?? '';
    const { trainingId: id } = await startTraining(acting, { memberId, source: 'app' });
    if (turn % 3 === 0) await abortTraining(acting, id);
    else await endTraining(acting, id);
    if (turn % 3 === 1) await saveEvaluation(acting, id, anEvaluation());
    // And one of the initial trainings, somewhere in the middle of the list.
    await saveEvaluation(acting, unscored[(turn * 37) % unscored.length] ?? '', anEvaluation());
  };
};

/** A tip of a usual length: five texts of one or two sentences. */
const usualTip = {
  issue: 'Der Einwand zum Preis wird sofort mit einem Nachlass beantwortet, ohne nach dem Grund zu fragen.',
  moment: '„Das ist uns ehrlich gesagt zu teuer.“ – „Dann könnten wir Ihnen vielleicht zehn Prozent entgegenkommen.“',
  principle:
    'Wer den Einwand erst hinterfragt, erfährt, ob es wirklich um den Preis geht, und behält seinen Spielraum.',
  rewrite: '„Danke für die Offenheit. Zu teuer im Vergleich womit – mit Ihrem Budget oder mit einem anderen Angebot?“',
  impact: 'Der Kunde nennt den eigentlichen Grund, und das Gespräch kehrt vom Preis zum Nutzen zurück.',
};

const sumsOf = async (team: TestTeam) => {
  const { totals } = (await team.client.get('/analytics/team')).body;
  return z.object({ sessions: z.number(), scored: z.number() }).parse(totals);
};

it('paging through 600 trainings and their evaluations, while others start and are scored, returns each exactly once', async () => {
  const team = await aTeam(service, { members: 3 });
  const users = team.members.map(({ user_id }) => user_id ?? '');
  const given = Array.from({ length: many }, (_, n) => {
    // Many start in the same millisecond.
    const createdAt = new Date(begun + ((n * 7_919) % (many / 4)) * 60_000);
    const savedAt = new Date(createdAt.getTime() + 600_000);
    return {
      userId: users[n % users.length] ?? '',
      status: 'ended' as const,
      createdAt,
      finishedAt: savedAt,
      ...(n % 2 === 0 && { evaluation: { ...anEvaluation(), savedAt } }),
    };
  });
  const ids = await theTrainings(service, team, given);
  const scored = ids.filter((_, n) => n % 2 === 0);
  const unscored = ids.filter((_, n) => n % 2 === 1);
  const practise = await practiceIn(team, unscored);
  for (const [path, atTheStart] of [
    ['/trainings', ids],
    ['/evaluations', scored],
  ] as const) {
    const seen = await pagesOf(team, path, practise);
    expect(new Set(seen).size).toBe(seen.length);
    const found = new Set(seen);
    expect(atTheStart.filter((id) => !found.has(id))).toEqual([]);
  }
  // The number of steps that were made meanwhile; each started a training and scored an old one.
  const { sessions, scored: evaluated } = await sumsOf(team);
  expect(sessions).toBeGreaterThan(many + 20);
  expect(evaluated).toBeGreaterThan(scored.length + 40);
});

/** A team with 1,000 scored trainings with five tips each, which were saved an hour ago. */
const aTeamWithManyScores = async () => {
  const team = await aTeam(service);
  const evaluation = anEvaluation({
    tips: Array.from({ length: 5 }, () => usualTip),
    goal: 'partial',
    strongest: 'Fragt nach, bis der Bedarf klar ist, und fasst ihn in den Worten des Kunden zusammen.',
    biggest_lever: 'Am Ende des Gesprächs selbst einen Termin vorschlagen, statt auf den Kunden zu warten.',
  });
  const savedAt = new Date(begun);
  const given = Array.from({ length: 1_000 }, () => ({
    userId: team.owner.user_id,
    status: 'ended' as const,
    createdAt: new Date(begun),
    finishedAt: savedAt,
    evaluation: { ...evaluation, savedAt },
  }));
  service.clock.forward(-hoursToMs(1));
  await theTrainings(service, team, given);
  service.clock.set(new Date());
  return { team, evaluation };
};

describe('1,000 scored trainings, with five tips each', () => {
  let made: ReturnType<typeof aTeamWithManyScores> | undefined;
  const many = () => (made ??= aTeamWithManyScores());

  it.each(['/trainings', '/evaluations'])(
    'are read with %s?include=evaluation in at most six requests',
    { timeout: 300_000 },
    async (path) => {
      const { team, evaluation } = await many();
      const client = await team.aClient();
      let requests = 0;
      const rows = await allListed(client, `${path}?include=evaluation&limit=200`, ({ text }) => {
        expect(Buffer.byteLength(text)).toBeLessThan(limits.pageBytes * 1.02);
        requests += 1;
      });
      for (const { id, evaluation: read } of rows) {
        expect(read).toMatchObject({ training_id: id, tips: evaluation.tips });
      }
      expect(new Set(rows.map(({ id }) => id)).size).toBe(1_000);
      expect(requests).toBeLessThanOrEqual(6);
    },
  );

  it('are copied by the program of the documentation in ten requests, and in eight if nothing has changed', async () => {
    const { team } = await many();
    const program = await aCopyProgram(service, team);
    const first = await program.run();
    await expect.poll(() => requestsOf(service, first)).toHaveLength(10);
    expect(Object.values(program.rows()).filter(({ evaluation }) => evaluation)).toHaveLength(1_000);
    const second = await program.run();
    await expect.poll(() => requestsOf(service, second)).toHaveLength(8);
  }, 300_000);
});
