import { z } from 'zod';
import { canonicalEmail } from '../core/email-address.ts';
import { readInstant } from '../core/clock.ts';
import { limits } from '../core/limits.ts';
import { fieldMessages } from '../core/messages/fields.ts';
import { saying, type Message } from '../core/language.ts';
import { holdsPhoneNumber, isPlainLine, mayBecomeLink } from '../core/name-text.ts';
import { isRecord } from '../core/json.ts';
import { allScopes } from '../core/scopes.ts';

/** Characters are code points, as in JSON Schema; JavaScript's `length` counts UTF-16 units. */
const hasLength = (text: string, max: number, min: number): boolean => {
  if (text.length > max * 2) return false;
  const length = text.length <= max && min <= 1 ? text.length : [...text].length;
  return length >= min && length <= max;
};

interface Bounds {
  min?: number;
  /** Whether spaces at both ends are removed before the text is measured. */
  trimmed?: boolean;
  message?: Message;
}

/**
 * A text whose length is checked first. If it is too long, no other rule looks at it. Every schema with rules for a
 * text begins with it, because the time that a rule needs grows with the text.
 */
export const boundedText = (
  max: number,
  {
    min = 0,
    trimmed = false,
    message = min === 0 ? fieldMessages.maxCharacters(max) : fieldMessages.characters(min, max),
  }: Bounds = {},
) =>
  (trimmed ? z.string().trim() : z.string()).refine((text) => hasLength(text, max, min), {
    ...saying(message),
    abort: true,
  });

/** A text with a limited number of characters. */
export const textUpTo = (max: number, min = 0) =>
  boundedText(max, { min }).meta({ ...(min > 0 && { minLength: min }), maxLength: max });

/**
 * Like `textUpTo`, for a value that may be null or absent. In the OpenAPI document the limit stands beside both types,
 * so that adding a limit breaks no client.
 */
export const noTextOrUpTo = (max: number) => boundedText(max).nullish().meta({ maxLength: max });

/** A time in the form of answers: UTC with milliseconds. */
export const Time = z.string().meta({ format: 'date-time', example: '2026-11-20T08:30:00.000Z' });

/** A time in a request, with any offset. */
export const Instant = z
  .string()
  .meta({ format: 'date-time', example: '2026-11-20T09:30:00+01:00' })
  .transform((text, context) => {
    const time = readInstant(text);
    if (time) return time;
    context.addIssue({
      code: 'invalid_format',
      format: 'datetime',
      input: text,
      message: fieldMessages.time.api,
    });
    return z.NEVER;
  });

/** Intervals without gaps: each ends where the next one starts. They are in the time zone of their reader. */
export const Intervals = z.strictObject({
  starts: z
    .array(Instant)
    .min(1)
    .max(120)
    .refine(
      (starts) => starts.every((start, at) => at === 0 || start > (starts[at - 1] ?? start)),
      saying(fieldMessages.intervals),
    ),
  end: Instant.meta({ description: 'Where the last one ends.' }),
});
/** There is no year 0. Generated code in Go and elsewhere has no look-aheads, so the years are spelled out. */
const dayPattern = '^(\\d{3}[1-9]|\\d{2}[1-9]0|\\d[1-9]00|[1-9]000)-\\d{2}-\\d{2}$';

/** A calendar day, without a time zone. */
export const CalendarDay = z.iso
  .date({ abort: true, error: fieldMessages.date.api })
  .refine((day) => !day.startsWith('0000'), saying(fieldMessages.date))
  .meta({ pattern: dayPattern, example: '2026-12-24' });

/**
 * One line of text without invisible characters and without characters that reorder it. Its length is counted in code
 * points.
 */
export const lineOf = (max: number) =>
  boundedText(max, { min: 1, trimmed: true }).refine(isPlainLine, saying(fieldMessages.oneLine));

/** The name of a team or a person. Mails show it to people who do not know its author. */
export const NameText = lineOf(limits.nameCharacters)
  .refine((text) => !mayBecomeLink(text), saying(fieldMessages.linkInName))
  .refine((text) => !holdsPhoneNumber(text), saying(fieldMessages.phoneNumberInName));

/** An email address in the form in which it is stored. */
export const Email = z
  .string()
  .transform((text, context) => {
    const address = canonicalEmail(text);
    if (address !== undefined) return address;
    context.addIssue({ code: 'invalid_format', format: 'email', input: text, message: fieldMessages.email.en });
    return z.NEVER;
  })
  // No `format: email`: it excludes domains in Unicode, which are accepted.
  .meta({
    maxLength: limits.emailCharacters,
    description: 'An email address. Compared without case; a domain may be written in Unicode or in ASCII.',
  });

export const ScopeName = z
  .enum(allScopes)
  .meta({ id: 'Scope', description: 'Something that a key may be allowed to do.' });

export const Done = z
  .object({ ok: z.literal(true).meta({ description: 'Always true: otherwise the answer is a problem.' }) })
  .meta({ id: 'Done', description: 'The action was done.' });
export const done = { ok: true } as const;

/** The answer to an action that has succeeded and has no result. */
export const doneAfter = async (action: Promise<void>): Promise<typeof done> => {
  await action;
  return done;
};

// Personal fields

/** How answers hide a field about a single person while the team has switched off member details. */
type Hiding = 'omit' | 'null';

/** Whether an object with a personal field is about no person, so that the field is shown nevertheless. */
type IsAboutNobody = (object: Readonly<Record<string, unknown>>) => boolean;

const personalFields = z.registry<{ hidden: Hiding; unless?: IsAboutNobody | undefined }>();

/** Marks a field of an answer as personal. Answers hide it automatically while member details are off. */
export const personal = <Schema extends z.ZodType>(schema: Schema, hidden: Hiding, unless?: IsAboutNobody): Schema => {
  personalFields.add(schema, { hidden, unless });
  return schema;
};

type RedactValue = (value: unknown) => unknown;

const redactObject = (shape: Record<string, z.core.$ZodType>): RedactValue | undefined => {
  const steps = Object.entries(shape).flatMap(
    ([key, schema]): [string, Hiding | RedactValue, IsAboutNobody | undefined][] => {
      const mark = personalFields.get(schema);
      const step = mark?.hidden ?? redactorOf(schema);
      return step === undefined ? [] : [[key, step, mark?.unless]];
    },
  );
  if (steps.length === 0) return undefined;
  return (value) => {
    if (!isRecord(value)) return value;
    const copy = { ...value };
    for (const [key, step, unless] of steps) {
      if (unless?.(value) === true) continue;
      if (step === 'omit') delete copy[key];
      else if (step === 'null') copy[key] = null;
      else copy[key] = step(copy[key]);
    }
    return copy;
  };
};

/** A function that hides the personal fields in answers of this schema; undefined if it has none. */
export const redactorOf = (schema: z.core.$ZodType): RedactValue | undefined => {
  if (schema instanceof z.ZodObject) return redactObject(schema.shape);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return redactorOf(schema.unwrap());
  if (schema instanceof z.ZodArray) {
    const redact = redactorOf(schema.element);
    return redact && ((value) => (Array.isArray(value) ? value.map(redact) : value));
  }
  return undefined;
};

/**
 * The output of a command, by the rule of the procedures: personal fields are hidden while the team hides member
 * details.
 */
export const asShown = <Schema extends z.ZodType>(
  schema: Schema,
  { memberDetail }: { memberDetail: boolean },
  shown: z.input<Schema>,
): z.output<Schema> => schema.parse(memberDetail ? shown : (redactorOf(schema)?.(shown) ?? shown));
