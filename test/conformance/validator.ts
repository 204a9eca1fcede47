import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DescribedApi, DescribedOperation, JsonSchema, Parameter } from './described-api.ts';

/** Checks whether the document allows a value: it must allow generated values and refuse broken ones. */
export interface Validator {
  allowsBody(operation: DescribedOperation, value: unknown): boolean;
  /** A parameter is a text, so of the integers only their plain form is valid. */
  allowsText(parameter: Parameter, text: string): boolean;
}

export const makeValidator = ({ json, resolve }: DescribedApi): Validator => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(json, 'api');
  const compiled = new Map<JsonSchema, (value: unknown) => boolean>();
  const allows = (schema: JsonSchema, value: unknown): boolean => {
    const known = compiled.get(schema);
    if (known) return known(value);
    // References are those of the document.
    const validate = ajv.compile<unknown>(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
    const check = (candidate: unknown): boolean => validate(candidate);
    compiled.set(schema, check);
    return check(value);
  };
  return {
    allowsBody: ({ body }, value) => body === undefined || allows(body, value),
    allowsText: ({ schema }, text) => {
      const { type } = resolve(schema);
      if (type !== 'integer') return allows(schema, text);
      return /^(-?[1-9]\d*|0)$/.test(text) && allows(schema, Number(text));
    },
  };
};
