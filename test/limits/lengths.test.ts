import { describe, expect, it } from 'vitest';
import { limits, trainingLimits } from '../../src/core/limits.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCombination, equalScores } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

describe('texts that people and programs write at length', () => {
  it('an assignment’s note: 20,000 characters of any kind, over the API and in the app', async () => {
    const team = await aTeam(service);
    const wanted = { member_id: team.owner.member_id, title: 'Price talk', ...(await aCombination(service)) };
    const [longest, longer] = [limits.noteCharacters, limits.noteCharacters + 1].map((max) => '💬'.repeat(max));
    const made = await team.client.post('/assignments', { ...wanted, note: longest });
    expect([made.status, made.body['note']]).toEqual([201, longest]);
    const named = { errors: [expect.objectContaining({ path: ['note'] })] };
    expect(await team.client.post('/assignments', { ...wanted, note: longer })).toBeProblem('validation_error', named);
    const path = `/assignments/${String(made.body['id'])}`;
    expect(await team.client.patch(path, { note: longer })).toBeProblem('validation_error', named);
    expect((await team.client.patch(path, { note: null })).body['note']).toBeNull();

    const { assigning } = await inTheApp(team);
    const { member_id, ...practice } = wanted;
    await expectRefusal(assigning.create({ ...practice, note: longer, member_ids: [member_id] }), 'BAD_REQUEST');
  });

  it('a training’s external_ref: 4 KiB', async () => {
    const { sessions } = await inTheApp(await aTeam(service));
    await sessions.start({ external_ref: { a: 'x'.repeat(trainingLimits.trainingRefBytes - 8) } });
    await expectRefusal(
      sessions.start({ external_ref: { a: 'x'.repeat(trainingLimits.trainingRefBytes) } }),
      'BAD_REQUEST',
    );
  });

  it('each text of an evaluation: 2,000 characters', async () => {
    const { sessions } = await inTheApp(await aTeam(service));
    const { training_id } = await sessions.start({});
    await sessions.end({ training_id });
    const text = '🐎'.repeat(trainingLimits.evaluationTextCharacters);
    const tip = { issue: text, moment: text, principle: text, rewrite: text, impact: text };
    const evaluation = { training_id, dimensions: equalScores(50), strongest: text, biggest_lever: text, tips: [tip] };
    expect(await sessions.evaluate(evaluation)).toMatchObject({ status: 'scored' });
    for (const longer of [{ strongest: `${text}x` }, { tips: [{ ...tip, impact: `${text}x` }] }]) {
      await expectRefusal(sessions.evaluate({ ...evaluation, ...longer }), 'BAD_REQUEST');
    }
  });

  it('a key: 100 addresses', async () => {
    const { keys } = await inTheApp(await aTeam(service));
    const addresses = Array.from({ length: limits.keyAddresses + 1 }, (_, index) => `10.0.0.${index}`);
    const wanted = { name: 'k', template: 'read_only' as const };
    await keys.create({ ...wanted, allowed_ips: addresses.slice(1) });
    await expectRefusal(keys.create({ ...wanted, allowed_ips: addresses }), 'BAD_REQUEST');
  });
});
