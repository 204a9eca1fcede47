import { z } from 'zod';
import { readInstant } from '../core/instant.ts';

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

export const Done = z.object({ ok: z.literal(true) }).meta({ id: 'Done' });
export const done = { ok: true } as const;
