import { z } from 'zod';
import { canonicalEmail } from '../core/email-address.ts';
import { readInstant } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import { holdsPhoneNumber, isPlainLine, mayBecomeLink } from '../core/name-text.ts';

/** Whether a text has so many characters: code points, as JSON Schema counts, where JavaScript counts UTF-16 units. */
const hasLength = (text: string, most: number, least: number): boolean => {
  if (text.length > most * 2) return false;
  const length = text.length <= most && least <= 1 ? text.length : [...text].length;
  return length >= least && length <= most;
};

/** A text of so many characters. */
export const textUpTo = (most: number, least = 0) =>
  z
    .string()
    .refine((text) => hasLength(text, most, least), `It has ${least} to ${most} characters`)
    .meta({ ...(least > 0 && { minLength: least }), maxLength: most });

/** The same where it may be null or absent. The limit stands beside both types in the description, so that it only adds to it. */
export const noTextOrUpTo = (most: number) =>
  z
    .string()
    .nullish()
    .refine((text) => typeof text !== 'string' || hasLength(text, most, 0), `It has at most ${most} characters`)
    .meta({ maxLength: most });

/** A point in time, as every answer writes it: UTC with milliseconds. */
export const Time = z.string().meta({ format: 'date-time', example: '2026-11-20T08:30:00.000Z' });

/** A point in time that a caller gives, with any offset. */
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
      message: 'It is a time with an offset, like 2026-11-20T09:30:00+01:00 (in a query, + is written %2B)',
    });
    return z.NEVER;
  });

/** A day of the calendar, in no time zone. */
export const CalendarDay = z.iso
  .date()
  .refine((day) => !day.startsWith('0000'), 'There is no year 0')
  .meta({ pattern: '^(?!0000)\\d{4}-\\d{2}-\\d{2}$', example: '2026-12-24' });

/** One line of 1 to so many characters (code points) that holds nothing invisible and nothing that reorders it. */
export const lineOf = (most: number) =>
  z
    .string()
    .trim()
    .refine((text) => text !== '' && [...text].length <= most, `It has 1 to ${most} characters.`)
    .refine(isPlainLine, 'It is one line, without control characters and characters that nobody sees.');

/** The name of a team or a person: mails show it to people who do not know its author. */
export const NameText = lineOf(limits.nameCharacters)
  .refine(
    (text) => !mayBecomeLink(text),
    'It must not contain a web or email address. Write a space after a full stop.',
  )
  .refine((text) => !holdsPhoneNumber(text), 'It must not contain a phone number.');

/** An email address that mail can be sent to, in the form in which it is stored. */
export const Email = z
  .string()
  .transform((text, context) => {
    const address = canonicalEmail(text);
    if (address !== undefined) return address;
    context.addIssue({ code: 'invalid_format', format: 'email', input: text, message: 'It is no email address.' });
    return z.NEVER;
  })
  .meta({
    format: 'email',
    maxLength: limits.emailCharacters,
    description: 'Compared without case; a domain may be written in Unicode or in ASCII.',
  });

export const Done = z.object({ ok: z.literal(true) }).meta({ id: 'Done' });
export const done = { ok: true } as const;
