import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { Problem } from '../../src/core/problem.ts';
import type { Tx } from '../../src/db/database.ts';
import { beginAssignment, completeAssignment } from '../../src/modules/assignments/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import { anAssignment, aTraining } from '../support/practice.ts';
import { auditEntriesOn, eventDataOf } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const statuses = ['open', 'in_progress', 'done', 'revoked'] as const;
type Status = (typeof statuses)[number];

const within = async <T>(team: TestTeam, act: (tx: Tx, held: Team) => Promise<T>): Promise<T> => {
  const acting: Team = { ...(await team.acting()), actor: { kind: 'person', userId: team.owner.user_id } };
  return service.database.transaction(async (tx) => act(tx, await lockTeamShared(tx, acting)));
};
const begin = (team: TestTeam, id: string, memberId: string) =>
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

it('a training that ends ignores an assignment that no longer exists', async () => {
  const team = await aTeam(service);
  await expect(complete(team, makeId(), await aTrainingOf(team))).resolves.toBeUndefined();
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

  const [begins, completes] = [{ do: 'begin' }, { do: 'complete' }] as const;
  const becomes = (status: Status) => ({ do: 'set', status }) as const;
  /** What a training does to an assignment in each state, whatever the walks try. */
  const ofTrainings: [Move[]][] = [
    [[begins, begins, completes, begins, completes]],
    [[completes, becomes('revoked'), begins, completes, becomes('done'), begins, completes]],
  ];

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
      { numRuns: 10, examples: ofTrainings },
    );
  });
});
