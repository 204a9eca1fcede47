import { TRPCError } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { accessMessages } from '../../src/core/messages/people.ts';
import { Problem, problems } from '../../src/core/problem.ts';
import { appProblem, errorShapeOf, NotAllowed, noteCaller } from '../../src/platform/trpc/app-problem.ts';

const german = { language: 'de', requestId: 'r1' } as const;
const english = { language: 'en', requestId: 'r2' } as const;
const errorOf = (cause: Error) => new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause });

describe('what the app is told', () => {
  it('of a problem: its code, its status, what is wrong, in the caller’s language', () => {
    const detail = { de: 'Nein.', en: 'No.' };
    const problem = errorOf(new Problem('validation_error', { field: 'name', detail }));
    expect(appProblem(problem, german)).toStrictEqual({
      code: 'validation_error',
      status: 422,
      title: problems.validation_error.title.de,
      request_id: 'r1',
      field: 'name',
      detail: 'Nein.',
    });
    expect(appProblem(problem, english)).toMatchObject({ detail: 'No.', request_id: 'r2' });
  });

  it('if nobody is known who called: German, and no request id', () => {
    expect(appProblem(errorOf(new Problem('not_found')))).toMatchObject({
      title: problems.not_found.title.de,
      request_id: '',
    });
  });

  it('of an error whose caller was noted before: in that language, with that request id', () => {
    const error = errorOf(new Problem('not_found'));
    noteCaller(error, english);
    expect(appProblem(error, german)).toMatchObject({ title: problems.not_found.title.en, request_id: 'r2' });
  });

  it.each([
    ['forbidden', 'You don’t have permission for this action'],
    ['proof_required', 'Confirm it’s you'],
  ] as const)('of a person who may not call a procedure: %s', (code, title) => {
    const cause = new NotAllowed(code, { de: 'Warum', en: 'Why' });
    const refused = appProblem(new TRPCError({ code: 'FORBIDDEN', cause }), english);
    expect(refused).toStrictEqual({ code, status: 403, title, detail: 'Why', request_id: 'r2' });
  });

  it('of a problem: the title for people, who have no key, or the title of the reason, if it has one', () => {
    const titleOf = (problem: Problem) => appProblem(errorOf(problem), english).title;
    expect(titleOf(new Problem('unauthorized'))).toBe('Please sign in');
    expect(titleOf(new Problem('insufficient_scope'))).toBe('You don’t have permission for this action');
    expect(titleOf(new Problem('api_disabled'))).toBe('Not available for this team');
    expect(titleOf(new Problem('unavailable'))).toBe(problems.unavailable.title.en);
    expect(titleOf(new Problem('unavailable', { detail: accessMessages.maintenance }))).toBe('Maintenance in progress');
  });

  it('of maintenance, and of nothing else, that it ends by itself', () => {
    const told = (problem: Problem) => appProblem(errorOf(problem), english);
    expect(told(new Problem('unavailable', { detail: accessMessages.maintenance })).maintenance).toBe(true);
    expect(told(new Problem('unavailable'))).not.toHaveProperty('maintenance');
  });

  it.each([
    ['NOT_FOUND', 'not_found', 404],
    ['METHOD_NOT_SUPPORTED', 'not_found', 404],
    ['PAYLOAD_TOO_LARGE', 'bad_request', 413],
    ['UNSUPPORTED_MEDIA_TYPE', 'bad_request', 415],
    ['BAD_REQUEST', 'validation_error', 422],
    ['PARSE_ERROR', 'validation_error', 422],
    ['INTERNAL_SERVER_ERROR', 'internal', 500],
    ['TIMEOUT', 'internal', 500],
  ] as const)('of a refusal of tRPC itself, %s: %s', (trpcCode, code, status) => {
    const told = appProblem(new TRPCError({ code: trpcCode, message: 'a secret' }), english);
    expect(told).toMatchObject({ code, status });
    expect(JSON.stringify(told)).not.toContain('a secret');
  });

  it('of an input that a schema refuses: each flaw', () => {
    const { error: cause } = z.object({ age: z.int() }).safeParse({ age: 'x' });
    const told = appProblem(new TRPCError({ code: 'BAD_REQUEST', cause }), english);
    expect(told.errors).toMatchObject([{ path: ['age'], code: 'invalid_type' }]);
  });

  it('of a bug: nothing but the request id', () => {
    const told = appProblem(errorOf(new TypeError('a secret')), english);
    expect(told).toMatchObject({ code: 'internal', status: 500, request_id: 'r2' });
    expect(JSON.stringify(told)).not.toContain('a secret');
  });
});

it('the error that the app gets has the problem in place of the message and of what tRPC says about it', () => {
  const problem = appProblem(errorOf(new Problem('not_found')), english);
  const shape = { code: -32_004, message: 'a secret', data: { stack: 'a secret', path: 'members.list' } };
  expect(errorShapeOf(shape, problem)).toStrictEqual({ code: -32_004, message: problem.title, data: { problem } });
});
