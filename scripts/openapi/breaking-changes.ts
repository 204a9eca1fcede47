type Path = readonly string[];
type Node = Record<string, unknown>;

const isRecord = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Descriptions, and names from which generated clients derive type and method names. They never appear in a request.
 */
const prose = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'info',
  'tags',
  'servers',
  'operationId',
]);

/** Keywords that restrict values: with a new one, a request refuses values that it accepted before. */
const restricting = new Set([
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'enum',
  'required',
]);

/** Whether customers send this part of the document. The service sends the body of a webhook to them. */
const isRequest = (path: Path) =>
  path[0] !== 'webhooks' && (path.includes('parameters') || path.includes('requestBody'));

const nameOf = (item: unknown): string | undefined => {
  if (!isRecord(item)) return undefined;
  if (typeof item['$ref'] === 'string') return item['$ref'];
  return typeof item['name'] === 'string' ? `${String(item['in'])} ${item['name']}` : undefined;
};

const say = (path: Path, what: string) => `${path.join(' › ')}: ${what}`;

const has = (list: readonly unknown[], item: unknown) =>
  list.some((other) => JSON.stringify(other) === JSON.stringify(item));

/** Parameters are matched by name, not by their index in the list. */
const compareParameters = (before: readonly unknown[], after: readonly unknown[], path: Path): string[] => {
  const known = new Map(before.map((item) => [nameOf(item), item]));
  const added = after.filter((item) => !known.has(nameOf(item)) && isRecord(item) && item['required'] === true);
  return [
    ...added.map((item) => say(path, `the new parameter ${nameOf(item)} is required`)),
    ...before.flatMap((item) => {
      const name = nameOf(item) ?? '?';
      const now = after.find((other) => nameOf(other) === name);
      return now === undefined ? [say(path, `${name} is gone`)] : compare(item, now, [...path, name]);
    }),
  ];
};

const compareLists = (before: readonly unknown[], after: readonly unknown[], path: Path): string[] => {
  const keyword = path.at(-1) ?? '';
  if (keyword === 'parameters') return compareParameters(before, after, path);
  if (keyword === 'required' && isRequest(path)) {
    return after.filter((item) => !has(before, item)).map((item) => say(path, `${String(item)} is required now`));
  }
  if (keyword === 'enum' || keyword === 'required') {
    return before.filter((item) => !has(after, item)).map((item) => say(path, `${String(item)} is gone`));
  }
  return before.flatMap((item, index) => compare(item, after[index], [...path, String(index)]));
};

const compareRecords = (before: Node, after: Node, path: Path): string[] => {
  const isNaming = path.at(-1) === 'properties';
  const tightened =
    isRequest(path) && !isNaming ? Object.keys(after).filter((key) => restricting.has(key) && !(key in before)) : [];
  return [
    ...tightened.map((key) => say(path, `${key} is new and refuses what was accepted`)),
    ...Object.entries(before).flatMap(([key, value]) => {
      if (!isNaming && prose.has(key)) return [];
      // A request with fewer restrictions than before breaks no client.
      if (isRequest(path) && !isNaming && restricting.has(key) && !(key in after)) return [];
      return key in after ? compare(value, after[key], [...path, key]) : [say(path, `${key} is gone`)];
    }),
  ];
};

const compare = (before: unknown, after: unknown, path: Path): string[] => {
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, path);
  if (isRecord(before) && isRecord(after)) return compareRecords(before, after, path);
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [say(path, `${JSON.stringify(before)} became ${JSON.stringify(after)}`)];
};

/** The target of a reference within the document. */
const targetOf = (document: unknown, reference: string): unknown => {
  let found = document;
  for (const part of reference.replace(/^#\//, '').split('/')) found = isRecord(found) ? found[part] : undefined;
  return found;
};

const merge = (one: Node, other: Node): Node => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([key, value]) => {
      const known = one[key];
      return [key, isRecord(known) && isRecord(value) ? merge(known, value) : value];
    }),
  ),
});

/** An object with the parts of its `allOf` merged into it. */
const withoutParts = ({ allOf, ...rest }: Node): Node =>
  Array.isArray(allOf) ? [rest, ...allOf].filter(isRecord).reduce(merge) : rest;

/**
 * A copy of the document with every reference replaced by its target and the siblings of `$ref`. So moving a part to
 * the components is not a breaking change.
 */
export const withoutReferences = (document: unknown): unknown => {
  const resolve = (value: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => resolve(item, within));
    if (!isRecord(value)) return value;
    const { $ref: reference, ...beside } = value;
    if (typeof reference === 'string' && !within.includes(reference)) {
      const target = targetOf(document, reference);
      if (isRecord(target)) return resolve({ ...target, ...beside }, [...within, reference]);
    }
    return withoutParts(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, within)])));
  };
  return resolve(document, []);
};

/** The parts of the document that clients rely on. Components are compared where they are used. */
const promised = (document: unknown): unknown => {
  const resolved = withoutReferences(document);
  if (!isRecord(resolved)) return resolved;
  const { components, ...rest } = resolved;
  const { securitySchemes } = isRecord(components) ? components : {};
  return { ...rest, ...(securitySchemes !== undefined && { components: { securitySchemes } }) };
};

/**
 * The parts of the former description that are missing or more restricted in the new one. Additions are not breaking
 * changes.
 */
export const breakingChanges = (before: unknown, after: unknown): string[] =>
  compare(promised(before), promised(after), []);
