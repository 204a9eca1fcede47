import process from 'node:process';
import fc from 'fast-check';
import { it } from 'vitest';

// A model says what the contract says, without database and HTTP. A walk is a random list of steps: each is done in the
// service and in the model, and the two must agree. If they don't, fast-check looks for the shortest walk that fails.
//
//   MODEL_SEED=42 npx vitest run test/models/keys.test.ts       the same walks again
//   MODEL_RUNS=2000 npx vitest run test/models                  more of them
//   MODEL_SHRINK=no …                                           the first walk that fails, not the shortest

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

interface Walks<Model extends object, Real> {
  /** The steps, each with how often it is taken beside the others. */
  steps: readonly [weight: number, fc.Arbitrary<fc.AsyncCommand<Model, Real>>][];
  /** Begins a walk, in a team of its own. */
  begin: () => Promise<{ model: Model; real: Real }>;
  /** Compares the whole state at the end of a walk. */
  end?: (model: Model, real: Real) => Promise<void>;
  maxSteps?: number;
}

const numberIn = (name: string): number | undefined => {
  const given = process.env[name];
  if (given === undefined || given === '') return undefined;
  if (!/^-?\d+$/.test(given)) throw new Error(`${name} must be a whole number`);
  return Number(given);
};

/** How often a failing walk is tried again without one of its steps. */
const shrinksWithinMs = 60_000;

/** How often something random is tried, and with which seed: `MODEL_RUNS` and `MODEL_SEED` say otherwise. */
export const repeatable = (runs: number) => {
  const seed = numberIn('MODEL_SEED') ?? Date.now() % 1_000_000_000;
  const numRuns = numberIn('MODEL_RUNS') ?? runs;
  const endOnFailure = process.env['MODEL_SHRINK'] === 'no';
  return { title: `(${numRuns} runs, MODEL_SEED=${seed})`, parameters: { seed, numRuns, endOnFailure } };
};

/** A test that takes so many walks, or `MODEL_RUNS`. */
export const itWalks = <Model extends object, Real>(
  rule: string,
  runs: number,
  { steps, begin, end, maxSteps = 14 }: Walks<Model, Real>,
): void => {
  const { title, parameters } = repeatable(runs);
  const all = steps.flatMap(([weight, one]) => Array.from({ length: weight }, () => one));
  const walk = fc.commands(all, { maxCommands: maxSteps, size: 'max', disableReplayLog: true });

  it(`${rule} ${title}`, { timeout: 4 * 3_600_000 }, async () => {
    let failedAt = Infinity;
    const property = fc.asyncProperty(walk, async (taken) => {
      // Once it is short enough, or has taken long enough, what remains of the search passes at once.
      if (performance.now() > failedAt + shrinksWithinMs) return;
      try {
        let reached: { model: Model; real: Real } | undefined;
        await fc.asyncModelRun(async () => (reached = await begin()), taken);
        if (reached) await end?.(reached.model, reached.real);
      } catch (error) {
        failedAt = Math.min(failedAt, performance.now());
        throw error;
      }
    });
    const result = await fc.check(property, parameters);
    if (!result.failed) return;
    const [shortest] = result.counterexample ?? [];
    const again = `MODEL_SEED=${parameters.seed} MODEL_RUNS=${result.numRuns}`;
    throw new Error(`walk ${result.numRuns} fails (again: ${again}):${fc.stringify(shortest)}`, {
      cause: result.errorInstance,
    });
  });
};
