import { describe, expect, it } from 'vitest';
import { removeMember } from '../../src/modules/members/service.ts';
import { abortTraining, endTraining, startTraining, saveEvaluation } from '../../src/modules/trainings/service.ts';
import { teamAt, type Team } from '../../src/platform/team.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEvaluation, aTraining, equalScores } from '../support/practice.ts';
import { apiOf, follow, type LocalCopy } from '../../src/server/developers/examples/following-client.mts';

const service = await useTestService();

/**
 * Long enough ago that the watermark of a client that reads now is later; and the maximum duration of a transaction.
 */
const aWhileAgo = (team: Team, seconds = 15): Team => teamAt(team, new Date(Date.now() - seconds * 1000));

const aClient = async (team: TestTeam, overlap?: number) => {
  const { text } = await team.aKey({ scopes: ['trainings:read', 'evaluations:read'] });
  const ask = apiOf(service.baseUrl, text);
  const kept: LocalCopy = { sessions: new Map(), evaluations: new Map(), watermarks: new Map() };
  return { kept, look: () => follow(ask, kept, overlap) };
};

/** The data of the team, to compare it with the client's copy. */
const truth = async (team: TestTeam) => {
  const { data } = await team.client.get('/trainings?limit=200');
  const scored = data.filter(({ status }) => status === 'scored');
  const evaluations = await Promise.all(
    scored.map(async ({ id }) => (await team.client.get(`/trainings/${String(id)}/evaluation`)).body),
  );
  return { sessions: data.toSorted(byId), evaluations: evaluations.toSorted(byId) };
};
const byId = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
const copyOf = ({ kept }: { kept: LocalCopy }) => ({
  sessions: [...kept.sessions.values()].toSorted(byId),
  evaluations: [...kept.evaluations.values()].toSorted(byId),
});

/** Does something in a transaction that is committed when the test says so. */
const heldOpen = async (team: Team, action: (held: Team) => Promise<unknown>) => {
  const written = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  const committed = service.database.transaction(async (tx) => {
    await action({ ...team, tx });
    written.resolve(undefined);
    await released.promise;
  });
  await Promise.race([written.promise, committed]);
  return {
    commit: async () => {
      released.resolve(undefined);
      await committed;
    },
  };
};

const marked = (mark: number) => anEvaluation({ dimensions: equalScores(mark) });

describe('a client that follows the guide', () => {
  it('misses no late commit; one without an overlap misses exactly those', async () => {
    const team = await aTeam(service, { members: 4 });
    const acting = await team.acting();
    const [early, late, corrector, other] = team.members;
    const start = (within: Team, member: typeof early) =>
      startTraining(within, { memberId: member?.id ?? '', source: 'app' });
    const careful = await aClient(team);
    const careless = await aClient(team, 0);
    const lookAll = () => Promise.all([careful.look(), careless.look()]);

    const first = await start(acting, early);
    const scoredLate = await aTraining(service, team, { userId: corrector?.user_id ?? '', status: 'ended' });
    await saveEvaluation(aWhileAgo(acting, 60), scoredLate, marked(10));
    await lookAll();
    expect(copyOf(careful)).toEqual(await truth(team));
    expect(copyOf(careless)).toEqual(await truth(team));

    // Written before the client's next read, on a separate connection, and committed after it.
    let lateId = '';
    const lateStart = await heldOpen(aWhileAgo(acting), async (held) => {
      lateId = (await start(held, late)).trainingId;
    });
    const lateScore = await heldOpen(acting, async (held) => saveEvaluation(aWhileAgo(held), scoredLate, marked(20)));
    const meanwhile = await start(acting, other);
    await endTraining(acting, meanwhile.trainingId);
    await lookAll();
    expect(careful.kept.sessions.has(meanwhile.trainingId)).toBe(true);
    expect(careful.kept.sessions.size).toBe(3);

    await Promise.all([lateStart.commit(), lateScore.commit()]);
    await lookAll();
    const all = await truth(team);
    expect(all.sessions).toHaveLength(4);
    expect(copyOf(careful)).toEqual(all);

    expect(careless.kept.sessions.has(lateId)).toBe(false);
    expect(careless.kept.sessions.has(first.trainingId)).toBe(true);
    expect(careless.kept.evaluations.get(scoredLate)).toMatchObject({ score: { total: 10 } });
    expect((await team.client.get(`/trainings/${scoredLate}/evaluation`)).body).toMatchObject({ score: { total: 20 } });
    // However often it reads.
    await careless.look();
    expect(careless.kept.sessions.has(lateId)).toBe(false);
  });

  it('misses nothing while several transactions write at once, with different delays', async () => {
    const team = await aTeam(service, { members: 6 });
    const acting = await team.acting();
    const client = await aClient(team);
    for (let round = 0; round < 5; round += 1) {
      const opened = await Promise.all(
        team.members.slice(0, 3).map(({ id }, index) =>
          heldOpen(acting, async (held) => {
            const within = index === 0 ? held : aWhileAgo(held);
            const { trainingId } = await startTraining(within, { memberId: id, source: 'app' });
            if (index === 1) return;
            await endTraining(held, trainingId);
            await saveEvaluation(within, trainingId, marked(round));
          }),
        ),
      );
      const quick = await startTraining(acting, { memberId: team.members[3]?.id ?? '', source: 'phone' });
      await Promise.all([client.look(), endTraining(acting, quick.trainingId)]);
      await Promise.all([client.look(), ...opened.map(({ commit }) => commit())]);
    }
    await client.look();
    const all = await truth(team);
    expect(all.sessions).toHaveLength(20);
    expect(all.evaluations).toHaveLength(10);
    expect(copyOf(client)).toEqual(all);
  });

  it('sees the end of a running training, and each correction of an evaluation', async () => {
    const team = await aTeam(service, { members: 3 });
    const acting = await team.acting();
    const client = await aClient(team);
    const [ended, aborted, running] = await Promise.all(
      team.members.map(async ({ id }) => (await startTraining(acting, { memberId: id, source: 'app' })).trainingId),
    );
    await client.look();
    expect(copyOf(client)).toEqual(await truth(team));
    await endTraining(acting, ended ?? '');
    await abortTraining(acting, aborted ?? '');
    await client.look();
    expect([...client.kept.sessions.values()].map(({ status }) => status).toSorted()).toEqual([
      'aborted',
      'ended',
      'running',
    ]);
    expect(client.kept.sessions.get(running ?? '')?.status).toBe('running');
    for (const mark of [30, 60, 90]) {
      await saveEvaluation(acting, ended ?? '', marked(mark));
      await client.look();
      expect(copyOf(client)).toEqual(await truth(team));
      expect(client.kept.evaluations.get(ended ?? '')).toMatchObject({ score: { total: mark } });
    }
  });

  it('notices a removed member only by single trainings, and reads a returned member by user_id, as the guide says', async () => {
    const team = await aTeam(service);
    const email = `comes.back.${Date.now()}@example.com`;
    const member = await team.anActiveMember({ email });
    const user_id = member.user_id ?? '';
    const long = new Date(Date.now() - 86_400_000);
    const running = await aTraining(service, team, { userId: user_id, createdAt: long });
    const ended = await aTraining(service, team, {
      userId: user_id,
      createdAt: long,
      status: 'ended',
      finishedAt: long,
    });
    const client = await aClient(team);
    await client.look();
    await removeMember(await team.acting(), member.id);
    await client.look();
    expect([client.kept.sessions.has(running), client.kept.sessions.has(ended)]).toEqual([false, true]);
    await team.anActiveMember({ email });
    await client.look();
    expect(client.kept.sessions.has(running)).toBe(false);
    const back = (await team.client.get(`/trainings?user_id=${user_id}`)).data;
    expect(back.map(({ id }) => id).toSorted()).toEqual([running, ended].toSorted());
  });

  it.each([403, 500])('stops at %i on the second page of evaluations, and misses none of the rest', async (status) => {
    const team = await aTeam(service, { members: 3 });
    const old = aWhileAgo(await team.acting(), 3_600);
    for (const { id } of team.members) {
      const { trainingId } = await startTraining(old, { memberId: id, source: 'app' });
      await endTraining(old, trainingId);
      await saveEvaluation(old, trainingId, marked(50));
    }
    const { text } = await team.aKey();
    const ask = apiOf(service.baseUrl, text);
    const kept: LocalCopy = { sessions: new Map(), evaluations: new Map(), watermarks: new Map() };
    const failing = async (path: string) => {
      if (path.startsWith('/evaluations') && path.includes('cursor')) return new Response('no', { status });
      return ask(path.replace('limit=200', 'limit=2'));
    };
    await expect(follow(failing, kept)).rejects.toThrow(String(status));
    expect(kept.evaluations.size).toBe(0);
    await follow(ask, kept);
    expect(copyOf({ kept })).toEqual(await truth(team));
  });

  it('stops at 403 with its watermark unchanged, and continues from there', async () => {
    const team = await aTeam(service);
    const acting = await team.acting();
    const client = await aClient(team);
    await client.look();
    const before = new Map(client.kept.watermarks);
    await team.change({ memberDetail: false });
    await startTraining(acting, { memberId: team.owner.member_id, source: 'app' });
    await expect(client.look()).rejects.toThrow('403');
    expect(client.kept.watermarks).toEqual(before);
    await team.change({ memberDetail: true });
    await client.look();
    expect(copyOf(client)).toEqual(await truth(team));
  });
});
