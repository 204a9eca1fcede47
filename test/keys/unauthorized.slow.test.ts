import { expect, it } from 'vitest';
import { randomText } from '../../src/core/crypto.ts';
import { rawRequest } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();
const team = await aTeam(service);

const bearer = (text: string) => ['Authorization', `Bearer ${text}`];
const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

it('the duration of a refusal does not distinguish a wrong secret from an unknown prefix or a malformed key', async () => {
  const known = (await team.aKey()).text;
  const kinds = {
    'unknown prefix': () => bearer(`svck_live_${randomText(12)}_${randomText(43)}`),
    'wrong secret': () => bearer(`${known.slice(0, -43)}${randomText(43)}`),
    malformed: () => bearer(randomText(66)),
  };
  const times = Object.fromEntries(Object.keys(kinds).map((kind): [string, number[]] => [kind, []]));
  for (let round = 0; round < 320; round += 1) {
    // Each kind is the first one of a round in turn, so that other load on the machine affects all kinds equally.
    const inTurn = Object.entries(kinds);
    inTurn.push(...inTurn.splice(0, round % inTurn.length));
    for (const [kind, headers] of inTurn) {
      const begin = performance.now();
      await rawRequest(`${service.baseUrl}/me`, { headers: headers() });
      // The first rounds are a warm-up.
      if (round >= 20) times[kind]?.push(performance.now() - begin);
    }
  }
  const medians = Object.values(times).map(median);
  expect(
    Math.max(...medians) / Math.min(...medians),
    JSON.stringify(Object.fromEntries(Object.keys(kinds).map((kind, at) => [kind, medians[at]]))),
  ).toBeLessThan(1.35);
});
