import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/core/ids.ts';
import { createAssignment } from '../../../src/modules/assignments/service.ts';
import type { Actor } from '../../../src/platform/team.ts';
import { atLeast } from '../bounds.ts';
import { aCombination, pick } from '../scenarios.ts';
import { seedTeams } from '../seed.ts';
import { median } from '../statistics.ts';
import { forgetEverything } from './endpoints.ts';
import type { Stage } from './stage.ts';

interface Sizes {
  seconds: number;
  rounds: number;
}

const teams = 50;
const atOnce = 8;
const warmUpSeconds = 2;

/** An assignment that a key creates raises an event; one that a person creates in the app raises none. Everything else is the same. */
const actors: Record<'raising' | 'silent', Actor> = {
  raising: { kind: 'key', id: newId() },
  silent: { kind: 'person', userId: newId() },
};
type Name = keyof typeof actors;

/** Measures how much an event slows the write that raises it, for a team with one endpoint subscribed to it. No worker runs. */
export const measureWrites = async (stage: Stage, { seconds, rounds }: Sizes): Promise<void> => {
  console.log(
    `The same service call with an event and without, ${rounds} rounds of ${seconds} s each in turn, ${atOnce} at once`,
  );
  await forgetEverything(stage);
  const { platform, databaseUrl } = stage;
  const seeded = await seedTeams([databaseUrl], { teams, membersEach: 20, keysEach: 1 });

  const measure = async (name: Name, duration: number): Promise<number> => {
    let written = 0;
    const over = new AbortController();
    const write = async () => {
      while (!over.signal.aborted) {
        const index = (written += 1);
        const { tenantId, members } = pick(seeded.teams, index);
        const team = {
          id: tenantId,
          privacy: { memberDetail: true, leaderboard: true },
          actor: actors[name],
          rateLimitPerMin: 600,
          requestId: null,
          platform,
        };
        const wanted = {
          member_id: pick(members, index),
          title: 'Preisgespräch',
          ...aCombination(index, seeded.catalog),
        };
        await createAssignment(team, wanted);
      }
    };
    const begin = performance.now();
    const writers = Promise.all(Array.from({ length: atOnce }, write));
    await Promise.race([sleep(duration * 1000), writers]);
    over.abort();
    await writers;
    return (written * 1000) / (performance.now() - begin);
  };

  const rates: Record<Name, number[]> = { raising: [], silent: [] };
  for (const name of ['raising', 'silent'] as const) await measure(name, warmUpSeconds);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['raising', 'silent'] as const) : (['silent', 'raising'] as const);
    for (const name of order) rates[name].push(await measure(name, seconds));
  }
  for (const name of ['raising', 'silent'] as const) {
    console.log(
      `  ${name.padEnd(8)} ${Math.round(median(rates[name])).toString().padStart(6)} writes/s (rounds ${rates[name].map(Math.round).join(' ')})`,
    );
  }
  atLeast('raising to silent', median(rates.raising.map((rate, round) => rate / (rates.silent[round] ?? NaN))), 0.75);
};
