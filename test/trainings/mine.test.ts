import { describe, expect, it } from 'vitest';
import { later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { trainingStatuses } from '../../src/modules/trainings/schema.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { anEvaluation, aScoredTraining, aTraining, dimensions, theTrainings } from '../support/trainings.ts';

const service = await useTestService();

describe('myTrainings.list', () => {
  it('shows only one’s own trainings, in the format of the API, newest first, page by page, by status', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const now = service.clock.now();
    const made: { id: string; status: string }[] = [];
    for (let at = 0; at < 8; at += 1) {
      const status = trainingStatuses[at % 4] ?? 'running';
      const created_at = later(now, (at - 8) * 1000);
      const id = await (status === 'scored'
        ? aScoredTraining(service, team, { userId: person.userId, createdAt: created_at })
        : aTraining(service, team, {
            userId: person.userId,
            status,
            createdAt: created_at,
            ...(status !== 'running' && { finishedAt: created_at }),
          }));
      made.unshift({ id, status });
    }
    await aScoredTraining(service, team, { userId: team.owner.user_id });
    const { myTrainings } = await inTheApp(team, person);

    expect(await myTrainings.count({})).toEqual({ count: 8, more: false });
    expect(await myTrainings.count({ status: 'scored' })).toEqual({ count: 2, more: false });
    const { sessions } = await inTheApp(team);
    expect(await sessions.count({})).toEqual({ count: 9, more: false });
    expect(await sessions.count({ user_id: person.userId, status: 'ended' })).toEqual({ count: 2, more: false });
    expect(await sessions.count({ user_id: 'nobody' })).toEqual({ count: 0, more: false });
    await team.change({ memberDetail: false });
    const refused = (await inTheApp(team)).sessions.count({ user_id: person.userId });
    await expectRefusal(refused, { code: 'privacy_restricted' });
    await team.change({ memberDetail: true });
    for (const status of [undefined, ...trainingStatuses]) {
      const seen: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await myTrainings.list({ limit: 3, status, cursor });
        seen.push(...page.data);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      const path = `/trainings?user_id=${person.userId}${status === undefined ? '' : `&status=${status}`}`;
      expect(seen).toEqual((await team.client.get(path)).data);
      expect(seen).toMatchObject(made.filter((one) => one.status === (status ?? one.status)));
    }
  });

  it('works also while member details are off', async () => {
    const team = await aTeam(service, { memberDetail: false });
    const person = await aColleague(team);
    const [id] = await theTrainings(service, team, [{ userId: person.userId }, { userId: team.owner.user_id }]);
    const { data } = await (await inTheApp(team, person)).myTrainings.list({});
    expect(data).toEqual([expect.objectContaining({ id, user_id: person.userId })]);
  });
});

describe('myTrainings.get', () => {
  it('equals the API’s answer, also while member details are off, and is never another person’s', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const training_id = await aTraining(service, team, { userId: person.userId });
    const others = await aTraining(service, team, { userId: team.owner.user_id });
    const { body } = await team.client.get(`/trainings/${training_id}`);
    const { myTrainings } = await inTheApp(team, person);
    expect(await myTrainings.get({ training_id })).toEqual(body);
    await team.change({ memberDetail: false });
    expect(await (await inTheApp(team, person)).myTrainings.get({ training_id })).toEqual(body);
    for (const id of [others, makeId(), 'x']) {
      await expectRefusal(myTrainings.get({ training_id: id }), { code: 'not_found' });
    }
  });
});

describe('myTrainings.evaluation', () => {
  it('equals the API’s answer, also while member details are off', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const training_id = await aScoredTraining(service, team, {
      userId: person.userId,
      evaluation: { ...anEvaluation({ goal: 'partial', strongest: 'Listens' }), savedAt: service.clock.now() },
    });
    const { body } = await team.client.get(`/trainings/${training_id}/evaluation`);
    await team.change({ memberDetail: false });
    const { myTrainings } = await inTheApp(team, person);
    expect(await myTrainings.evaluation({ training_id })).toEqual(body);
    expect(body).toMatchObject({ training_id, user_id: person.userId, strongest: 'Listens' });
  });

  it('is not found for another person’s training, even for the owner, and before there is one', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const theirs = await aScoredTraining(service, team, { userId: person.userId });
    const [owners, colleagues] = [await inTheApp(team), await inTheApp(team, await aColleague(team))];
    for (const { myTrainings } of [owners, colleagues]) {
      await expectRefusal(myTrainings.evaluation({ training_id: theirs }), { code: 'not_found' });
    }
    const unscored = await aTraining(service, team, { userId: person.userId });
    const { myTrainings } = await inTheApp(team, person);
    for (const training_id of [unscored, makeId(), 'x']) {
      await expectRefusal(myTrainings.evaluation({ training_id }), { code: 'not_found' });
    }
  });
});

describe('trainingScores.of', () => {
  it('has the scores that the reader may see: all for admins, otherwise their own', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const own = await aScoredTraining(service, team, { userId: person.userId });
    const others = await aScoredTraining(service, team, { userId: team.owner.user_id });
    const unscored = await aTraining(service, team, { userId: person.userId });
    const elsewhere = await aTeam(service);
    const foreign = await aScoredTraining(service, elsewhere, { userId: elsewhere.owner.user_id });
    const training_ids = [own, others, unscored, foreign, makeId(), 'no id'];
    const seenBy = async (reader?: typeof person) => {
      const { data } = await (await inTheApp(team, reader)).trainingScores.of({ training_ids });
      return data.map(({ training_id }) => training_id).toSorted();
    };
    expect(await seenBy()).toEqual([own, others].toSorted());
    expect(await seenBy(person)).toEqual([own]);
    const { data } = await (await inTheApp(team, person)).trainingScores.of({ training_ids: [own] });
    expect(data).toEqual([{ training_id: own, total: expect.any(Number), dimensions }]);

    const hiding = await aTeam(service, { memberDetail: false });
    const [mine, theirs] = await Promise.all(
      [hiding.owner.user_id, (await aColleague(hiding)).userId].map((user_id) =>
        aScoredTraining(service, hiding, { userId: user_id }),
      ),
    );
    const hidden = await (await inTheApp(hiding)).trainingScores.of({ training_ids: [mine ?? '', theirs ?? ''] });
    expect(hidden.data.map(({ training_id }) => training_id)).toEqual([mine]);
  });
});
