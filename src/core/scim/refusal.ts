import { english } from '../language.ts';
import { Problem, type ProblemCode } from '../problem.ts';

/** The kinds of refusals that RFC 7644 names (table 9) and this service uses. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** A refusal with a kind that directories know. Log and metrics treat it like any other problem. */
export class ScimProblem extends Problem {
  readonly scimType: ScimType | undefined;

  constructor(code: ProblemCode, status: number, scimType: ScimType | undefined, detail: string) {
    super(code, { status, detail: english(detail) });
    this.scimType = scimType;
  }
}

/** Refuses a request that is not valid. */
export const refuse = (scimType: ScimType, detail: string): never => {
  throw new ScimProblem('validation_error', scimType === 'uniqueness' ? 409 : 400, scimType, detail);
};

/** Refuses with a status that the code does not usually have. */
export const refuseWith = (code: ProblemCode, status: number, detail: string): never => {
  throw new ScimProblem(code, status, undefined, detail);
};

/** Refuses an action that this service allows to nobody. */
export const forbid = (detail: string): never => refuseWith('conflict', 403, detail);
