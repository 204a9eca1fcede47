import { isRecord } from '../core/raw-json.ts';
import type { Components } from './openapi-shared.ts';

// Enums of the OpenAPI document. A request has only the values that are known. An answer may have more, since v1 may gain values, and a
// client that was generated before must not break on one. So an enum that answers use becomes two schemas:
//
//   KnownTrainingStatus   the values, for requests
//   TrainingStatus        these, or another text, for answers

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

/**
 * The schemas with open enums.
 *
 * @param answers the schemas of answers and events, and the enums of all
 * @param requests everything else that refers to enums. Its references are changed in place.
 */
export const openEnums = (answers: Schemas, requests: unknown): Schemas => {
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
      const description = 'description' in schema ? (schema.description ?? '') : '';
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
