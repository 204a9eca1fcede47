import { z } from 'zod';
import { readInstant } from '../../../core/clock.ts';
import { ExactNumber } from '../../../core/exact-json.ts';
import { storableText } from '../../../core/storable.ts';
import { flawAt, wrong } from '../../../core/messages/crm.ts';
import type { Message } from '../../../core/language.ts';
import { SyncFailure } from './failure.ts';
import type { CrmHttp } from './provider.ts';

/** A JSON number may have any length, so its digits and its exponent are limited to this. */
const maxDigits = 100;

const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Decimal text of a number, or of a text that is a number. It keeps the digits: `18400.50` stays `18400.50`, `1.5e3` is
 * `1500`. Undefined for everything else, and for a number with more than a hundred digits or an exponent beyond a
 * hundred.
 */
export const decimalText = (value: unknown): string | undefined => {
  const written = value instanceof ExactNumber ? value.source : value;
  if (typeof written !== 'string' && typeof written !== 'number') return undefined;
  const text = String(written);
  if (text.length > 2 * maxDigits) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = number.exec(text) ?? [];
  const shift = Number(exponent);
  if (whole === '' || Math.abs(shift) > maxDigits || whole.length + fraction.length > maxDigits) return undefined;
  if (shift === 0) return sign + (fraction === '' ? whole : `${whole}.${fraction}`);

  const digits = whole + fraction;
  const point = whole.length + shift;
  const before = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const behind = point > 0 ? digits.slice(point) : digits.padStart(digits.length - point, '0');
  const trimmed = before.replace(/^0+(?=\d)/, '');
  return sign + (behind === '' ? trimmed : `${trimmed}.${behind}`);
};

// Zod schemas for the answers of CRMs. CRMs omit unknown values or write them as empty or null: all three mean unknown.

/** The place of a flaw in an answer, in the notation of code: `results[3].properties.amount`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');

/**
 * Reads a value with its schema. If it has a flaw, throws a `SyncFailure` with the reason that `reason` makes of the
 * first one.
 */
export const readAs = <Form extends z.ZodType>(
  form: Form,
  value: unknown,
  reason: (issue: z.core.$ZodIssue | undefined) => Message,
): z.output<Form> => {
  const read = form.safeParse(value);
  if (read.success) return read.data;
  throw new SyncFailure('malformed', reason(read.error.issues[0]));
};

/** Reads an answer. `what` names the answer in the reason of a failure. */
export const readAnswer = <Form extends z.ZodType>(what: string, form: Form, answer: unknown): z.output<Form> =>
  readAs(form, answer, (issue) =>
    flawAt([what, pathText(issue?.path ?? [])].filter((part) => part !== '').join(': '), issue),
  );

/** An id, which some CRMs write as a number. */
export const id = z
  .union([z.string().min(1, wrong('id')), z.int(), z.instanceof(ExactNumber)], { error: wrong('id') })
  .transform((value) => (value instanceof ExactNumber ? value.source : String(value)));

const orUnknown = <Form extends z.ZodType>(form: Form) =>
  z.preprocess(
    (value) => (value === '' ? null : value),
    form.nullish().transform((value) => value ?? null),
  );

export const optionalId = orUnknown(id);

/** A text, or null. Characters that PostgreSQL can't store are left out; nobody sees them in the CRM either. */
export const optionalText = orUnknown(z.string({ error: wrong('text') }).transform(storableText));

/** Yes or no, also as the texts `true` and `false`. */
export const optionalFlag = orUnknown(
  z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
    error: wrong('flag'),
  }),
);

/** A schema from a function that returns undefined for invalid values. */
export const readBy = <Value>(read: (value: unknown) => Value | undefined, error: string) =>
  z.unknown().transform((value, context) => {
    const found = read(value);
    if (found !== undefined) return found;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });

/** Decimal text with the digits that the CRM sent. */
export const optionalDecimal = orUnknown(readBy(decimalText, wrong('decimal')));

/** A number to calculate with, which may be sent as text. */
export const optionalNumber = orUnknown(
  readBy((value) => {
    const text = decimalText(value);
    return text === undefined ? undefined : Number(text);
  }, wrong('number')),
);

/** A time as RFC 3339 writes it, or as a text of milliseconds since 1970. */
const timeOf = (value: unknown): Date | undefined => {
  if (typeof value !== 'string') return undefined;
  if (/^\d{11,14}$/.test(value)) return new Date(Number(value));
  return readInstant(value);
};

export const optionalTime = orUnknown(readBy(timeOf, wrong('time')));

export const optionalDay = orUnknown(
  readBy(
    (value) => (typeof value === 'string' && readInstant(`${value}T00:00:00Z`) !== undefined ? value : undefined),
    wrong('day'),
  ),
);

/** A currency code in upper case. */
export const optionalCurrency = orUnknown(
  z
    .string()
    .regex(/^[A-Za-z]{3}$/, { error: wrong('currency') })
    .transform((code) => code.toUpperCase()),
);

// The APIs of CRMs

interface JsonApi {
  /** The CRM's name in reasons. */
  readonly name: string;
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly http: CrmHttp;
}

/** The query of a request; undefined values are left out. */
export type QueryParameters = Readonly<Record<string, string | undefined>>;

/**
 * Returns the function that sends a request to a CRM's API, below its address, and reads the answer. Without a body it
 * is a GET.
 */
export const makeJsonApi =
  ({ name, address, headers, http }: JsonApi) =>
  async <Form extends z.ZodType>(
    path: string,
    form: Form,
    { query = {}, body, gapMs }: { query?: QueryParameters; body?: unknown; gapMs: number },
  ): Promise<z.output<Form>> => {
    const url = new URL(address);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value);
    const method = body === undefined ? 'GET' : 'POST';
    return readAnswer(`${name}, ${path}`, form, await http.json({ method, url, headers, body, gapMs }));
  };
