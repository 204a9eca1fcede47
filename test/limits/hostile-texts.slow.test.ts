import { expect, it } from 'vitest';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { computedMs } from '../support/event-loop.ts';
import { hostilePatterns } from '../support/hostile-texts.ts';
import {
  catalogFile,
  providerAnswers,
  singleAnswers,
  sweepReceivers,
  useFeedPages,
  useSignIns,
} from './hostile-texts/answers.ts';
import { inParts, sweepInputs, type Target } from './hostile-texts/inputs.ts';
import { addressTries, bodyTries, headerTries } from './hostile-texts/plain.ts';
import { oauthRequests, proceduresAt, restOperations, tools, validInputs } from './hostile-texts/targets.ts';
import { makeJudge, maxMs, type Try } from './hostile-texts/tries.ts';
import { useWorld } from './hostile-texts/world.ts';

// One request of anybody must not make everybody else wait, whatever text it has. Everything that reads texts of others
// gets long hostile ones here, also what is new: the lists come from the routers and the tools.

const world = await useWorld();
const signIns = await useSignIns(world);
const feedPages = await useFeedPages(world);

it('a call that holds the event loop is noticed', async () => {
  const judge = makeJudge(async () => {});
  const holding = (ms: number): Try => ({
    what: `${ms} ms`,
    place: '',
    pattern: '',
    send: async () => {
      await new Promise(setImmediate);
      const end = computedMs() + ms;
      while (computedMs() < end);
      return 200;
    },
  });
  const tries = [holding(0), holding(maxMs + 10), holding(1), holding(2 * maxMs), holding(0)];
  const slow = await judge.slowOf(tries);
  expect([...slow.keys()].map(({ what }) => what)).toEqual([`${maxMs + 10} ms`, `${2 * maxMs} ms`]);
});

it('no text that anybody sends holds the process for more than 50 ms or is answered with a 5xx', async () => {
  const judge = makeJudge(() => world.refillBudgets());
  const sweep = (targets: readonly Target[], way = {}) => sweepInputs(judge, targets, way);
  const sweepPlain = async (tries: readonly Try[]) => {
    for (const part of inParts(tries, 88)) judge.note(await judge.slowOf(part));
  };
  const { signedIn, inTeam } = world;
  const validFor = validInputs(world);

  await sweep(await proceduresAt(world, validFor, entranceRouter, { mount: 'entrance', headers: signedIn }));
  await sweep(await proceduresAt(world, validFor, appRouter, { mount: 'app', headers: inTeam }));
  await sweep(await restOperations(world, validFor));
  // The same operations once more: only the way to them differs.
  await sweep(await proceduresAt(world, validFor, publicRouter, { mount: 'api', headers: inTeam }), {
    single: () => false,
  });
  // Each call of a tool counts for several operations.
  await sweep(await tools(world, validFor), { size: 33 });
  await sweep(oauthRequests(world));

  await sweepPlain(headerTries(world));
  await sweepPlain(addressTries(world));
  await sweepPlain(bodyTries(world));

  const single = ({ name }: { name: string }) => singleAnswers.has(name);
  const { makeAccount, signIn } = signIns;
  expect(await signIn({ idToken: makeAccount() })).toBe(200);
  await sweep(providerAnswers(signIns), { single, atOnce: 1 });
  await sweep([feedPages, catalogFile], { single, atOnce: 1 });
  await sweepReceivers(judge, world);

  const patterns = hostilePatterns.map(({ name, unit }) => `${name}: ${JSON.stringify(unit)}`);
  // A tool answers 200 to every problem.
  const errors = world.service.logged().filter(({ msg }) => msg === 'unexpected error');
  const logged = errors.map(({ err }) => `log | unexpected error | | ${JSON.stringify(err).slice(0, 160)}`);
  const findings = new Set([...judge.findings, ...logged]);
  const table = ['what | where | pattern | wrong', ...[...findings].toSorted()];
  expect(findings.size, [...table, '', 'What the patterns repeat:', ...patterns].join('\n')).toBe(0);
  // On a busy machine more has to be measured again.
}, 1_800_000);
