import { isDeepStrictEqual } from 'node:util';
import { anyArray, anyObject } from '../../platform/free-form.ts';
import { walk } from './openapi-enums.ts';

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
