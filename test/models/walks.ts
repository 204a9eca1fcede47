import process from 'node:process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hoursToMs } from '../../src/core/clock.ts';

// A model says what the contract says, without database and HTTP. A walk is a random list of steps: each is done in the
// service and in the model, and the two must agree. If they don't, fast-check looks for the shortest walk that fails.
//
//   MODEL_SEED=42 npx vitest run test/models/keys.test.ts                   the same walks again
//   MODEL_SEED=42 MODEL_PATH=17 npx vitest run test/models/keys.test.ts     one of them
//   MODEL_RUNS=2000 npx vitest run test/models                              more of them
//   MODEL_SHRINK=no …                                                       the first walk that fails, not the shortest

/** Something that somebody does. `told` is its sentence in the story of a walk. */
export const step = <Model extends object, Real>(
  told: string,
  run: (model: Model, real: Real) => Promise<void>,
  isPossible: (model: Readonly<Model>) => boolean = () => true,
): fc.AsyncCommand<Model, Real> => ({ check: isPossible, run, toString: () => `\n  - ${told}` });

/** One of the things that there are: a walk does not know how many. */
export const pick = <Item>(items: readonly Item[], at: number): Item => {
  const item = items[at % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
};

/** Takes walks one after the other, in a service of its own: a walk moves the service's clock. */
interface Lane<Model extends object, Real> {
  /** Begins a walk, in a team of its own. */
  begin: () => Promise<{ model: Model; real: Real }>;
  /** Compares the whole state at the end of a walk. */
  end?: (model: Model, real: Real) => Promise<void>;
}

interface Walks<Model extends object, Real> {
  /** The steps, each with how often it is taken beside the others. */
  steps: readonly [weight: number, fc.Arbitrary<fc.AsyncCommand<Model, Real>>][];
  /** Opens a lane until the end of the test. */
  open: () => Promise<Lane<Model, Real>>;
  maxSteps: number;
}

const numberIn = (name: string): number | undefined => {
  const given = process.env[name];
  if (given === undefined || given === '') return undefined;
  if (!/^-?\d+$/.test(given)) throw new Error(`${name} must be a whole number`);
  return Number(given);
};

/** Enough for thousands of walks. */
const longestMs = hoursToMs(4);
/** How long a failing walk is tried again without some of its steps. */
const shrinksWithinMs = 60_000;

/** While a walk waits for the database or a receiver, others run. */
const maxLanes = 4;
/** A lane for fewer walks costs more time than it saves. */
const minWalksOfLane = 25;

/**
 * How often something random is tried, and with which seed: `MODEL_RUNS` and `MODEL_SEED` say otherwise. `MODEL_PATH`
 * is the path that a failure prints: the number of the run, and for schedules also how it was made shorter.
 */
export const repeatable = (runs: number) => {
  const seed = numberIn('MODEL_SEED') ?? Date.now() % 1_000_000_000;
  const path = process.env['MODEL_PATH'] ?? '';
  const numRuns = numberIn('MODEL_RUNS') ?? (path === '' ? runs : 1);
  const endOnFailure = process.env['MODEL_SHRINK'] === 'no';
  const title = `(${numRuns} runs, MODEL_SEED=${seed}${path && ` MODEL_PATH=${path}`})`;
  return { title, timeout: longestMs, parameters: { seed, path, numRuns, endOnFailure } };
};

/** Whether `MODEL_RUNS` or `MODEL_PATH` say which walks are taken, so that two files would take the same. */
export const isLengthGiven = (): boolean => Boolean(process.env['MODEL_RUNS'] ?? process.env['MODEL_PATH']);

/** A test that takes so many walks, or `MODEL_RUNS`. Which walks they are depends on the seed alone. */
export const itWalks = <Model extends object, Real>(
  rule: string,
  runs: number,
  { steps, open, maxSteps }: Walks<Model, Real>,
): void => {
  const { title, timeout, parameters } = repeatable(runs);
  const { seed, path, numRuns, endOnFailure } = parameters;
  const all = steps.flatMap(([weight, one]) => Array.from({ length: weight }, () => one));
  const firstWalk = Number(path);
  const laneCount = Math.min(maxLanes, Math.ceil(numRuns / minWalksOfLane));
  const walksOfLane = Math.ceil(numRuns / laneCount);

  it(`${rule} ${title}`, { timeout }, async () => {
    /** The first lane with a walk that fails. */
    let failed: { lane: number; at: number } | undefined;
    const take = async (lane: number) => {
      const { begin, end } = await open();
      const walk = fc.commands(all, { maxCommands: maxSteps, size: 'max', disableReplayLog: true });
      const property = fc.asyncProperty(walk, async (taken) => {
        // What remains passes at once: of the other lanes, and of the search for a shorter walk after some time.
        if (failed && (failed.lane !== lane || performance.now() > failed.at + shrinksWithinMs)) return;
        try {
          let reached: { model: Model; real: Real } | undefined;
          await fc.asyncModelRun(async () => (reached = await begin()), taken);
          if (reached) await end?.(reached.model, reached.real);
        } catch (error) {
          failed ??= { lane, at: performance.now() };
          throw error;
        }
      });
      const skipped = lane * walksOfLane;
      return fc.check(property, {
        seed,
        path: String(firstWalk + skipped),
        numRuns: Math.min(walksOfLane, numRuns - skipped),
        endOnFailure,
      });
    };
    const results = await Promise.all(Array.from({ length: laneCount }, (_, lane) => take(lane)));
    if (!failed) return;
    const { counterexample, counterexamplePath, errorInstance } = results[failed.lane] ?? expect.fail('no such lane');
    const [walk = ''] = (counterexamplePath ?? '').split(':');
    const [shortest] = counterexample ?? [];
    throw new Error(`walk ${walk} fails (again: MODEL_SEED=${seed} MODEL_PATH=${walk}):${fc.stringify(shortest)}`, {
      cause: errorInstance,
    });
  });
};
