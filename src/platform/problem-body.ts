import { z } from 'zod';
import type { Language } from '../core/language.ts';
import { Flaw, problemCodes, ProblemMembers, problems, type Problem } from '../core/problem.ts';
import { ScopeName } from './values.ts';

/** The body of a problem (RFC 9457), as an answer of its own, or in an answer about several items. */
export const problemBody = (problem: Problem, language: Language, requestId: string, publicUrl: string) => ({
  type: `${publicUrl}/developers/errors#${problem.code}`,
  title: problems[problem.code].title[language],
  status: problem.status,
  code: problem.code,
  request_id: requestId,
  ...problem.members,
});

export const ProblemSchema = z
  .object({
    type: z.url().meta({ description: 'Opens the page about this error.' }),
    title: z.string().meta({ description: 'A short text for people, in the language of `Accept-Language`.' }),
    status: z.int().meta({ minimum: 400, maximum: 599, description: 'The HTTP status of the answer.' }),
    code: z
      .enum(problemCodes)
      .meta({ id: 'ProblemCode', description: 'Which error it is. It never changes: match on it.' }),
    request_id: z.guid().meta({ description: 'The id of the request, for support. Also in `X-Request-Id`.' }),
  })
  .extend(ProblemMembers.shape)
  .extend({
    errors: z
      .array(Flaw.loose().meta({ id: 'InvalidValue', description: 'One invalid value in a request.' }))
      .optional()
      .meta({ description: ProblemMembers.shape.errors.meta()?.description }),
    required_scope: ScopeName.optional().meta({ description: ProblemMembers.shape.required_scope.meta()?.description }),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' });
