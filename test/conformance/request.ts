import fc from 'fast-check';
import { limits } from '../../src/core/limits.ts';
import type { DescribedApi, DescribedOperation, Parameter } from './described-api.ts';
import { namedValue, type KnownValues } from './valid-values.ts';

/** A request as values by name, before it is serialized. */
export interface PlannedRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A serialized request. */
export interface WrittenRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | undefined;
}

const headerText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 100,
});

/** Two thirds of the keys are the same, which causes replays and mismatches. */
const headerValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'Idempotency-Key': fc.oneof({ weight: 2, arbitrary: fc.constant('a key') }, headerText),
  'Accept-Language': fc.oneof(fc.constantFrom('de', 'en', 'en-GB, de;q=0.5', 'fr', '*'), headerText),
};

const headerOf = ({ name }: Parameter): fc.Arbitrary<string> => {
  const values = headerValues[name];
  if (!values) throw new Error(`teach the generator the header ${name}`);
  return values;
};

/**
 * Few parameters at a time, however many there are: with all filters nothing is found, and an invented cursor refuses
 * the whole request. Real cursors are followed, for which pages must be small.
 */
const absence = (name: string, parameters: number): number =>
  name === 'cursor' ? 10 : name === 'limit' ? 2 : Math.max(3, parameters);

const sometimes = (
  { name, required }: Parameter,
  text: fc.Arbitrary<string>,
  parameters = 1,
): fc.Arbitrary<string | undefined> =>
  required
    ? text
    : fc.oneof(
        { weight: absence(name, parameters), arbitrary: fc.constant(undefined) },
        { weight: 2, arbitrary: text },
      );

const given = (texts: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));

/** The schemas do not say how large a body may be as a whole. */
const fitsIn = (body: unknown): boolean => Buffer.byteLength(JSON.stringify(body)) <= limits.bodyBytes;

/** Requests that the document allows. */
export const plannedRequest = (
  { inPath: paths, inQuery, inHeader, body }: DescribedOperation,
  { resolve }: DescribedApi,
  known: KnownValues,
): fc.Arbitrary<PlannedRequest> => {
  const kit = { resolve, known, longest: 300 };
  const textOf = ({ name, schema }: Parameter) => namedValue(name, schema, kit).map(String);
  const textsOf = (parameters: readonly Parameter[]) =>
    Object.fromEntries(parameters.map((parameter) => [parameter.name, textOf(parameter)]));
  return fc.record({
    // An empty value would be a different path.
    path: fc.record(textsOf(paths)).filter((values) => Object.values(values).every((text) => text !== '')),
    query: fc
      .record(
        Object.fromEntries(
          inQuery.map((parameter) => [parameter.name, sometimes(parameter, textOf(parameter), inQuery.length)]),
        ),
      )
      .map(given),
    headers: fc
      .record(Object.fromEntries(inHeader.map((header) => [header.name, sometimes(header, headerOf(header))])))
      .map(given),
    body: body ? namedValue('', body, { ...kit, longest: 5_000 }).filter(fitsIn) : fc.constant(undefined),
  });
};

export const writeQuery = (query: PlannedRequest['query']): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');

export const writePath = (template: string, values: PlannedRequest['path']): string =>
  template.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''));

export const writeRequest = (operation: DescribedOperation, planned: PlannedRequest): WrittenRequest => {
  const query = writeQuery(planned.query);
  return {
    method: operation.method,
    target: `${writePath(operation.path, planned.path)}${query === '' ? '' : `?${query}`}`,
    headers: [
      ...Object.entries(planned.headers),
      ...(operation.body ? [['Content-Type', 'application/json'] as const] : []),
    ],
    body: operation.body ? JSON.stringify(planned.body) : undefined,
  };
};
