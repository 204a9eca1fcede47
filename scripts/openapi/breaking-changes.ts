type Path = readonly string[];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Words for people: they may change. */
const prose = new Set(['description', 'summary', 'title', 'example', 'examples', 'info', 'tags', 'servers']);

/** Keywords that refuse values: a new one in a request refuses what was accepted before. */
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

/** What customers send. The body of a webhook is what they get. */
const isRequest = (path: Path) =>
  path[0] !== 'webhooks' && (path.includes('parameters') || path.includes('requestBody'));

/** A component is compared wherever it is used; here only its name counts, by which generators name types. */
const isComponent = (path: Path) => path[0] === 'components' && path[1] !== 'securitySchemes' && path.length === 3;

const nameOf = (item: unknown): string | undefined => {
  if (!isRecord(item)) return undefined;
  if (typeof item['$ref'] === 'string') return item['$ref'];
  return typeof item['name'] === 'string' ? `${String(item['in'])} ${item['name']}` : undefined;
};

const say = (path: Path, what: string) => `${path.join(' › ')}: ${what}`;

/** Parameters are known by their names, wherever in the list they stand. */
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
  const has = (list: readonly unknown[], item: unknown) =>
    list.some((other) => JSON.stringify(other) === JSON.stringify(item));
  if (keyword === 'required' && isRequest(path)) {
    return after.filter((item) => !has(before, item)).map((item) => say(path, `${String(item)} is required now`));
  }
  if (keyword === 'enum' || keyword === 'required') {
    return before.filter((item) => !has(after, item)).map((item) => say(path, `${String(item)} is gone`));
  }
  return before.flatMap((item, index) => compare(item, after[index], [...path, String(index)]));
};

const compareRecords = (before: Record<string, unknown>, after: Record<string, unknown>, path: Path): string[] => {
  const isNaming = path.at(-1) === 'properties';
  const tightened =
    isRequest(path) && !isNaming ? Object.keys(after).filter((key) => restricting.has(key) && !(key in before)) : [];
  return [
    ...tightened.map((key) => say(path, `${key} is new and refuses what was accepted`)),
    ...Object.entries(before).flatMap(([key, value]) => {
      if (!isNaming && prose.has(key)) return [];
      // A request that refuses less than before takes nothing from anybody.
      if (isRequest(path) && !isNaming && restricting.has(key) && !(key in after)) return [];
      return key in after ? compare(value, after[key], [...path, key]) : [say(path, `${key} is gone`)];
    }),
  ];
};

const compare = (before: unknown, after: unknown, path: Path): string[] => {
  if (isComponent(path)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, path);
  if (isRecord(before) && isRecord(after)) return compareRecords(before, after, path);
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [say(path, `${JSON.stringify(before)} became ${JSON.stringify(after)}`)];
};

/** What a reference within the document points to. */
const targetOf = (document: unknown, reference: string): unknown => {
  let found = document;
  for (const part of reference.replace(/^#\//, '').split('/')) found = isRecord(found) ? found[part] : undefined;
  return found;
};

/** A copy of the document with what its references point to in their place: to move a part to the components takes nothing from anybody. */
export const withoutReferences = (document: unknown): unknown => {
  const resolve = (value: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => resolve(item, within));
    if (!isRecord(value)) return value;
    const reference = value['$ref'];
    const target = typeof reference === 'string' ? targetOf(document, reference) : undefined;
    if (typeof reference === 'string' && target !== undefined && !within.includes(reference)) {
      return resolve(target, [...within, reference]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, within)]));
  };
  return resolve(document, []);
};

/** What a customer who relies on the former description would lose with the new one. Additions are none. */
export const breakingChanges = (before: unknown, after: unknown): string[] =>
  compare(withoutReferences(before), withoutReferences(after), []);
