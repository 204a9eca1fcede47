import { z } from 'zod';
import { readInstant } from '../../../core/instant.ts';
import { decimalText, ExactNumber } from './exact-number.ts';
import { SyncFailure } from './provider.ts';

// The forms that answers of CRMs are made of. CRMs leave out, empty or null what they do not have: all three mean unknown.

/** Where in an answer a flaw is, as a programmer writes it: `results[3].properties.amount`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');

/** An answer in its form; members that the form does not have are left out. `what` names the answer in the reason of a failure. */
export const readAnswer = <Form extends z.ZodType>(what: string, form: Form, answer: unknown): z.output<Form> => {
  const read = form.safeParse(answer);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = pathText(issue?.path ?? []) || 'the answer';
  throw new SyncFailure('malformed', `${what}: ${place}: ${issue?.message ?? 'It is not in the expected form.'}`);
};

/** An id, which some CRMs write as a number. */
export const id = z
  .union([z.string().min(1, 'It must be an id.'), z.int(), z.instanceof(ExactNumber)], { error: 'It must be an id.' })
  .transform((value) => (value instanceof ExactNumber ? value.source : String(value)));

const orUnknown = <Form extends z.ZodType>(form: Form) =>
  z.preprocess(
    (value) => (value === '' ? null : value),
    form.nullish().transform((value) => value ?? null),
  );

export const optionalId = orUnknown(id);

/** A text, without the characters that PostgreSQL can't store: the people who use the CRM can't see them. */
export const optionalText = orUnknown(
  z.string({ error: 'It must be a text.' }).transform((text) => text.toWellFormed().replaceAll('\0', '')),
);

/** Yes or no, also as the texts `true` and `false`. */
export const optionalFlag = orUnknown(
  z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
    error: 'It must be true or false.',
  }),
);

/** A form that a function reads, which gives undefined for what it can't read. */
const readBy = <Value>(read: (value: unknown) => Value | undefined, error: string) =>
  z.unknown().transform((value, context) => {
    const found = read(value);
    if (found !== undefined) return found;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });

/** Decimal text with the digits that the CRM has. */
export const optionalDecimal = orUnknown(
  readBy(
    (value) => (value === null || value === undefined ? undefined : decimalText(value)),
    'It must be a decimal number.',
  ),
);

/** A number for reckoning, which may come as text. */
export const optionalNumber = orUnknown(
  readBy((value) => {
    const text = decimalText(value);
    return text === undefined ? undefined : Number(text);
  }, 'It must be a number.'),
);

/** A time as RFC 3339 writes it, or as a text of milliseconds since 1970. */
const timeOf = (value: unknown): Date | undefined => {
  if (typeof value !== 'string') return undefined;
  if (/^\d{11,14}$/.test(value)) return new Date(Number(value));
  return readInstant(value);
};

export const optionalTime = orUnknown(readBy(timeOf, 'It must be a time like 2026-11-20T09:30:00Z.'));

export const optionalDay = orUnknown(
  readBy(
    (value) =>
      typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && readInstant(`${value}T00:00:00Z`) !== undefined
        ? value
        : undefined,
    'It must be a day like 2026-11-20.',
  ),
);

/** The code of a currency in upper case. */
export const optionalCurrency = orUnknown(
  z
    .string()
    .regex(/^[A-Za-z]{3}$/, { error: 'It must be a currency of ISO 4217, like EUR.' })
    .transform((code) => code.toUpperCase()),
);
