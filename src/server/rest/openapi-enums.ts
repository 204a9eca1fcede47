import { isRecord } from '../../core/json.ts';
import type { Components } from './openapi-shared.ts';
import { isDeepStrictEqual } from 'node:util';
import { anyArray, anyObject } from '../../platform/free-form.ts';

// Enums of the OpenAPI document. Requests allow only the known values. Answers may have more, because v1 may gain
// values, and an older generated client must not fail on a new one. So an enum that answers use becomes two schemas:
//
//   KnownTrainingStatus   the values, for requests
//   TrainingStatus        these, or another text, for answers
//
// An enum without an id becomes a text whose description lists the values: two more types would burden the generated
// client.

type Schemas = NonNullable<Components['schemas']>;

const prefix = '#/components/schemas/';

type Visit = (node: Record<string, unknown>) => void;

/** Visits every object within a value, the outer ones first. */
export const walk = (value: unknown, visit: Visit): void => {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit);
  } else if (isRecord(value)) {
    visit(value);
    for (const inner of Object.values(value)) walk(inner, visit);
  }
};

const refIn = (node: Record<string, unknown>): string | undefined => {
  const { $ref } = node;
  return typeof $ref === 'string' && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined;
};

/** Replaces enums without a name by texts. */
const describeEnums = (answers: Schemas): void => {
  const named = new Set<unknown>(Object.values(answers));
  walk(answers, (node) => {
    const { enum: values, description } = node;
    if (!Array.isArray(values) || named.has(node)) return;
    const isMissing = (value: unknown) => !String(description).includes(`\`${String(value)}\``);
    if (values.some(isMissing)) throw new Error(`The description of an enum names not all of ${values.join(', ')}.`);
    delete node['enum'];
    node['description'] = `${String(description)} More values may be added.`;
  });
};

/**
 * Returns the schemas with open enums.
 *
 * @param answers the schemas of answers and events, and all enums. Enums without a name are changed in place.
 * @param requests everything else that refers to enums. Its references are changed in place.
 */
export const openEnums = (answers: Schemas, requests: unknown): Schemas => {
  describeEnums(answers);
  const used = new Set<string>();
  walk(answers, (node) => used.add(refIn(node) ?? ''));
  const isOpen = (name: string): boolean => {
    const schema = answers[name];
    return used.has(name) && schema !== undefined && 'enum' in schema && schema.enum !== undefined;
  };
  walk(requests, (node) => {
    const name = refIn(node);
    if (name !== undefined && isOpen(name)) node['$ref'] = `${prefix}Known${name}`;
  });
  return Object.fromEntries(
    Object.entries(answers).flatMap(([name, schema]): [string, Schemas[string]][] => {
      if (!isOpen(name)) return [[name, schema]];
      const description = 'description' in schema ? schema.description : undefined;
      if (description === undefined) throw new Error(`the enum ${name} has no description`);
      return [
        [
          name,
          {
            description: `${description} More values may be added.`,
            anyOf: [{ $ref: `${prefix}Known${name}` }, { type: 'string' }],
          },
        ],
        [`Known${name}`, { ...schema, description: `${description} The values that are known today.` }],
      ];
    }),
  );
};

const freeForm = { anyOf: [anyObject, anyArray] };

/** The schemas of free-form values. They have names, so that generated clients have one type for each. */
export const freeForms = {
  FreeFormObject: { ...anyObject, description: 'Any JSON object. The service stores it and returns it unchanged.' },
  FreeFormValue: { ...freeForm, description: 'Any JSON object or array. The service returns it unchanged.' },
};

const nameOf = (schema: unknown): string | undefined => {
  if (isDeepStrictEqual(schema, anyObject)) return 'FreeFormObject';
  return isDeepStrictEqual(schema, freeForm) ? 'FreeFormValue' : undefined;
};

const named = (schema: unknown): unknown => {
  const name = nameOf(schema);
  return name === undefined ? schema : { $ref: `#/components/schemas/${name}` };
};

/** Replaces the free-form schemas within a document by references. */
export const nameFreeForm = (described: unknown): void =>
  walk(described, (node) => {
    for (const [key, value] of Object.entries(node)) node[key] = Array.isArray(value) ? value.map(named) : named(value);
  });
