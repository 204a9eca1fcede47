import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeId } from '../../src/core/ids.ts';
import { evaluationWith } from '../../src/cli/record-training.ts';
import { anAssignment, equalScores } from '../support/practice.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { cliOnDatabase } from './on-database.ts';

const service = await useTestService({ own: true });
const cli = await cliOnDatabase(service.databaseUrl);
const team = await aTeam(service, { members: 1, admins: 1 });

const Recorded = z.strictObject({ training_id: z.uuid() });
const past = '2026-03-01T09:30:00.250+01:00';
const started = '2026-03-01T08:30:00.250Z';
const eightMinutesLater = '2026-03-01T08:38:00.250Z';

const recording = ['training', 'record', '--team'];
const args = (of: TestTeam, memberId: string, ...flags: string[]) => [
  ...recording,
  of.id,
  '--member',
  memberId,
  ...flags,
];
const record = async (of: TestTeam, memberId: string, ...flags: string[]) =>
  (await cli.json(Recorded, args(of, memberId, ...flags))).training_id;
const shown = async (of: TestTeam, id: string, more = '') => (await of.client.get(`/trainings/${id}${more}`)).body;
const recordedIn = async (of: TestTeam) => (await of.client.get('/trainings')).data.length;

describe('training record', () => {
  it('without options records a training that ended now, and raises its events', async () => {
    const own = await aTeam(service);
    const before = new Date().toISOString();
    const training_id = await record(own, own.owner.member_id);
    const training = await shown(own, training_id);
    expect(training).toMatchObject({ user_id: own.owner.user_id, status: 'ended', source: 'app', duration_s: 0 });
    expect(String(training['created_at']) >= before).toBe(true);
    expect(training['finished_at']).toBe(training['created_at']);
    expect(await eventDataOf(service, own, 'training.completed')).toMatchObject([
      { team_id: own.id, training_id, user_id: own.owner.user_id, status: 'ended', duration_s: 0 },
    ]);
    expect((await auditEntriesOn(service, own, training_id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['training.started', ['operator', null]],
      ['training.ended', ['operator', null]],
    ]);
  });

  it.each([
    ['running', { finished_at: null, duration_s: null }, []],
    ['aborted', { finished_at: eightMinutesLater, duration_s: 480 }, []],
    ['ended', { finished_at: eightMinutesLater, duration_s: 480 }, ['training.completed']],
    ['scored', { finished_at: eightMinutesLater, duration_s: 480 }, ['training.completed', 'evaluation.completed']],
  ])('--status %s --at: all times are relative to then', async (status, expected, eventTypes) => {
    const own = await aTeam(service);
    const training_id = await record(own, own.owner.member_id, '--status', status, '--at', past);
    expect(await shown(own, training_id)).toMatchObject({ status, created_at: started, ...expected });
    const events = await service.database.prisma.webhookEvent.findMany({
      where: { tenantId: own.id },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ type, createdAt }) => [type, createdAt.toISOString()])).toEqual(
      eventTypes.map((type) => [type, eightMinutesLater]),
    );
    const since = (await own.client.get(`/evaluations?updated_since=${eightMinutesLater}`)).data.length;
    expect(since).toBe(status === 'scored' ? 1 : 0);
    if (status !== 'scored') return;
    const { score } = await shown(own, training_id, '/evaluation');
    expect(score).toMatchObject({ total: 70, dimensions: { closing: 70 } });
  });

  it.each([
    ['69', 'partial', 'de', 'Angebot'],
    ['100', 'reached', 'en', 'proposal'],
  ] as const)('--score %s: %s, in the language of the team (%s)', async (score, goal, language, word) => {
    const own = await aTeam(service, { language });
    const training_id = await record(own, own.owner.member_id, '--score', score);
    const mark = Number(score);
    const evaluation = await shown(own, training_id, '/evaluation');
    expect(evaluation).toMatchObject({
      score: { dimensions: equalScores(mark), total: mark, spread: 0 },
      goal,
      strongest: expect.any(String),
      biggest_lever: expect.any(String),
    });
    expect(JSON.stringify(evaluation['tips'])).toContain(word);
    expect(await eventDataOf(service, own, 'evaluation.completed')).toEqual([
      { team_id: own.id, training_id, user_id: own.owner.user_id, score: mark },
    ]);
    expect((await own.client.get('/analytics/team')).body).toMatchObject({
      totals: { sessions: 1, scored: 1, avg_score: mark },
    });
  });

  it('the goal is derived from the score', () => {
    const goals = [0, 39, 40, 69, 70, 100].map((score) => evaluationWith(score, 'de').goal);
    expect(goals).toEqual(['missed', 'missed', 'partial', 'partial', 'reached', 'reached']);
  });

  it('--assignment: it is done, without an event of its own', async () => {
    const [member] = team.members;
    const assignment = await anAssignment(service, team, { memberId: member?.id ?? '' });
    const training_id = await record(team, member?.id ?? '', '--assignment', assignment, '--score', '55');
    expect((await team.client.get(`/assignments/${assignment}`)).body).toMatchObject({
      status: 'done',
      completed_training_id: training_id,
    });
    expect(await eventDataOf(service, team, 'assignment.completed')).toEqual([]);
  });

  it('ends no later than now', async () => {
    const at = new Date(Date.now() - 60_000);
    const training = await shown(team, await record(team, team.owner.member_id, '--at', at.toISOString()));
    expect(training['created_at']).toBe(at.toISOString());
    expect(Number(training['duration_s'])).toBeGreaterThanOrEqual(60);
    expect(Number(training['duration_s'])).toBeLessThan(120);
  });

  it('sends neither score nor person of a team that hides its members', async () => {
    const own = await aTeam(service, { memberDetail: false });
    const training_id = await record(own, own.owner.member_id, '--score', '80');
    expect(await eventDataOf(service, own, 'evaluation.completed')).toEqual([{ team_id: own.id, training_id }]);
  });

  it('refuses unknown ids, and times in the future', async () => {
    const other = await aTeam(service);
    const invited = await team.anInvitedMember();
    const [member] = team.members;
    const [admin] = team.admins;
    const notTheirs = await anAssignment(service, team, { memberId: admin?.id ?? '' });
    const before = await recordedIn(team);
    const own = member?.id ?? '';
    for (const [given, code] of [
      [args({ ...team, id: makeId() }, own), 'not_found'],
      [args({ ...team, id: 'nonsense' }, own), 'not_found'],
      [args(team, makeId()), 'not_found'],
      [args(team, 'nonsense'), 'not_found'],
      [args(team, invited.id), 'not_found'],
      [args(team, other.owner.member_id), 'not_found'],
      [args(team, own, '--assignment', makeId()), 'not_found'],
      [args(team, own, '--assignment', 'nonsense'), 'not_found'],
      [args(team, own, '--assignment', notTheirs), 'not_found'],
      [args(team, own, '--at', new Date(Date.now() + 3_600_000).toISOString()), 'validation_error'],
      [args(team, own, '--at', '9999-12-31T23:59:59Z'), 'validation_error'],
    ] as const) {
      expect(await cli.failure(given), given.join(' ')).toMatchObject({ exitCode: 1, code });
    }
    expect(await recordedIn(team)).toBe(before);
  });

  it('accepts the first day of the calendar', async () => {
    const training_id = await record(team, team.owner.member_id, '--at', '0001-01-01T00:00:00Z', '--score', '1');
    expect(await shown(team, training_id)).toMatchObject({ created_at: '0001-01-01T00:00:00.000Z', duration_s: 480 });
  });

  it('prints a line for people', async () => {
    const { exitCode, stdout } = await cli.run(args(team, team.owner.member_id));
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^training_id {2}[0-9a-f-]{36}\n$/)]);
  });
});

describe('training record --file', () => {
  const RecordedMany = z.strictObject({ recorded: z.int(), training_ids: z.array(z.uuid()) });
  const fileOf = async (...lines: string[]) => {
    const file = join(throwAwayFolder(), 'trainings.jsonl');
    await writeFile(file, lines.join('\n'));
    return file;
  };
  const recordAll = (of: TestTeam, file: string) => [...recording, of.id, '--file', file];

  it('records each line as the options would, in order, with its events', async () => {
    const own = await aTeam(service);
    const member = own.owner.member_id;
    const assignment = await anAssignment(service, own, { memberId: member });
    const lines = [{ member }, { member, score: 72, at: past }, { member, status: 'running', assignment }];
    const file = await fileOf(...lines.map((line) => JSON.stringify(line)), '');
    const { recorded, training_ids } = await cli.json(RecordedMany, recordAll(own, file));
    expect(recorded).toBe(3);
    expect(await Promise.all(training_ids.map((id) => shown(own, id)))).toMatchObject([
      { status: 'ended', user_id: own.owner.user_id },
      { status: 'scored', created_at: started },
      { status: 'running', assignment_id: assignment },
    ]);
    expect(await eventDataOf(service, own, 'training.completed')).toHaveLength(2);
    expect(await eventDataOf(service, own, 'evaluation.completed')).toMatchObject([{ score: 72 }]);
  });

  it('records nothing of a file with a line that is wrong, and names the line that is refused', async () => {
    const own = await aTeam(service);
    const member = own.owner.member_id;
    const right = JSON.stringify({ member });
    for (const [wrong, why] of [
      ['{', /Line 2 is not JSON/],
      [JSON.stringify({ member, score: 101 }), /Line 2: score/],
      [JSON.stringify({ member, score: 1, status: 'ended' }), /Line 2: A score is for/],
      [JSON.stringify({ member, points: 1 }), /Line 2.*points/],
      [JSON.stringify({ member, at: 'yesterday' }), /Line 2: at/],
      [JSON.stringify({ member: makeId() }), /Line 2: .* Not recorded: 2\./],
    ] as const) {
      const { exitCode, stderr } = await cli.run(recordAll(own, await fileOf(right, wrong)));
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(why)]);
    }
    // Of the last file, the line of another member was recorded.
    expect(await recordedIn(own)).toBe(1);
    const missing = await cli.run(recordAll(own, '/nothing.jsonl'));
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('can’t be read')]);
  });
});
