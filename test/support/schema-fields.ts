import type { z } from 'zod';
import { jsonSchemaOf } from '../../src/core/json-schema.ts';

interface Field {
  name: string;
  /** The type in words: `string`, `date or null`, or the list of allowed values. */
  type: string;
  description: string;
}

type JsonSchema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;

const typeOf = ({ anyOf, enum: values, const: only, type, format }: JsonSchema): string => {
  if (anyOf) return anyOf.map((one) => (typeof one === 'object' ? typeOf(one) : '')).join(' or ');
  if (only !== undefined) return `\`${String(only)}\``;
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ');
  return format ?? [type ?? []].flat().join(' or ');
};

/** The fields of an object as the documentation lists them. */
export const fieldsOf = (schema: z.ZodObject): Field[] =>
  Object.entries(jsonSchemaOf(schema).properties ?? {}).map(([name, field]) =>
    typeof field === 'object'
      ? { name, type: typeOf(field), description: field.description ?? '' }
      : { name, type: '', description: '' },
  );
