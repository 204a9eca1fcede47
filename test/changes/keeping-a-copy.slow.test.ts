import { describe, expect, it } from 'vitest';
import { daysToMs } from '../../src/core/clock.ts';
import { endTraining, saveEvaluation } from '../../src/modules/trainings/service.ts';
import { makeCli } from '../cli/cli.ts';
import { AddedMember } from '../cli/shapes.ts';
import { anAssignment, aCase, anEvaluation, aScoredTraining, aTraining } from '../support/practice.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { storeFound } from '../../src/modules/crm/sync.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, anEmail } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { aCopyProgram, listedRows, requestsOf } from './copy-program.ts';

const service = await useTestService({ own: true });
const cli = makeCli({ DATABASE_URL: service.databaseUrl, DATA_DIR: throwAwayFolder() });

/** A team with two rows in each list. */
const aFullTeam = async () => {
  const team = await aTeam(service, { members: 1 });
  const { member_id: memberId, user_id } = team.owner;
  const connectionId = await aCrmConnection(service, team, { provider: 'feed' });
  const ids = { connection: connectionId, assignment: '', training: '', case: '', deal: '' };
  for (let count = 0; count < 2; count += 1) {
    ids.assignment = await anAssignment(service, team, { memberId });
    ids.training = await aScoredTraining(service, team, { userId: user_id, assignmentId: ids.assignment });
    ids.case = await aCase(service, team, { userId: user_id });
    ids.deal = await aDeal(service, team, connectionId);
    await anObjection(service, team, ids.deal);
  }
  return { team, ids };
};

describe('the program that keeps a copy', () => {
  it('copies all lists, then what changes and what is deleted', async () => {
    const { team, ids } = await aFullTeam();
    const program = await aCopyProgram(service, team);
    await program.run();
    expect(program.rows()).toEqual(await listedRows(team));

    const acting = await team.acting();
    const user_id = team.members[0]?.user_id ?? '';
    const running = await aTraining(service, team, { userId: user_id });
    await team.client.patch(`/users/${team.members[0]?.id}`, { role: 'admin' });
    await team.client.patch(`/cases/${ids.case}`, { title: 'Changed' });
    await saveEvaluation(acting, ids.training, anEvaluation({ total: 12 }));
    await team.client.delete(`/assignments/${ids.assignment}`);
    await program.run();
    expect(program.rows()).toEqual(await listedRows(team));

    await endTraining(acting, running);
    await team.client.delete(`/cases/${ids.case}`);
    const deals = [
      { id: ids.deal, deleted: true as const },
      { id: 'new', outcome: 'won' as const, ownerEmail: team.owner.email },
    ];
    const objection = { id: 'new', dealId: 'new', category: 'price', text: 'Too dear.', lang: 'en' };
    await storeFound(acting, ids.connection, { deals, objections: [objection] });
    await program.run();
    expect(program.rows()).toEqual(await listedRows(team));
    expect(Object.keys(program.rows())).not.toContain(`cases ${ids.case}`);
    expect(Object.keys(program.rows())).not.toContain(`deals ${ids.deal}`);
    expect(Object.values(program.rows())).toContainEqual(expect.objectContaining({ text: 'Too dear.' }));
  });

  it('deletes the trainings of somebody who leaves, and has them again when the person comes back', async () => {
    const { team } = await aFullTeam();
    const email = anEmail('seller');
    const member = await team.anActiveMember({ email });
    const training = await aScoredTraining(service, team, { userId: member.user_id ?? '' });
    const program = await aCopyProgram(service, team);
    const has = async () => {
      // Without an overlap, so that only the arrival of the person leads to the training.
      await program.run({ overlapSeconds: 0 });
      expect(program.rows()).toEqual(await listedRows(team));
      return Object.hasOwn(program.rows(), `trainings ${training}`);
    };
    expect(await has()).toBe(true);
    await team.client.delete(`/users/${member.id}`);
    expect(await has()).toBe(false);
    await cli.json(AddedMember, ['member', 'add', '--team', team.id, '--email', email, '--active']);
    expect(await has()).toBe(true);
  });

  it('has what the operator records with a date in the past, and the assignment that was practised', async () => {
    const { team } = await aFullTeam();
    const memberId = team.owner.member_id;
    const assignment = await anAssignment(service, team, { memberId });
    const program = await aCopyProgram(service, team);
    await program.run();
    const at = new Date(Date.now() - daysToMs(2)).toISOString();
    const flags = ['--member', memberId, '--assignment', assignment, '--score', '70', '--at', at];
    expect((await cli.run(['training', 'record', '--team', team.id, ...flags])).exitCode).toBe(0);
    await program.run();
    const rows = program.rows();
    expect(rows).toEqual(await listedRows(team));
    expect(rows[`assignments ${assignment}`]).toMatchObject({ status: 'done' });
  });

  it('leaves the copy as it is while member details are off, and goes on when they are on again', async () => {
    const { team, ids } = await aFullTeam();
    const program = await aCopyProgram(service, team);
    await program.run();
    const before = program.rows();
    await team.change({ memberDetail: false });
    await team.client.patch(`/cases/${ids.case}`, { title: 'Changed' });
    await team.client.patch(`/users/${team.members[0]?.id}`, { role: 'admin' });
    const { exitCode, complaints } = await (await program.start()).ended;
    expect([exitCode, complaints]).toEqual([1, expect.stringContaining('Member details are off')]);
    expect(program.rows()).toEqual(before);
    await team.change({ memberDetail: true });
    await program.run();
    expect(program.rows()).toEqual(await listedRows(team));
  });

  it('makes the copy anew when its last run is longer ago than deletions are kept', async () => {
    const { team, ids } = await aFullTeam();
    const program = await aCopyProgram(service, team);
    await program.run();
    await team.client.delete(`/cases/${ids.case}`);
    service.clock.forward(daysToMs(service.platform.retentionDays + 2));
    const { exitCode, complaints } = await (await program.start()).ended;
    expect([exitCode, complaints]).toEqual([1, expect.stringContaining('validation_error')]);
    expect(program.rows()).toEqual({});
    await program.run();
    expect(program.rows()).toEqual(await listedRows(team));
    service.clock.set(new Date());
  });

  it('makes one request for each list, and one for each list’s deletions, in a run in which nothing has changed', async () => {
    const { team } = await aFullTeam();
    const program = await aCopyProgram(service, team);
    await program.run();
    const lists = ['/users', '/trainings', '/assignments', '/cases', '/crm/deals', '/crm/objections'];
    const run = await program.run();
    const expected = lists.flatMap((list) => [list, '/deletions']);
    await expect.poll(() => requestsOf(service, run)).toEqual(expected);
  });
});
