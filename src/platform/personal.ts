import { isRecord } from '../core/raw-json.ts';
import { z } from 'zod';

/** How answers hide a field about a single person while the team has switched off member details. */
type Hiding = 'omit' | 'null';

const personalFields = z.registry<{ hidden: Hiding }>();

/** Marks a field of an answer as personal. Answers hide it automatically while member details are off. */
export const personal = <Schema extends z.ZodType>(schema: Schema, hidden: Hiding): Schema => {
  personalFields.add(schema, { hidden });
  return schema;
};

type Redact = (value: unknown) => unknown;

const redactObject = (shape: Record<string, z.core.$ZodType>): Redact | undefined => {
  const steps = Object.entries(shape).flatMap(([key, schema]): [string, Hiding | Redact][] => {
    const mark = personalFields.get(schema);
    const step = mark?.hidden ?? redactorOf(schema);
    return step === undefined ? [] : [[key, step]];
  });
  if (steps.length === 0) return undefined;
  return (value) => {
    if (!isRecord(value)) return value;
    const copy = { ...value };
    for (const [key, step] of steps) {
      if (step === 'omit') delete copy[key];
      else if (step === 'null') copy[key] = null;
      else copy[key] = step(copy[key]);
    }
    return copy;
  };
};

/** A function that hides the personal fields in answers of this schema; undefined if it has none. */
export const redactorOf = (schema: z.core.$ZodType): Redact | undefined => {
  if (schema instanceof z.ZodObject) return redactObject(schema.shape);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return redactorOf(schema.unwrap());
  if (schema instanceof z.ZodArray) {
    const redact = redactorOf(schema.element);
    return redact && ((value) => (Array.isArray(value) ? value.map(redact) : value));
  }
  return undefined;
};
