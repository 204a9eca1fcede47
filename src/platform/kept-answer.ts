/**
 * The answer of an earlier call with the same `Idempotency-Key`, which is given again as it was. It is thrown, because
 * tRPC would compare what a procedure returns with the present schema, and a release may have added a field since.
 */
export class KeptAnswer extends Error {
  readonly answer: unknown;

  constructor(answer: unknown) {
    super('an answer was given before');
    this.answer = answer;
  }
}
