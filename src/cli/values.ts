import { InvalidArgumentError } from '@commander-js/extra-typings';
import { z } from 'zod';
import { readInstant } from '../core/clock.ts';
import { crmLimits, limits } from '../core/limits.ts';
import { isScope, scopes, type Scope } from '../core/scopes.ts';
import { Domain } from '../modules/company-sign-in/schema.ts';
import { Email, lineOf, NameText } from '../platform/values.ts';

/** Reads the text of a flag. A value that the schema refuses is wrong usage, explained with the schema's messages. */
const reads =
  <Value>(schema: z.ZodType<Value, string>) =>
  (text: string): Value => {
    const read = schema.safeParse(text);
    if (read.success) return read.data;
    throw new InvalidArgumentError(read.error.issues.map(({ message }) => message).join(' '));
  };

/** The largest value of PostgreSQL's `integer`. */
const maxInteger = 2_147_483_647;

const wholeNumber = (min: number, max = maxInteger) =>
  z
    .string()
    .regex(/^\d+$/, 'It is a whole number.')
    .transform(Number)
    .pipe(z.int(`It is at most ${max}.`).min(min, `It is at least ${min}.`).max(max, `It is at most ${max}.`));

export const count = reads(wholeNumber(1));
export const seconds = reads(wholeNumber(0));
/** The score of a dimension. */
export const score = reads(wholeNumber(0, 100));
/** Seconds between two syncs of a CRM connection. */
export const syncInterval = reads(wholeNumber(crmLimits.interval.min, crmLimits.interval.max));

export const teamName = reads(NameText);
export const keyName = reads(lineOf(limits.keyNameCharacters));
export const connectionName = reads(lineOf(crmLimits.labelCharacters));
export const email = reads(Email);
export const domain = reads(Domain);

const { min, max } = limits.passwordCharacters;

/** The lengths that the sign-in accepts, in code points. */
export const password = reads(
  z
    .string()
    .refine((text) => [...text].length >= min, `It has at least ${min} characters.`)
    .refine((text) => [...text].length <= max, `It has at most ${max} characters.`),
);

export const time = (text: string): Date => {
  const read = readInstant(text);
  if (read) return read;
  throw new InvalidArgumentError('Enter a time like 2027-01-31T12:00:00Z.');
};

export const onOff = reads(z.enum(['on', 'off'], 'It is on or off.').transform((text) => text === 'on'));

const parts = (text: string): string[] => text.split(',').map((part) => part.trim());

export const list = reads(
  z
    .string()
    .transform(parts)
    .pipe(z.array(z.string().min(1, 'It is a list, separated by commas.'))),
);

export const scopeList = (text: string): Scope[] =>
  parts(text).map((part) => {
    if (isScope(part)) return part;
    throw new InvalidArgumentError(`There is no scope "${part}". There are: ${Object.keys(scopes).join(', ')}.`);
  });
