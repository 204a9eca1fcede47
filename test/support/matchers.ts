import { expect } from 'vitest';
import { problems, type ProblemCode } from '../../src/core/problem.ts';
import type { Answer } from './client.ts';

interface ProblemMatchers<R> {
  /**
   * A problem as the contract defines it: status, code, media type, title in a known language, request id in body and
   * header.
   */
  toBeProblem(code: ProblemCode, members?: Record<string, unknown>): R;
}

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends ProblemMatchers<R> {}
}

expect.extend({
  toBeProblem(
    answer: Answer,
    code: ProblemCode,
    { status = problems[code].status, ...members }: Record<string, unknown> = {},
  ) {
    const seen = { status: answer.status, type: answer.headers.get('content-type'), body: answer.body };
    const expected = {
      status,
      type: 'application/problem+json; charset=utf-8',
      body: expect.objectContaining({
        code,
        status,
        type: expect.stringMatching(new RegExp(`^https?://.+/developers/errors#${code}$`)),
        title: expect.toBeOneOf(Object.values(problems[code].title)),
        request_id: answer.headers.get('x-request-id'),
        ...members,
      }),
    };
    return {
      pass: this.equals(seen, expected),
      message: () => `expected a problem ${code}\n${this.utils.diff(expected, seen) ?? ''}`,
      actual: seen,
      expected,
    };
  },
});
