import fc from 'fast-check';
import type { JsonSchema } from './described-api.ts';

/** Values for properties and parameters by name, if most values that the schema allows would find nothing. */
export type KnownValues = ReadonlyMap<string, fc.Arbitrary<unknown>>;

export interface ValueKit {
  resolve: (schema: JsonSchema) => JsonSchema;
  known: KnownValues;
  /** The length of texts without a limit in the schema: a field that refuses such a text must document its limit. */
  longest: number;
}

/**
 * A character of any plane, because limits count characters and not UTF-16 units. Without NUL and lone surrogates,
 * which no text may have.
 */
const character = fc
  .oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
    { weight: 2, arbitrary: fc.integer({ min: 0x1, max: 0xd7ff }) },
    { weight: 1, arbitrary: fc.integer({ min: 0xe000, max: 0xffff }) },
    { weight: 2, arbitrary: fc.integer({ min: 0x1_0000, max: 0x10_ffff }) },
  )
  .map((code) => String.fromCodePoint(code));

const short = 40;

const textOf = ({ minLength = 0, maxLength }: JsonSchema, longest: number): fc.Arbitrary<string> => {
  const some = fc.string({ unit: character, minLength, maxLength: Math.min(maxLength ?? short, minLength + short) });
  const edges = [minLength, maxLength ?? longest];
  const exact = fc
    .tuple(fc.constantFrom(...edges), fc.constantFrom('x', 'ß', '😀', ' '))
    .map(([n, of]) => of.repeat(n));
  return fc.oneof({ weight: 4, arbitrary: some }, { weight: 1, arbitrary: exact });
};

const pad = (value: number, digits = 2) => String(value).padStart(digits, '0');

// Both sides of every boundary of the calendar. PostgreSQL has no year 0.
const day = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 2020, max: 2030 }),
      fc.constantFrom(1, 1900, 2000, 9999),
      fc.integer({ min: 1, max: 9999 }),
    ),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
  )
  .map(([year, month, wanted]) => {
    const last = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
    return `${pad(year, 4)}-${pad(month)}-${pad(Math.min(wanted, last))}`;
  });

const time = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
    fc.oneof(
      fc.constant(''),
      fc.integer({ min: 1, max: 12 }).map((digits) => `.${'7'.repeat(digits)}`),
    ),
    fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+01:00', '-23:59', '+23:59', '+05:30'),
  )
  .map(([hour, minute, second, fraction, offset]) => `${pad(hour)}:${pad(minute)}:${pad(second)}${fraction}${offset}`);

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: day,
  'date-time': fc.tuple(day, fc.constantFrom('T', 't'), time).map((parts) => parts.join('')),
  uuid: fc.uuid(),
  uri: fc.webUrl({ validSchemes: ['https'] }),
};

const stringOf = (schema: JsonSchema, longest: number): fc.Arbitrary<string> => {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const fits = (text: string) =>
    [...text].length >= minLength &&
    [...text].length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, 'u').test(text));
  if (format !== undefined) {
    const formatted = formats[format];
    if (!formatted) throw new Error(`teach the generator the format ${format}`);
    return formatted.filter(fits);
  }
  return pattern === undefined ? textOf(schema, longest) : fc.stringMatching(new RegExp(pattern)).filter(fits);
};

const numberOf = ({ minimum = -1e6, maximum = 1e6 }: JsonSchema) => ({ min: minimum, max: maximum });

/** Any JSON, as deep as customers' data usually is, without keys that would change a prototype. */
const { anything } = fc.letrec<{ anything: unknown; leaf: unknown; list: unknown; object: unknown }>((tie) => ({
  anything: fc.oneof({ maxDepth: 4, depthSize: 'small' }, tie('leaf'), tie('list'), tie('object')),
  leaf: fc.oneof(
    fc.constantFrom(null, true, false, 0, '', 1e308, -1e-7),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: character, maxLength: short }),
  ),
  list: fc.array(tie('anything'), { maxLength: 4 }),
  object: fc.dictionary(keyText(), tie('anything'), { maxKeys: 4 }),
}));

function keyText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: character, maxLength: short }).filter((key) => key !== '__proto__'),
    fc.constantFrom('constructor', 'toString', 'id', 'tenant_id', ''),
  );
}

const objectOf = (schema: JsonSchema, kit: ValueKit): fc.Arbitrary<object> => {
  const shape = Object.entries(schema.properties ?? {}).map(([key, property]): [string, fc.Arbitrary<unknown>] => [
    key,
    namedValue(key, property, kit),
  ]);
  const declared = fc.record(Object.fromEntries(shape), { requiredKeys: schema.required ?? [] });
  const { additionalProperties: more = true, propertyNames, maxProperties = 4 } = schema;
  if (more === false) return declared;
  const values = more === true ? anything : validValue(more, kit);
  const maxKeys = Math.min(4, maxProperties);
  return fc
    .tuple(
      fc.dictionary(propertyNames ? stringOf(propertyNames, kit.longest) : keyText(), values, { maxKeys }),
      declared,
    )
    .map(([others, own]) => ({ ...others, ...own }));
};

const ofType = (type: string, schema: JsonSchema, kit: ValueKit): fc.Arbitrary<unknown> => {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return stringOf(schema, kit.longest);
  if (type === 'integer') return fc.integer(numberOf(schema));
  if (type === 'number') return fc.double({ ...numberOf(schema), noNaN: true });
  if (type === 'object') return objectOf(schema, kit);
  if (type === 'array') {
    const { items = {}, minItems = 0, maxItems = minItems + 5 } = schema;
    return fc.array(validValue(items, kit), { minLength: minItems, maxLength: maxItems });
  }
  throw new Error(`teach the generator the type ${type}`);
};

/** Values that a schema allows. */
export const validValue = (given: JsonSchema, kit: ValueKit): fc.Arbitrary<unknown> => {
  const schema = kit.resolve(given);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => validValue(choice, kit)));
  if (schema.type === undefined) return anything;
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return fc.oneof(...types.map((type) => ofType(type, schema, kit)));
};

/** Replacements for the values that the schema allows. */
const described = new Map<string, fc.Arbitrary<unknown>>([
  // Only the description says the form, because no format of JSON Schema has it.
  ['email', fc.emailAddress({ size: 'small' })],
  // Mostly zero, because nothing raises events meanwhile.
  ['wait', fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1)],
]);

/** A value for a property or a parameter, in most cases one that exists in the team. */
export const namedValue = (name: string, schema: JsonSchema, kit: ValueKit): fc.Arbitrary<unknown> => {
  const known = kit.known.get(name);
  const any = described.get(name) ?? validValue(schema, kit);
  return known ? fc.oneof({ weight: 12, arbitrary: known }, { weight: 1, arbitrary: any }) : any;
};
