import { expect, it } from 'vitest';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { computedMs } from './hostile-texts/event-loop.ts';
import { hostilePatterns, ofPatterns } from './hostile-texts/patterns.ts';
import {
  catalogFile,
  providerAnswers,
  singleAnswers,
  sweepReceivers,
  useFeedPages,
  useSignIns,
} from './hostile-texts/answers.ts';
import { inParts, sweepInputs, type Target } from './hostile-texts/inputs.ts';
import { addressTries, bodyTries, directoryTries, headerTries } from './hostile-texts/plain.ts';
import { oauthRequests, proceduresAt, restOperations, tools, validInputs } from './hostile-texts/targets.ts';
import { makeJudge, maxMs, type Try } from './hostile-texts/tries.ts';
import { useCallers } from './hostile-texts/callers.ts';

// One request of anybody must not make everybody else wait, whatever text it has. Everything that reads texts of others
// gets long hostile ones here, also what is new: the lists come from the routers and the tools.

const callers = await useCallers();
const signIns = await useSignIns(callers);
const feedPages = await useFeedPages(callers);

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

it(`no text that anybody sends holds the process for more than 50 ms or is answered with a 5xx (${ofPatterns})`, async () => {
  const judge = makeJudge(() => callers.refillBudgets());
  const sweep = (targets: readonly Target[], way = {}) => sweepInputs(judge, targets, way);
  const sweepPlain = async (tries: readonly Try[]) => {
    for (const part of inParts(tries, 88)) judge.note(await judge.slowOf(part));
  };
  const { signedIn, inTeam } = callers;
  const validFor = validInputs(callers);

  await sweep(await proceduresAt(callers, validFor, entranceRouter, { mount: 'entrance', headers: signedIn }));
  await sweep(await proceduresAt(callers, validFor, appRouter, { mount: 'app', headers: inTeam }));
  await sweep(await restOperations(callers, validFor));
  // The same operations once more: only the way to them differs.
  await sweep(await proceduresAt(callers, validFor, publicRouter, { mount: 'api', headers: inTeam }), {
    single: () => false,
  });
  // Each call of a tool counts for several operations.
  await sweep(await tools(callers, validFor), { size: 33 });
  await sweep(oauthRequests(callers));

  await sweepPlain(headerTries(callers));
  await sweepPlain(addressTries(callers));
  await sweepPlain(bodyTries(callers));
  await sweepPlain(directoryTries(callers));

  const single = ({ name }: { name: string }) => singleAnswers.has(name);
  const { makeAccount, signIn } = signIns;
  expect(await signIn({ idToken: makeAccount() })).toBe(200);
  await sweep(providerAnswers(signIns), { single, atOnce: 1 });
  await sweep([feedPages, catalogFile], { single, atOnce: 1 });
  await sweepReceivers(judge, callers);

  const patterns = hostilePatterns.map(({ name, unit }) => `${name}: ${JSON.stringify(unit)}`);
  // A tool answers 200 to every problem.
  const errors = callers.service.logged().filter(({ msg }) => msg === 'unexpected error');
  const logged = errors.map(({ err }) => `log | unexpected error | | ${JSON.stringify(err).slice(0, 160)}`);
  const findings = new Set([...judge.findings, ...logged]);
  const table = ['what | where | pattern | wrong', ...[...findings].toSorted()];
  expect(findings.size, [...table, '', 'What the patterns repeat:', ...patterns].join('\n')).toBe(0);
  // On a busy machine more has to be measured again.
}, 1_800_000);
