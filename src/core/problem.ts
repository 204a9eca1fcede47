import { z } from 'zod';
import { secondsUntil } from './clock.ts';
import { type ProblemCode, problems } from './problem-catalogue.ts';
import { allScopes, type Scope } from './scopes.ts';

/** One thing wrong with a request's values. */
export const Flaw = z.object({
  path: z
    .array(z.union([z.string(), z.int()]))
    .meta({ description: 'The place in the request: keys and indexes from the outside in.' }),
  code: z.string().meta({ description: 'Which rule was broken.' }),
  message: z.string().meta({ description: 'A sentence for the developer.' }),
});
export type Flaw = z.output<typeof Flaw>;

/** The members that a problem carries beside its code. */
export const ProblemMembers = z.object({
  detail: z.string().optional().meta({ description: 'English diagnostic; only on some 4xx.' }),
  errors: z
    .array(Flaw)
    .optional()
    .meta({ description: 'Only with `validation_error` raised while the request was read.' }),
  field: z.string().optional().meta({ description: 'Only with `validation_error` raised by a rule: the field.' }),
  dimension: z.string().optional().meta({ description: 'Only with `kombination_ungueltig`: the catalog dimension.' }),
  id: z.string().optional().meta({ description: 'Only with `kombination_ungueltig`: the unknown or invisible id.' }),
  required_scope: z.enum(allScopes).optional().meta({ description: 'Only with `insufficient_scope`.' }),
  retry_after: z.int().optional().meta({ description: 'Seconds; only with `rate_limited`.' }),
});
export type ProblemMembers = z.output<typeof ProblemMembers>;

/** The members that only some problems carry. */
interface ExtrasByCode {
  insufficient_scope: { required_scope: Scope; detail: string };
  rate_limited: { retry_after: number };
  validation_error: { errors: Flaw[] } | { field: string };
  kombination_ungueltig: { dimension: string; id?: string };
  bad_request: { status: number };
}

type NoExtras = Record<never, never>;
export type Extras<C extends ProblemCode> = (C extends keyof ExtrasByCode ? ExtrasByCode[C] : NoExtras) & {
  detail?: string | undefined;
};

/** An answer that the contract foresees, on its way to the client. Everything else that is thrown is a bug. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly members: ProblemMembers;

  constructor(code: ProblemCode, { status, ...members }: ProblemMembers & { status?: number } = {}) {
    super(members.detail ?? code);
    this.code = code;
    this.status = status ?? problems[code].status;
    this.members = members;
  }
}

type Rest<C extends ProblemCode> = NoExtras extends Extras<C> ? [extras?: Extras<C>] : [extras: Extras<C>];

/** Ends the operation with a problem of the catalogue. */
export function fail<C extends ProblemCode>(code: C, ...[extras]: Rest<C>): never {
  throw new Problem(code, extras);
}

/** Refuses something that was done too often, until its budget begins anew. */
export function failUntil(end: Date, now: Date, detail: string): never {
  fail('rate_limited', { retry_after: secondsUntil(end, now), detail });
}
