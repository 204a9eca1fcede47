import { z } from 'zod';

interface Field {
  name: string;
  /** In words: `string`, `date or null`, or the values that there are. */
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

const Reference = z.object({ $ref: z.string().regex(/^#\/\$defs\//) });

/** A schema as JSON Schema in which every reference to a named schema is replaced by that schema. */
export const inlinedSchemaOf = (schema: z.ZodType, options: Parameters<typeof z.toJSONSchema>[1] = {}): JsonSchema => {
  const { $schema: _dialect, $defs = {}, ...whole } = z.toJSONSchema(schema, options);
  const inline = (text: string): JsonSchema =>
    JSON.parse(text, (_key, value: unknown) => {
      const { data } = Reference.safeParse(value);
      if (!data) return value;
      const { $ref, ...own } = { ...Object(value), ...data };
      return { ...inline(JSON.stringify($defs[$ref.slice('#/$defs/'.length)])), ...own };
    });
  return inline(JSON.stringify(whole));
};

/** What a reader is told of an object's fields. */
export const fieldsOf = (schema: z.ZodObject): Field[] =>
  Object.entries(inlinedSchemaOf(schema).properties ?? {}).map(([name, field]) =>
    typeof field === 'object'
      ? { name, type: typeOf(field), description: field.description ?? '' }
      : { name, type: '', description: '' },
  );
