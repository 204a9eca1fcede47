import fc from 'fast-check';
import type { PastTraining } from './history.ts';

const percent = fc.integer({ min: 0, max: 100 });

const score = fc.record({
  total: fc.option(percent, { nil: null }),
  closing: percent,
  conversationControl: percent,
  needsAnalysis: percent,
  objectionHandling: percent,
  valueArgument: percent,
});

/** The final state of a training. A scored one is sometimes corrected. */
const outcome = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ status: fc.constantFrom('running' as const, 'aborted' as const, 'ended' as const) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      status: fc.constant('scored' as const),
      scores: fc.array(score, { minLength: 1, maxLength: 3 }),
    }),
  },
);

export type Training<Start> = Omit<PastTraining, 'userId' | 'createdAt'> & { user: number; start: Start };

/** A training of one of `users` users. */
export const training = <Start>(users: number, start: fc.Arbitrary<Start>): fc.Arbitrary<Training<Start>> =>
  fc.tuple(fc.nat({ max: users - 1 }), start, outcome).map(([user, at, rest]) => ({ user, start: at, ...rest }));
