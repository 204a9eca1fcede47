import { describe, expect, it } from 'vitest';
import { limits, trainingLimits } from '../../src/core/limits.ts';
import { allScopes } from '../../src/core/scopes.ts';
import { listEvaluated, listTrainings } from '../../src/modules/trainings/listing.ts';
import type { Team } from '../../src/platform/team.ts';
import {
  aCatalogItem,
  anEvaluation,
  aScoredTraining,
  aTraining,
  dimensions,
  theTrainings,
} from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService();

const lists = ['/trainings', '/evaluations'] as const;
const including = 'include=evaluation';

const evaluationOf = async (team: TestTeam, id: unknown) => {
  const answer = await team.client.get(`/trainings/${String(id)}/evaluation`);
  return answer.status === 404 ? null : answer.body;
};

/** The pages of a list with evaluations, each with the size of its answer. */
const pagesOf = async (team: TestTeam, path: string, limit: number) => {
  const pages: { bytes: number; rows: Record<string, unknown>[] }[] = [];
  await allListed(team.client, `${path}?${including}&limit=${limit}`, ({ text, data }) =>
    pages.push({ bytes: Buffer.byteLength(text), rows: data }),
  );
  return pages;
};

const at = (minutes: number) => new Date(Date.parse('2026-03-01T12:00:00Z') + minutes * 60_000);

/** Trainings one minute apart, scored with the texts that are given. */
const scoredTrainings = async (team: TestTeam, texts: readonly string[]) =>
  theTrainings(
    service,
    team,
    texts.map((text, n) => ({
      userId: team.owner.user_id,
      status: 'ended' as const,
      createdAt: at(n),
      finishedAt: at(n),
      evaluation: {
        ...anEvaluation({ tips: [{ issue: text, moment: text, principle: text, rewrite: text, impact: text }] }),
        savedAt: at(n),
      },
    })),
  );

describe('?include=evaluation', () => {
  it('gives each training its evaluation, exactly as GET …/evaluation does, or null', async () => {
    const team = await aTeam(service);
    const user_id = team.owner.user_id;
    const methodology = await aCatalogItem(service, { dimension: 'methodology', tenantId: team.id });
    const tip = { issue: 'i', moment: '„m“', principle: 'p', rewrite: 'r\n', impact: '\u{1F600}' };
    const full = { tips: [tip, tip], goal: 'partial' as const, methodology, strongest: 'Zuhören', biggest_lever: '' };
    await aScoredTraining(service, team, {
      userId: user_id,
      externalRef: { crm: 1 },
      evaluation: { ...anEvaluation({ ...full, total: 12 }), savedAt: at(1) },
    });
    await aScoredTraining(service, team, {
      userId: user_id,
      evaluation: { ...anEvaluation({ total: null }), savedAt: at(0) },
    });
    await aTraining(service, team, { userId: user_id });

    for (const [path, count] of [
      ['/trainings', 3],
      ['/evaluations', 2],
    ] as const) {
      const plain = (await team.client.get(path)).data;
      const { data } = await team.client.get(`${path}?${including}`);
      expect(data).toHaveLength(count);
      expect(plain.filter((row) => 'evaluation' in row)).toEqual([]);
      const expected = [];
      for (const row of plain) expected.push({ ...row, evaluation: await evaluationOf(team, row['id']) });
      expect(data).toEqual(expected);
    }
    const { data } = await team.client.get(`/evaluations?${including}`);
    expect(data[0]?.['evaluation']).toMatchObject({ score: { dimensions, total: 12 }, ...full });
  });

  it('follows filters and cursors, and a cursor goes on with or without it', async () => {
    const team = await aTeam(service);
    const ids = await scoredTrainings(team, ['a', 'b', 'c']);
    await aTraining(service, team, { userId: team.owner.user_id });
    const newest = ids.toReversed();
    for (const path of ['/trainings?status=scored', `/trainings?status=scored&user_id=${team.owner.user_id}`]) {
      const { data } = await team.client.get(`${path}&${including}`);
      expect(data.map(({ id }) => id)).toEqual(newest);
    }
    const since = at(1).toISOString();
    for (const path of [`/trainings?status=scored&since=${since}`, `/evaluations?updated_since=${since}`]) {
      const first = await team.client.get(`${path}&${including}&limit=1`);
      expect(first.data.map(({ id }) => id)).toEqual([newest[0]]);
      const next = `${path}&limit=1&cursor=${String(first.body['next_cursor'])}`;
      for (const [more, has] of [
        [`&${including}`, true],
        ['', false],
      ] as const) {
        const second = await team.client.get(`${next}${more}`);
        expect(second.data.map((row) => [row['id'], 'evaluation' in row])).toEqual([[newest[1], has]]);
        expect(second.body['next_cursor']).toBeNull();
      }
    }
    const elsewhere = await team.client.get(`/trainings?${including}&user_id=nobody`);
    expect(elsewhere.data).toEqual([]);
  });

  it.each(lists)('of %s names every other value in `field`', async (path) => {
    const team = await aTeam(service);
    for (const value of ['', 'Evaluation', 'evaluations', 'evaluation,tips', 'tips', 'constructor', '1']) {
      const refused = { field: 'include', detail: 'Only `evaluation` can be included.' };
      expect(await team.client.get(`${path}?include=${value}`)).toBeProblem('validation_error', refused);
    }
    expect(await team.client.get(`${path}?${including}&${including}`)).toBeProblem('validation_error', {
      errors: [expect.objectContaining({ path: ['include'], code: 'duplicate' })],
    });
    expect(await team.client.get(`/trainings/x?${including}`)).toBeProblem('validation_error', {
      errors: [expect.objectContaining({ path: ['include'], code: 'unrecognized_keys' })],
    });
  });

  it('needs evaluations:read beside trainings:read, which is checked before privacy and before other flaws', async () => {
    const team = await aTeam(service);
    const scopes = allScopes.filter((scope) => scope !== 'evaluations:read');
    const client = await team.aClient({ scopes });
    const refused = { required_scope: 'evaluations:read', detail: expect.any(String) };
    const check = async () => {
      for (const path of [including, `${including}&limit=0`, `${including}&limit=x&unknown=1`, `cursor=x&${including}`])
        expect(await client.get(`/trainings?${path}`)).toBeProblem('insufficient_scope', refused);
    };
    await check();
    expect((await client.get('/trainings')).status).toBe(200);
    // A value that does not exist needs no scope.
    expect(await client.get('/trainings?include=tips')).toBeProblem('validation_error', {
      field: 'include',
      detail: expect.any(String),
    });
    await team.change({ memberDetail: false });
    await check();
    expect(await client.get('/trainings?include=tips')).toBeProblem('privacy_restricted');
    expect(await team.client.get(`/trainings?${including}`)).toBeProblem('privacy_restricted');
  });
});

describe('a page with evaluations', () => {
  it.each(lists)('of %s ends at about 1 MiB, and the next one goes on behind it', async (path) => {
    const team = await aTeam(service);
    // Texts that PostgreSQL compresses to nearly nothing: the size in the answer counts.
    const large = 'ä'.repeat(trainingLimits.evaluationTextCharacters * 3);
    const ids = await scoredTrainings(
      team,
      Array.from({ length: 60 }, (_, n) => (n % 3 === 2 ? 'small' : large)),
    );
    const pages = await pagesOf(team, path, 200);
    expect(pages.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(ids.toReversed());
    expect(pages.length).toBeGreaterThan(2);
    for (const { bytes } of pages) expect(bytes).toBeLessThan(limits.pageBytes * 1.02);
    for (const { bytes } of pages.slice(0, -1)) expect(bytes).toBeGreaterThan(limits.pageBytes * 0.9);
    const rows = pages.flatMap((page) => page.rows);
    for (const row of [rows[0], rows[1]]) expect(row?.['evaluation']).toEqual(await evaluationOf(team, row?.['id']));
  });

  it('is one statement, and a second one only if an evaluation is large', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const asked: string[] = [];
    const { database } = acting.platform;
    const listening: Team = {
      ...acting,
      platform: {
        ...acting.platform,
        database: {
          ...database,
          run: (query, parameters) => {
            asked.push(query.text);
            return database.run(query, parameters);
          },
        },
      },
    };
    const statementsOf = async (read: () => Promise<{ data: unknown[] }>, rows: number) => {
      asked.length = 0;
      expect((await read()).data).toHaveLength(rows);
      return asked.length;
    };
    const readAll = [
      () => listTrainings(listening, { limit: 200, include: 'evaluation' }),
      () => listEvaluated(listening, { limit: 200, include: 'evaluation' }),
    ];
    await scoredTrainings(
      team,
      Array.from({ length: 100 }, () => 'A sentence of a usual length, in words for people.'),
    );
    for (const read of readAll) expect(await statementsOf(read, 100)).toBe(1);
    await scoredTrainings(team, ['x'.repeat(trainingLimits.evaluationTextCharacters)]);
    for (const read of readAll) expect(await statementsOf(read, 101)).toBe(2);
  });
});
