import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { Problem } from '../../src/core/problem.ts';
import { toCamel } from '../../src/core/spelling.ts';
import type { Tx } from '../../src/db/database.ts';
import { beginAssignment, completeAssignment } from '../../src/modules/assignments/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { aCombination, anAssignment } from '../support/assignments.ts';
import { auditEntriesOn, eventDataOf } from '../support/audit-entries.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aTraining } from '../support/trainings.ts';

const service = await useTestService();

const statuses = ['open', 'in_progress', 'done', 'revoked'] as const;
type Status = (typeof statuses)[number];

const within = async <T>(team: TestTeam, act: (tx: Tx, held: Team) => Promise<T>): Promise<T> => {
  const acting: Team = { ...(await team.acting()), actor: { kind: 'person', userId: team.owner.user_id } };
  return service.database.transaction(async (tx) => act(tx, await lockTeamShared(tx, acting)));
};
const begin = (team: TestTeam, id: string, memberId = team.owner.member_id) =>
  within(team, (tx, held) => beginAssignment(tx, held, { id, memberId }));
const complete = (team: TestTeam, id: string, trainingId: string) =>
  within(team, (tx, held) => completeAssignment(tx, held, { id, trainingId }));

const aTrainingOf = (team: TestTeam) => aTraining(service, team, { userId: team.owner.user_id });
const stateOf = async (team: TestTeam, id: string) => {
  const { status, completedTrainingId } = await service.database.prisma.assignment.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: team.id, id } },
  });
  return { status, trainingId: completedTrainingId };
};
const problemOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof Problem ? error.code : error),
  );

describe('a training of an assignment starts', () => {
  it('returns the combination to practise, and open becomes in_progress, by the person', async () => {
    const team = await aTeam(service);
    const combination = await aCombination(service);
    const id = await anAssignment(service, team, {
      memberId: team.owner.member_id,
      situationId: combination.situation_id,
      personalityId: combination.personality_id,
      industryId: combination.industry_id,
    });
    expect(await begin(team, id)).toEqual(toCamel(combination));
    expect(await begin(team, id)).toEqual(toCamel(combination));
    expect(await stateOf(team, id)).toEqual({ status: 'in_progress', trainingId: null });
    expect(await auditEntriesOn(service, team, id)).toMatchObject([
      {
        action: 'assignment.changed',
        actor: ['person', team.owner.user_id],
        data: { changed: ['status'], from: 'open', to: 'in_progress' },
      },
    ]);
  });

  it('done stays done', async () => {
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id, status: 'done' });
    await begin(team, id);
    expect(await stateOf(team, id)).toMatchObject({ status: 'done' });
  });

  it('not_found: an assignment that is another member’s, unknown, of another team or no id', async () => {
    const team = await aTeam(service, { members: 1 });
    const other = await aTeam(service);
    const theirs = await anAssignment(service, team, { memberId: team.members[0]?.id ?? '' });
    const foreign = await anAssignment(service, other, { memberId: other.owner.member_id });
    for (const id of [theirs, foreign, makeId(), 'x']) expect(await problemOf(begin(team, id))).toBe('not_found');
    expect(await problemOf(begin(team, foreign, other.owner.member_id))).toBe('not_found');
    expect(await stateOf(team, theirs)).toMatchObject({ status: 'open' });
    expect(await stateOf(other, foreign)).toMatchObject({ status: 'open' });
  });

  it('conflict: a revoked one', async () => {
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id, status: 'revoked' });
    expect(await problemOf(begin(team, id))).toBe('conflict');
  });
});

describe('a training of an assignment ends', () => {
  it.each(['open', 'in_progress'] as const)(
    '%s becomes done, completed by it, and no event is raised',
    async (status) => {
      const team = await aTeam(service);
      const id = await anAssignment(service, team, { memberId: team.owner.member_id, status });
      const trainingId = await aTrainingOf(team);
      await complete(team, id, trainingId);
      expect(await stateOf(team, id)).toEqual({ status: 'done', trainingId });
      expect((await team.client.get(`/assignments/${id}`)).body).toMatchObject({ completed_training_id: trainingId });
      expect(await eventDataOf(service, team, 'assignment.completed')).toEqual([]);
      expect(await auditEntriesOn(service, team, id)).toMatchObject([
        {
          actor: ['person', team.owner.user_id],
          data: { changed: ['status', 'completed_training_id'], from: status, to: 'done' },
        },
      ]);
    },
  );

  it.each(['done', 'revoked'] as const)('%s stays as it is', async (status) => {
    const team = await aTeam(service);
    const id = await anAssignment(service, team, { memberId: team.owner.member_id, status });
    await complete(team, id, await aTrainingOf(team));
    expect(await stateOf(team, id)).toEqual({ status, trainingId: null });
    expect(await auditEntriesOn(service, team, id)).toEqual([]);
  });

  it('an assignment that no longer exists is ignored', async () => {
    const team = await aTeam(service);
    await expect(complete(team, makeId(), await aTrainingOf(team))).resolves.toBeUndefined();
  });
});

describe('an assignment’s states', () => {
  type Move = { do: 'set'; status: Status } | { do: 'begin' } | { do: 'complete' } | { do: 'remove the member' };
  interface State {
    status: Status;
    completed: boolean;
  }

  /** The state machine as the contract describes it. */
  const after = (state: State, move: Move): State => {
    if (move.do === 'set') return { status: move.status, completed: state.completed && move.status === 'done' };
    if (move.do === 'remove the member') return { status: 'revoked', completed: false };
    if (move.do === 'begin') return state.status === 'open' ? { ...state, status: 'in_progress' } : state;
    return state.status === 'done' || state.status === 'revoked' ? state : { status: 'done', completed: true };
  };

  const aMove: fc.Arbitrary<Move> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('set' as const), status: fc.constantFrom(...statuses) }) },
    { weight: 2, arbitrary: fc.constant({ do: 'begin' as const }) },
    { weight: 2, arbitrary: fc.constant({ do: 'complete' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'remove the member' as const }) },
  );

  it('follow the allowed moves in any order, and each move to done by the API raises one event', async () => {
    const team = await aTeam(service, { seats: 1_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(aMove, { minLength: 1, maxLength: 8 }), async (moves) => {
        const member = await team.anActiveMember();
        const id = await anAssignment(service, team, { memberId: member.id });
        let state: State = { status: 'open', completed: false };
        let [changes, raisedEvents, present] = [0, 0, true];
        for (const move of moves) {
          if (move.do === 'set') {
            expect((await team.client.patch(`/assignments/${id}`, { status: move.status })).status).toBe(200);
          } else if (move.do === 'begin') {
            const problem = state.status === 'revoked' ? 'conflict' : undefined;
            expect(await problemOf(begin(team, id, member.id))).toBe(problem);
          } else if (move.do === 'complete') await complete(team, id, await aTrainingOf(team));
          else {
            expect((await team.client.delete(`/users/${member.id}`)).status).toBe(present ? 200 : 404);
            if (!present) continue;
            present = false;
          }
          const next = after(state, move);
          if (next.status !== state.status) changes += 1;
          if (move.do === 'set' && next.status === 'done' && state.status !== 'done') raisedEvents += 1;
          state = next;
          const { status, trainingId } = await stateOf(team, id);
          expect({ status, completed: trainingId !== null }).toEqual(state);
        }
        expect(await auditEntriesOn(service, team, id)).toHaveLength(changes);
        const events = await eventDataOf(service, team, 'assignment.completed');
        expect(events.filter((data) => JSON.stringify(data).includes(id))).toHaveLength(raisedEvents);
      }),
      { numRuns: 10 },
    );
  });
});
