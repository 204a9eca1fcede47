import { describe, expect, it, onTestFinished } from 'vitest';
import { asJson } from '../../src/core/json.ts';
import { storageQuotas } from '../../src/core/limits.ts';
import { jobs } from '../../src/platform/jobs.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCombination } from '../support/practice.ts';
import type { Answer } from '../support/client.ts';
import { anAssistant } from '../support/assistants.ts';
import { aSignedInPerson } from '../support/people.ts';
import { aWorker } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aDirectory, aScimUser } from '../support/scim.ts';
import { leaveRoom, storageOf } from './counters.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const combination = await aCombination(service);

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
  expect(answer.body['detail']).toMatch(/storage is full/);
};
const countCases = (team: TestTeam) => service.database.prisma.case.count({ where: { tenantId: team.id } });

const dimensions = {
  closing: 50,
  conversation_control: 50,
  needs_analysis: 50,
  objection_handling: 50,
  value_argument: 50,
};
const tip = { issue: 'x'.repeat(500), moment: 'ä', principle: '', rewrite: '', impact: '' };

/** The bytes of a JSON body, and what a row counts for in addition. */
const sizeOf = (body: object): number => 512 + Buffer.byteLength(JSON.stringify(body));

const countedIn = async (team: TestTeam): Promise<number> => (await storageOf(service, team)).counted.stored;

/** Runs the nightly job in a worker. */
const sumAll = async () => {
  await jobs.add(service.database, { task: 'sum_storage', payload: {} });
  const worker = aWorker(service);
  const left = async () =>
    service.database.prisma.$queryRaw`select 1 from graphile_worker.jobs where task_identifier = 'sum_storage'`;
  await expect.poll(left).toEqual([]);
  await worker.stop();
};

/** A minute later, the storage of a full team is added up again. */
const aMinuteLater = () => {
  service.clock.forward(61_000);
  onTestFinished(() => service.clock.set(new Date()));
};

describe('what a team stores', () => {
  it('is counted by the size of each request that succeeds', async () => {
    const team = await aTeam(service);
    const owner = { user_id: team.owner.user_id };
    expect(await countedIn(team)).toBe(0);

    const caseId = idOf(await postCase(team, { title: 'Ein Fall für später' }));
    let counted = sizeOf({ ...owner, title: 'Ein Fall für später' });
    expect(await countedIn(team)).toBe(counted);

    expect((await team.client.patch(`/cases/${caseId}`, { title: 'Ö' })).status).toBe(200);
    counted += sizeOf({ title: 'Ö' });
    expect(await countedIn(team)).toBe(counted);

    expect(await postCase(team, { title: 7 })).toBeProblem('validation_error');
    await team.client.get('/cases');
    expect(await countedIn(team)).toBe(counted);

    await postCase(team, { title: 'Once' }, 'a key');
    expect((await postCase(team, { title: 'Once' }, 'a key')).headers.get('idempotent-replayed')).toBe('true');
    counted += sizeOf({ ...owner, title: 'Once' });
    expect(await countedIn(team)).toBe(counted);
  });

  it('is counted by the rows of a request that creates several', async () => {
    const team = await aTeam(service);
    const item = { member_id: team.owner.member_id, title: 'Practise', ...combination };
    const body = { items: [item, item, item] };
    expect((await team.client.post('/assignments/bulk', body)).status).toBe(200);
    expect(await countedIn(team)).toBe(2 * 512 + sizeOf(body));
    await leaveRoom(service, team, 0);
    expectFull(await team.client.post('/assignments/bulk', body));
    expect((await team.client.get('/assignments')).data).toHaveLength(3);
  });

  it.each(['create', 'createMany'] as const)(
    'is counted by the assignments that a request of the app (%s) makes of one note',
    async (way) => {
      const team = await aTeam(service, { members: 2 });
      const { browser } = await aSignedInPerson(service, team, { role: 'admin' });
      const ids = [team.owner.member_id, ...team.members.map(({ id }) => id)];
      // The last id of `createMany` belongs to no member, so it is refused.
      const member_ids = way === 'create' ? ids : [...ids, team.id];
      const body = { member_ids, title: 'Practise', note: 'ä'.repeat(5_000), ...combination };
      const given = await browser.mutate(`app/assigning.${way}`, body, { team: team.id });
      expect(given.status).toBe(200);
      expect(await countedIn(team)).toBe(sizeOf(body) + 2 * (512 + 'Practise'.length + 10_000));
    },
  );

  it('is counted in the app and for assistants too', async () => {
    const team = await aTeam(service);
    const { browser } = await aSignedInPerson(service, team, { role: 'admin' });
    const content = { title: 'Own' };
    expect((await browser.mutate('app/ownCases.create', content, { team: team.id })).status).toBe(200);
    const counted = sizeOf(content);
    expect(await countedIn(team)).toBe(counted);
    await browser.query('app/ownCases.list', {}, { team: team.id });
    expect(await countedIn(team)).toBe(counted);

    const assistant = await anAssistant(service, (await team.aKey({ scopes: ['users:read', 'cases:write'] })).text);
    const call = () =>
      assistant.call('create_case', { member_id: team.owner.member_id, title: 'By an assistant', request_key: 'once' });
    expect((await call()).isError).toBe(false);
    const withCall = await countedIn(team);
    expect(withCall - counted).toBeGreaterThan(512);
    expect((await call()).isError).toBe(false);
    expect(await countedIn(team)).toBe(withCall);
  });

  it('is counted for directories too, and read exactly', async () => {
    const team = await aTeam(service);
    const directory = await aDirectory(service, team);
    const user = aScimUser({ title: 'Ä' });
    expect((await directory.post('/Users', user)).status).toBe(201);
    const counted = sizeOf(user);
    expect(await countedIn(team)).toBe(counted);
    expect((await directory.post('/Users', user)).status).toBe(409);
    await directory.get('/Users');
    expect(await countedIn(team)).toBe(counted);
    const { attributes, userName } = await service.database.prisma.directoryUser.findFirstOrThrow({
      where: { tenantId: team.id },
    });
    const { found } = await storageOf(service, team);
    expect(found.stored).toBe(512 + Buffer.byteLength(attributes + userName));
  });

  it('is set to the exact sum by the nightly job', async () => {
    const team = await aTeam(service);
    const caseId = idOf(await postCase(team, { title: 'ä', fields: { a: 'b' } }, 'a key'));
    idOf(await postAssignment(team, { note: 'xyz' }));
    const { sessions } = await inTheApp(team);
    const { training_id } = await sessions.start({ external_ref: asJson({ c: 'ö' }) });
    await sessions.end({ training_id });
    await sessions.evaluate({ training_id, dimensions, tips: [tip], strongest: 'ä'.repeat(100) });
    await team.client.delete(`/cases/${idOf(await postCase(team))}`);

    await service.platform.storage.written();
    await sumAll();
    const { counted, found } = await storageOf(service, team);
    expect(counted).toEqual(found);
    const { answer } = await service.database.prisma.idempotencyRecord.findFirstOrThrow({
      where: { tenantId: team.id },
    });
    expect(counted.answers).toBe(512 + 'a key'.length + answer.length);
    const { tips } = await service.database.prisma.evaluation.findFirstOrThrow({ where: { tenantId: team.id } });
    const texts = ['ä', '{"a": "b"}', 'Practise', 'xyz', '{"c": "ö"}', 'ä'.repeat(100)];
    // The spaces of JSON may differ.
    const exact = 4 * 512 + Buffer.byteLength(texts.join('')) + Buffer.byteLength(JSON.stringify(tips));
    expect(Math.abs(counted.stored - exact)).toBeLessThan(30);

    await team.client.delete(`/cases/${caseId}`);
    await sumAll();
    expect(await countedIn(team)).toBeLessThan(counted.stored - 512);
  });
});

describe('a team that has used up its storage', () => {
  it('can’t add or enlarge a case, an assignment or a training, and a refused request leaves nothing', async () => {
    const team = await aTeam(service);
    const caseId = idOf(await postCase(team, { title: 'A case' }));
    const assignmentId = idOf(await postAssignment(team, { note: 'x' }));
    const app = await inTheApp(team);
    await leaveRoom(service, team, 0);
    const before = await service.database.prisma.auditEntry.count({ where: { tenantId: team.id } });

    expectFull(await postCase(team));
    expectFull(await postCase(team, {}, 'a key'));
    expectFull(await postAssignment(team));
    expectFull(await team.client.patch(`/cases/${caseId}`, { external_ref: { b: 'x'.repeat(200) } }));
    expectFull(await team.client.patch(`/assignments/${assignmentId}`, { note: 'x'.repeat(2_200) }));
    const refusal = { code: 'validation_error', members: { field: 'storage' } };
    await expectRefusal(app.ownCases.create({ title: 'Own' }), refusal);
    const wanted = { member_ids: [team.owner.member_id], title: 'Practise', ...combination };
    await expectRefusal(app.assigning.create(wanted), refusal);
    await expectRefusal(app.sessions.start({}), refusal);

    expect(await countCases(team)).toBe(1);
    expect(await service.database.prisma.assignment.count({ where: { tenantId: team.id } })).toBe(1);
    expect(await service.database.prisma.auditEntry.count({ where: { tenantId: team.id } })).toBe(before);
    expect(await countedIn(team)).toBe(storageQuotas.team.stored);
  });

  it('has room again within a minute after it has deleted enough', async () => {
    const team = await aTeam(service);
    const caseId = idOf(await postCase(team, { fields: { a: 'x'.repeat(2_000) } }));
    await leaveRoom(service, team, 0);
    expectFull(await postCase(team));
    expect((await team.client.delete(`/cases/${caseId}`)).status).toBe(200);
    expectFull(await postCase(team));
    aMinuteLater();
    expect((await postCase(team)).status).toBe(201);
    expect(await countedIn(team)).toBeLessThan(2_000);
  });

  it('gets a new answer for the same Idempotency-Key once there is room', async () => {
    const team = await aTeam(service);
    await leaveRoom(service, team, 0);
    expectFull(await postCase(team, { title: 'Later' }, 'a key'));
    aMinuteLater();
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

  it('has more room on a larger plan', async () => {
    const team = await aTeam(service);
    await leaveRoom(service, team, 0);
    expectFull(await postCase(team));
    await team.change({ plan: 'enterprise' });
    expect((await postCase(team)).status).toBe(201);
  });

  it('can still use everything else: members, running trainings, webhooks, reading, shortening, deleting', async () => {
    const team = await aTeam(service, { members: 1 });
    const assignmentId = idOf(await postAssignment(team, { member_id: team.members[0]?.id }));
    const ownId = idOf(await postAssignment(team));
    const caseId = idOf(await postCase(team, { title: 'A case' }));
    const app = await inTheApp(team);
    const { training_id } = await app.sessions.start({});
    await leaveRoom(service, team, 0);
    const rename = (title: string) => team.client.patch(`/cases/${caseId}`, { title });
    expectFull(await rename('A longer case'));
    for (const title of ['B case', 'C']) expect((await rename(title)).status).toBe(200);
    expect((await team.client.get('/cases')).status).toBe(200);
    await app.sessions.end({ training_id });
    expect((await team.client.delete(`/users/${team.members[0]?.id}`)).status).toBe(200);
    expect((await team.client.get(`/assignments/${assignmentId}`)).body['status']).toBe('revoked');
    expect((await team.client.delete(`/assignments/${ownId}`)).status).toBe(200);
  });
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
