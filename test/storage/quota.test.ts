import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asJson } from '../../src/core/raw-json.ts';
import { storageQuotas } from '../../src/core/limits.ts';
import { sameForEach } from '../../src/db/query.ts';
import { textNames } from '../../src/modules/cases/store.ts';
import { teamTables } from '../../src/modules/export/tables.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCombination } from '../support/assignments.ts';
import type { Answer } from '../support/client.ts';
import { withSql } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { leaveRoom, storageOf } from '../support/storage.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';

let service: TestService;
let combination: Awaited<ReturnType<typeof aCombination>>;
beforeAll(async () => {
  service = await startTestService({ own: true });
  combination = await aCombination(service);
});
afterAll(() => service.close());

const postCase = (team: TestTeam, content: object = {}, key?: string): Promise<Answer> =>
  team.client.post(
    '/cases',
    { user_id: team.owner.user_id, ...content },
    key === undefined ? {} : { headers: { 'Idempotency-Key': key } },
  );
const postAssignment = (team: TestTeam, content: object = {}): Promise<Answer> =>
  team.client.post('/assignments', { member_id: team.owner.member_id, title: 'Practise', ...combination, ...content });

const idOf = (answer: Answer): string => {
  expect(answer.status).toBe(201);
  return String(answer.body['id']);
};
const expectFull = (answer: Answer) => {
  expect(answer).toBeProblem('validation_error');
  expect(answer.body['field']).toBe('storage');
  expect(answer.body['detail']).toMatch(/storage of its plan/);
};
const countCases = (team: TestTeam) => service.database.prisma.case.count({ where: { tenantId: team.id } });

describe('a team that has used up its storage', () => {
  it('can’t add or enlarge a case or an assignment, and a refused request leaves nothing', async () => {
    const team = await aTeam(service);
    const caseId = idOf(await postCase(team, { title: 'A case', fields: { a: 'x'.repeat(2_000) } }));
    const assignmentId = idOf(await postAssignment(team, { note: 'x'.repeat(2_000) }));
    const app = await inTheApp(team);
    await leaveRoom(service, team, 100);
    const before = await service.database.prisma.auditEntry.count({ where: { tenantId: team.id } });

    expectFull(await postCase(team));
    expectFull(await postCase(team, {}, 'a key'));
    expectFull(await postAssignment(team));
    expectFull(await team.client.patch(`/cases/${caseId}`, { external_ref: { b: 'x'.repeat(200) } }));
    expectFull(await team.client.patch(`/assignments/${assignmentId}`, { note: 'x'.repeat(2_200) }));
    const refusal = { cause: { code: 'validation_error', members: { field: 'storage' } } };
    await expect(app.ownCases.create({ title: 'Own' })).rejects.toMatchObject(refusal);
    const wanted = { member_ids: [team.owner.member_id], title: 'Practise', ...combination };
    await expect(app.assigning.create(wanted)).rejects.toMatchObject(refusal);

    expect(await countCases(team)).toBe(1);
    expect(await service.database.prisma.assignment.count({ where: { tenantId: team.id } })).toBe(1);
    expect(await service.database.prisma.auditEntry.count({ where: { tenantId: team.id } })).toBe(before);
    expect((await storageOf(service, team)).counted.stored).toBe(storageQuotas.team.stored - 100);
  });

  it('can shrink, change without growth, and delete, which frees storage', async () => {
    const team = await aTeam(service);
    const caseId = idOf(await postCase(team, { fields: { a: 'x'.repeat(2_000) } }));
    const assignmentId = idOf(await postAssignment(team, { note: 'x'.repeat(2_000) }));
    await leaveRoom(service, team, 0);
    expect((await team.client.patch(`/assignments/${assignmentId}`, { status: 'done' })).status).toBe(200);
    expectFull(await postCase(team));
    expect((await team.client.patch(`/assignments/${assignmentId}`, { note: 'x'.repeat(1_400) })).status).toBe(200);
    const added = idOf(await postCase(team));
    expectFull(await postCase(team));
    expect((await team.client.patch(`/cases/${caseId}`, { fields: null })).status).toBe(200);
    expect((await team.client.delete(`/cases/${caseId}`)).status).toBe(200);
    expect((await team.client.delete(`/cases/${added}`)).status).toBe(200);
    expect((await team.client.delete(`/assignments/${assignmentId}`)).status).toBe(200);
    expect((await postAssignment(team)).status).toBe(201);
  });

  it('gets a new answer for the same Idempotency-Key once there is room', async () => {
    const team = await aTeam(service);
    const caseId = idOf(await postCase(team));
    await leaveRoom(service, team, 0);
    expectFull(await postCase(team, { title: 'Later' }, 'a key'));
    await team.client.delete(`/cases/${caseId}`);
    await leaveRoom(service, team, 10_000);
    const made = await postCase(team, { title: 'Later' }, 'a key');
    expect([made.status, made.headers.has('idempotent-replayed')]).toEqual([201, false]);
  });

  it('does not affect another team', async () => {
    const [full, other] = [await aTeam(service), await aTeam(service)];
    await leaveRoom(service, full, 0);
    expectFull(await postCase(full));
    expect((await postCase(other)).status).toBe(201);
    expect((await postAssignment(other)).status).toBe(201);
  });

  it('has more room on a larger plan, and none on a smaller one until it has deleted enough', async () => {
    const team = await aTeam(service);
    const caseId = idOf(await postCase(team));
    await leaveRoom(service, team, 0);
    await team.change({ plan: 'enterprise' });
    expect((await postCase(team)).status).toBe(201);
    await team.change({ plan: 'team' });
    expectFull(await postCase(team));
    expect((await team.client.delete(`/cases/${caseId}`)).status).toBe(200);
  });

  it('can still use everything else: members, running trainings, webhooks, reading', async () => {
    const team = await aTeam(service, { members: 1 });
    const assignmentId = idOf(await postAssignment(team, { member_id: team.members[0]?.id }));
    const app = await inTheApp(team);
    const { training_id } = await app.sessions.start({});
    await leaveRoom(service, team, 0);
    expect((await team.client.get('/cases')).status).toBe(200);
    await app.sessions.end({ training_id });
    expect((await team.client.delete(`/users/${team.members[0]?.id}`)).status).toBe(200);
    expect((await team.client.get(`/assignments/${assignmentId}`)).body['status']).toBe('revoked');
  });
});

it('many requests at once near the quota never exceed it, and use all of it', async () => {
  const team = await aTeam(service);
  const clients = [team.client, await team.aClient(), await team.aClient()];
  const each = 512 + 'A case'.length;
  await leaveRoom(service, team, 20 * each + 100);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (clients[index % clients.length] ?? team.client).post('/cases', {
        user_id: team.owner.user_id,
        title: 'A case',
      }),
    ),
  );
  const made = answers.filter((answer) => answer.status === 201);
  expect(made).toHaveLength(20);
  for (const answer of answers) if (answer.status !== 201) expectFull(answer);
  expect(await countCases(team)).toBe(20);
  expect((await storageOf(service, team)).counted.stored).toBe(storageQuotas.team.stored - 100);
}, 60_000);

describe('the function stored_bytes', () => {
  // A test of the erasure fails for every text or JSON column of a team's table that its declaration does not name.
  const counted = [
    ...teamTables.filter((table) => table.counted),
    { table: 'idempotency_record', searched: ['key', 'answer'] },
  ];

  it('exists for every table that counts', async () => {
    const found = await service.database.prisma.$queryRaw<{ table: string }[]>`
      select k.relname as table from pg_proc p join pg_class k on k.reltype = p.proargtypes[0] where p.proname = 'stored_bytes'`;
    expect(found.map(({ table }) => table).toSorted()).toEqual(counted.map(({ table }) => table).toSorted());
  });

  it.each(counted.flatMap(({ table, searched }) => searched.map((column) => ({ table, column, searched }))))(
    'counts the column $column of $table',
    async ({ table, column, searched }) => {
      const [found] = await withSql(service, async (sql) => {
        const short = sameForEach(searched, 'x');
        const { rows } = await sql.query<{ grown: number }>(
          `select (stored_bytes(jsonb_populate_record(null::"${table}", $2)) -
                   stored_bytes(jsonb_populate_record(null::"${table}", $1)))::int as grown`,
          [short, { ...short, [column]: `x${'ä'.repeat(500)}` }],
        );
        return rows;
      });
      const advice = `stored_bytes does not count "${table}"."${column}": the migration that adds the column has to replace this function`;
      expect(found?.grown, advice).toBe(1_000);
    },
  );
});

describe('the counted storage', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !value.includes('\0'));
  const fields = fc.option(
    fc.dictionary(fc.constantFrom('a', 'b', 'ä'), fc.oneof(text, fc.integer(), fc.constant(1e30))),
  );
  const content = fc.record(
    { ...sameForEach(textNames, fc.option(text)), fields, external_ref: fields },
    { requiredKeys: [] },
  );
  const note = fc.option(text);
  const step = fc.oneof(
    fc.record({ do: fc.constant('create case' as const), content, key: fc.option(fc.constantFrom('k1', 'k2')) }),
    fc.record({ do: fc.constant('change case' as const), at: fc.nat(), content }),
    fc.record({ do: fc.constant('delete case' as const), at: fc.nat() }),
    fc.record({ do: fc.constant('create assignment' as const), note }),
    fc.record({ do: fc.constant('give to all' as const), note }),
    fc.record({ do: fc.constant('change assignment' as const), at: fc.nat(), note }),
    fc.record({ do: fc.constant('delete assignment' as const), at: fc.nat() }),
    fc.record({ do: fc.constant('own case' as const), content }),
    fc.record({ do: fc.constant('practise' as const), at: fc.nat() }),
    fc.record({ do: fc.constant('remove member' as const) }),
    fc.record({ do: fc.constant('join' as const) }),
  );
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  const caseIds = async (team: TestTeam) =>
    (await service.database.prisma.case.findMany({ where: { tenantId: team.id, private: false } })).map(({ id }) => id);
  const assignmentIds = async (team: TestTeam) =>
    (await service.database.prisma.assignment.findMany({ where: { tenantId: team.id } })).map(({ id }) => id);
  const pick = (ids: readonly string[], at: number): string => ids[at % Math.max(1, ids.length)] ?? 'none';

  const take = async (team: TestTeam, members: string[], wanted: Step): Promise<void> => {
    const app = await inTheApp(team);
    if (wanted.do === 'create case') {
      const { status } = await postCase(team, wanted.content, wanted.key ?? undefined);
      if (wanted.key === null) expect(status).toBe(201);
    }
    if (wanted.do === 'own case') await app.ownCases.create(wanted.content);
    if (wanted.do === 'change case') {
      await team.client.patch(`/cases/${pick(await caseIds(team), wanted.at)}`, wanted.content);
    }
    if (wanted.do === 'delete case') await team.client.delete(`/cases/${pick(await caseIds(team), wanted.at)}`);
    if (wanted.do === 'create assignment') {
      await postAssignment(team, { member_id: members.at(-1) ?? team.owner.member_id, note: wanted.note });
    }
    if (wanted.do === 'give to all') {
      const member_ids = [team.owner.member_id, ...members];
      await app.assigning.create({ member_ids, title: 'Überall', note: wanted.note, ...combination });
    }
    if (wanted.do === 'change assignment') {
      const assignment_id = pick(await assignmentIds(team), wanted.at);
      await team.client.patch(`/assignments/${assignment_id}`, { note: wanted.note, status: 'done' });
      if (assignment_id !== 'none')
        await app.assigning.change({ assignment_id, title: `Ö${wanted.note ?? ''}`.slice(0, 99) });
    }
    if (wanted.do === 'delete assignment') {
      await team.client.delete(`/assignments/${pick(await assignmentIds(team), wanted.at)}`);
    }
    if (wanted.do === 'practise') {
      const mine = await service.database.prisma.assignment.findMany({
        where: { tenantId: team.id, memberId: team.owner.member_id, status: { not: 'revoked' } },
      });
      const assignment_id = mine[wanted.at % Math.max(1, mine.length)]?.id ?? null;
      const { training_id } = await app.sessions.start({ assignment_id });
      await app.sessions.end({ training_id });
    }
    if (wanted.do === 'join') members.push((await team.anActiveMember()).id);
    if (wanted.do === 'remove member') {
      const gone = members.pop();
      if (gone !== undefined) expect((await team.client.delete(`/users/${gone}`)).status).toBe(200);
    }
  };

  it('always equals the stored bytes, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const team = await aTeam(service);
        const members: string[] = [];
        for (const one of steps) await take(team, members, one);
        const { counted, found } = await storageOf(service, team);
        expect(counted).toEqual(found);
      }),
      { numRuns: 25 },
    );
  }, 180_000);

  it('is never negative, even after direct changes of rows', async () => {
    const team = await aTeam(service);
    const id = idOf(await postCase(team, { title: 'x'.repeat(100) }));
    await service.database.prisma.teamUsage.updateMany({ where: { tenantId: team.id }, data: { bytes: 10 } });
    expect((await team.client.delete(`/cases/${id}`)).status).toBe(200);
    expect((await storageOf(service, team)).counted.stored).toBe(0);
  });
});

describe('a training and its evaluation', () => {
  const dimensions = {
    closing: 50,
    conversation_control: 50,
    needs_analysis: 50,
    objection_handling: 50,
    value_argument: 50,
  };
  const tip = { issue: 'x'.repeat(500), moment: 'ä', principle: '', rewrite: '', impact: '' };

  it('count for the team’s storage, and so do corrections', async () => {
    const team = await aTeam(service);
    const { sessions } = await inTheApp(team);
    const counts = async () => {
      const { counted, found } = await storageOf(service, team);
      expect(counted).toEqual(found);
      return counted.stored;
    };
    const before = await counts();
    const { training_id } = await sessions.start({ external_ref: asJson({ a: 'x'.repeat(1_000) }) });
    const started = await counts();
    expect(started - before).toBeGreaterThan(1_512);
    await sessions.end({ training_id });
    await sessions.evaluate({ training_id, dimensions, tips: [tip], strongest: 'ä'.repeat(100) });
    const evaluated = await counts();
    expect(evaluated - started).toBeGreaterThan(512 + 500 + 200);
    await sessions.evaluate({ training_id, dimensions, tips: [tip, tip], biggest_lever: 'y' });
    expect(await counts()).toBeGreaterThan(evaluated);
    await sessions.evaluate({ training_id, dimensions });
    expect(await counts()).toBeLessThan(evaluated);
  });

  it('are refused beyond the quota; shorter corrections are not', async () => {
    const team = await aTeam(service);
    const { sessions } = await inTheApp(team);
    const { training_id } = await sessions.start({});
    await sessions.end({ training_id });
    await sessions.evaluate({ training_id, dimensions, tips: [tip] });
    await leaveRoom(service, team, 100);
    const full = { code: 'validation_error', members: { field: 'storage' } };
    await expectRefusal(sessions.start({}), full);
    await expectRefusal(sessions.evaluate({ training_id, dimensions, tips: [tip, tip] }), full);
    await sessions.evaluate({ training_id, dimensions, tips: [] });
    expect(await service.database.prisma.training.count({ where: { tenantId: team.id } })).toBe(1);
  });

  it('all texts of an evaluation together have at most 64 KiB', async () => {
    const team = await aTeam(service);
    const { sessions } = await inTheApp(team);
    const { training_id } = await sessions.start({});
    await sessions.end({ training_id });
    const long = '🐎'.repeat(2_000);
    const tips = Array.from({ length: 2 }, () => ({
      issue: long,
      moment: long,
      principle: long,
      rewrite: long,
      impact: long,
    }));
    await expectRefusal(sessions.evaluate({ training_id, dimensions, tips }), {
      code: 'validation_error',
      members: { field: 'tips' },
    });
    await sessions.evaluate({ training_id, dimensions, tips: tips.slice(1) });
  });
});
