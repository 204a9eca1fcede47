import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { endTraining, saveEvaluation, startTraining } from '../../src/modules/trainings/service.ts';
import { aCombination, anEvaluation } from '../support/practice.ts';
import { aRecordStore, flawIn } from '../support/record-store.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

// The program of the page “Into your learning system”, against a record store that checks xAPI's rules.

const service = await useTestService();
const program = 'xapi-statements.mts';

const valid = {
  id: '6f1c2f0e-6a52-5a5e-9a53-0f6f4d1f9a01',
  actor: { mbox: 'mailto:mia@example.com' },
  verb: { id: 'http://adlnet.gov/expapi/verbs/scored', display: { en: 'scored' } },
  object: { id: 'https://training.example.com/trainings/1' },
  result: { score: { scaled: 0.7, raw: 70, min: 0, max: 100 }, duration: 'PT7M2.5S' },
  timestamp: '2026-11-20T08:30:00.000Z',
};

it('the record store takes a statement, and none that breaks a rule', () => {
  expect(flawIn(valid)).toBeUndefined();
  const account = { homePage: 'https://hr.example.com', name: 'E-1042' };
  for (const broken of [
    { id: 'evt_01990c1e7a0070008000000000000080' },
    { actor: {} },
    { actor: { name: 'Mia' } },
    { actor: { mbox: 'mia@example.com' } },
    { actor: { ...valid.actor, account } },
    { actor: { account: { ...account, homePage: 'hr' } } },
    { verb: { id: 'scored' } },
    { verb: { ...valid.verb, display: 'scored' } },
    { object: { id: '/trainings/1' } },
    { result: { score: { scaled: 70 } } },
    { result: { score: { raw: 101, min: 0, max: 100 } } },
    { result: { duration: '492' } },
    { timestamp: '20.11.2026' },
    { context: null },
    { user_id: '1' },
  ])
    expect(flawIn({ ...valid, ...broken }), JSON.stringify(broken)).toBeDefined();
});

it('the program stores each statement once: by the own id or the address, also after it failed and from the start', async () => {
  const team = await aTeam(service, { members: 2 });
  const [mia, jo] = team.members;
  await team.client.patch(`/users/${mia?.id}`, { role: 'member', external_id: 'E-1042' });
  const combination = await aCombination(service);
  const assign = async (id = '') => {
    const body = { member_id: id, title: 'Price talk', ...combination };
    return String((await team.client.post('/assignments', body)).body['id']);
  };
  const assignment = await assign(mia?.id);
  const [deleted, other] = [await assign(jo?.id), await assign(jo?.id)];
  await team.client.delete(`/assignments/${deleted}`);
  await team.client.patch(`/assignments/${other}`, { status: 'done' });
  const acting = await team.acting();
  const wanted = { memberId: mia?.id ?? '', source: 'app', assignmentId: assignment } as const;
  const { trainingId } = await startTraining(acting, wanted);
  await endTraining(acting, trainingId);
  await saveEvaluation(acting, trainingId, anEvaluation({ total: 72 }));

  const folder = throwAwayFolder();
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(process.cwd(), 'dist', 'client'), join(folder, 'node_modules', 'team-customer-api-client'));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  await cp(join('src', 'server', 'developers', 'examples', program), join(folder, program));
  const store = await aRecordStore('lrs', 'secret');
  const scopes = ['webhooks:manage', 'users:read', 'assignments:read'] as const;
  const settings = {
    BASE_URL: service.baseUrl,
    LRS_URL: store.url,
    LRS_USER: 'lrs',
    LRS_PASSWORD: 'secret',
    ACCOUNT_HOME_PAGE: 'https://hr.example.com',
    PRACTICE_URL: 'https://practice.example.com/{assignment_id}',
  };
  const start = async (...options: string[]) => {
    const env = { ...settings, API_KEY: (await team.aKey({ scopes })).text };
    const child = spawn(process.execPath, [...options, program], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ended: once(child, 'exit'), said: text(child.stderr) };
  };

  store.setDown(true);
  const failed = await start();
  expect(await failed.ended).toEqual([1, null]);
  expect(await failed.said).toContain('The record store answered with 503');
  store.setDown(false);
  const first = await start();
  await expect.poll(() => store.statements.size).toBe(7);
  first.child.kill('SIGTERM');
  expect(await first.ended).toEqual([0, null]);

  const statements = [...store.statements.values()];
  const said = statements.map(({ verb, actor, object }) => [
    verb.display?.['en'],
    actor.account?.name ?? actor.mbox,
    object.id,
  ]);
  const own = (path: string) => `${service.origin}/${path}`;
  const [miasOwn, josOwn] = ['E-1042', `mailto:${jo?.email}`];
  expect(said).toEqual([
    ['assigned', miasOwn, own(`assignments/${assignment}`)],
    ['assigned', josOwn, own(`assignments/${deleted}`)],
    ['assigned', josOwn, own(`assignments/${other}`)],
    ['completed', josOwn, own(`assignments/${other}`)],
    ['completed', miasOwn, own(`trainings/${trainingId}`)],
    ['completed', miasOwn, own(`assignments/${assignment}`)],
    ['scored', miasOwn, own(`trainings/${trainingId}`)],
  ]);
  const [assigned, , , , completed, , scored] = statements;
  const practice = `https://practice.example.com/${assignment}`;
  expect(assigned?.object.definition).toEqual({ name: { en: 'Price talk' }, moreInfo: practice });
  expect(completed).toMatchObject({
    result: { completion: true, duration: expect.stringMatching(/^PT\d+S$/) },
    context: { contextActivities: { parent: [{ id: own(`assignments/${assignment}`) }] } },
  });
  expect(scored?.result?.score).toEqual({ scaled: 0.72, raw: 72, min: 0, max: 100 });

  // From the start: the same statements, and one that says something new.
  await rm(join(folder, 'xapi.cursor'));
  await team.client.patch(`/users/${mia?.id}`, { role: 'member', external_id: 'E-2000' });
  await saveEvaluation(acting, trainingId, anEvaluation({ total: 80 }));
  const again = await start();
  await expect.poll(() => store.statements.size).toBe(8);
  // Somebody who has joined since the program read the members.
  const newcomer = await team.anActiveMember();
  await assign(newcomer.id);
  await expect.poll(() => store.statements.size).toBe(9);
  again.child.kill('SIGTERM');
  await again.ended;
  expect([...store.offered.values()]).toEqual([2, 2, 2, 2, 2, 2, 2, 1, 1]);
  expect([...store.statements.values()].slice(0, 7)).toEqual(statements);
  expect([...store.statements.values()].slice(7)).toMatchObject([
    { actor: { account: { name: 'E-2000' } }, result: { score: { scaled: 0.8 } } },
    { actor: { mbox: `mailto:${newcomer.email}` }, verb: { display: { en: 'assigned' } } },
  ]);

  // Each look at the clock is two hours after the one before.
  await writeFile(
    join(folder, 'fast.mjs'),
    'const { now } = Date;\nlet looks = 0;\nDate.now = () => now() + 7_200_000 * looks++;',
  );
  const fast = await start('--import', './fast.mjs');
  const isScored = (total: number) =>
    expect.poll(() => [...store.statements.values()].some(({ result }) => result?.score?.raw === total)).toBe(true);
  await saveEvaluation(acting, trainingId, anEvaluation({ total: 81 }));
  await isScored(81);
  await team.client.patch(`/users/${mia?.id}`, { role: 'member', external_id: 'E-3000' });
  await saveEvaluation(acting, trainingId, anEvaluation({ total: 82 }));
  await isScored(82);
  fast.child.kill('SIGTERM');
  await fast.ended;
  expect([...store.statements.values()].slice(9).map(({ actor }) => actor.account?.name)).toEqual(['E-2000', 'E-3000']);
});
