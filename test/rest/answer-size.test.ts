import { describe, expect, it } from 'vitest';
import { httpLimits } from '../../src/core/limits.ts';
import { aCase } from '../support/practice.ts';
import { makeClient } from '../support/client.ts';
import { aSignedInPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { useTestApi } from './test-api.ts';

const service = await useTestService();
const testApi = await useTestApi(service, { answerBytes: httpLimits.answerBytes });

/** Larger than anything that the rules allow, to test the safety limit. */
const tooLarge = { a: 'x'.repeat(httpLimits.answerBytes) };

describe('an answer above the limit of all answers', () => {
  it('is never sent by the API: 500, and the log has it with the request’s id', async () => {
    const team = await aTeam(service);
    const client = makeClient(testApi.baseUrl, (await team.aKey()).text);
    expect((await client.get(`/large/${httpLimits.answerBytes - 100}`)).status).toBe(200);
    const answer = await client.get(`/large/${httpLimits.answerBytes}`);
    expect(answer).toBeProblem('internal');
    expect(testApi.logged()).toContainEqual(
      expect.objectContaining({ request_id: answer.body['request_id'], msg: 'unexpected error' }),
    );
  });

  it('is never sent to the app either', async () => {
    const team = await aTeam(service);
    const { browser, userId } = await aSignedInPerson(service, team);
    const ids = [await aCase(service, team, { userId, private: true, fields: tooLarge })];
    ids.push(await aCase(service, team, { userId, private: true, fields: { a: 'small' } }));
    const read = (case_id = '') => browser.query('app/ownCases.get', { case_id }, { team: team.id });
    const refused = await read(ids[0]);
    expect([refused.status, refused.problem['code']]).toEqual([500, 'internal']);
    expect(refused.text.length).toBeLessThan(1_000);
    expect(service.logged()).toContainEqual(
      expect.objectContaining({ request_id: refused.problem['request_id'], msg: 'unexpected error' }),
    );
    expect((await read(ids[1])).status).toBe(200);
  });
});

describe('free-form values in the app', () => {
  it('are sent as they are stored, in values and in lists, even texts that look like placeholders', async () => {
    const team = await aTeam(service);
    const { browser, userId } = await aSignedInPerson(service, team);
    const fields = { a: '"quoted" \\ \n ü 💬', b: [1, null, { c: '"' }] };
    const id = await aCase(service, team, { userId, private: true, title: 'A "case"', fields, externalRef: {} });
    await service.database.prisma.$executeRaw`
      update "case" set external_ref = '{"d": 12345678901234567890, "e": 1.10}' where id = ${id}::uuid`;
    const one = await browser.query('app/ownCases.get', { case_id: id }, { team: team.id });
    expect(one.data).toMatchObject({ title: 'A "case"', fields });
    const list = await browser.query('app/ownCases.list', {}, { team: team.id });
    expect(list.data['data']).toEqual([one.data]);
    for (const { text, headers } of [one, list]) {
      expect(text).toContain('"external_ref":{"d": 12345678901234567890, "e": 1.10}');
      expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(text));
    }
  });
});
