import { demandedBy, matches, readValueFilter, type Filter } from './filter.ts';
import { refuse } from './refusal.ts';
import { isObject, readMany, readOne, readValue, requireNotActive, type Resource } from './resource.ts';
import { attributeOf, commonNames, withoutUrn, type Attribute, type ResourceSchema } from './schemas.ts';
import { patchLimits, scimLimits } from '../limits.ts';

// PATCH (RFC 7644, 3.5.2), with the forms that directories really send: operators in upper and lower case, paths with
// and without the URN of a schema, values without a path whose keys are paths, and paths to a value that does not exist
// yet.

interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string | undefined;
  readonly value: unknown;
}

/** A member of an object by its name, in any case. */
const memberOf = (given: Record<string, unknown>, name: string): unknown => {
  const key = Object.keys(given).find((one) => one.toLowerCase() === name);
  return key === undefined ? undefined : given[key];
};

const readOperation = (given: unknown): PatchOperation => {
  if (!isObject(given)) return refuse('invalidSyntax', 'Each operation must be an object.');
  const op = memberOf(given, 'op');
  const known = (['add', 'replace', 'remove'] as const).find(
    (one) => typeof op === 'string' && one === op.toLowerCase(),
  );
  if (!known) return refuse('invalidSyntax', 'op must be add, replace or remove.');
  const path = memberOf(given, 'path') ?? '';
  if (typeof path !== 'string') return refuse('invalidPath', 'path must be a text.');
  return { op: known, path: path.trim() === '' ? undefined : path.trim(), value: memberOf(given, 'value') };
};

/** The operations of the body of a PATCH. */
export const readOperations = (body: Record<string, unknown>): PatchOperation[] => {
  const given = memberOf(body, 'operations');
  if (!Array.isArray(given) || given.length === 0) {
    return refuse('invalidSyntax', 'Operations must be a list with at least one operation.');
  }
  if (given.length > patchLimits.operations) {
    return refuse('invalidValue', `A request may have at most ${patchLimits.operations} operations.`);
  }
  return given.map(readOperation);
};

/**
 * `emails[type eq "work"].value`: an attribute, then a filter of its values, then an attribute of these. The last two
 * may be missing.
 */
interface PatchTarget {
  readonly attribute: Attribute;
  readonly extended: boolean;
  readonly filter: Filter | undefined;
  readonly sub: Attribute | undefined;
}

/** The path with the text in its brackets taken out; a bracket within quotes is a part of a text. */
const cut = (path: string): { before: string; filter: string | undefined; after: string } => {
  const open = path.indexOf('[');
  if (open < 0) return { before: path, filter: undefined, after: '' };
  let quoted = false;
  for (let at = open + 1; at < path.length; at += 1) {
    const character = path.charAt(at);
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (character === ']' && !quoted) {
      return { before: path.slice(0, open), filter: path.slice(open + 1, at), after: path.slice(at + 1) };
    }
  }
  return refuse('invalidPath', 'The path lacks a ].');
};

/**
 * The attribute to which a path leads; undefined for an attribute that the service does not store and therefore
 * ignores.
 */
const targetOf = (schema: ResourceSchema, path: string): PatchTarget | undefined => {
  if (path.length > patchLimits.pathCharacters) {
    return refuse('invalidPath', `A path may have at most ${patchLimits.pathCharacters} characters.`);
  }
  const { before, filter, after } = cut(path);
  const found = withoutUrn(schema, before);
  if (!found) return requireNotActive(before);
  const attributes = found.extended ? (schema.extension?.attributes ?? []) : schema.attributes;
  const [name = '', ...subs] = `${found.path}${after}`.split('.');
  const [subName, ...further] = subs;
  const isWritten = after === '' || (filter !== undefined && after.startsWith('.'));
  if (!isWritten || further.length > 0 || ![name, subName ?? name].every((one) => /^[a-z$][\w$-]*$/i.test(one))) {
    return refuse('invalidPath', 'The path is not written as RFC 7644 says.');
  }
  const attribute = attributeOf(attributes, name);
  if (!attribute) {
    if (commonNames.has(name.toLowerCase())) return refuse('mutability', `${name} can't be changed.`);
    return requireNotActive(subName ?? name);
  }
  if (filter !== undefined && !attribute.many) {
    return refuse('invalidPath', `${attribute.name} has one value, so it has nothing to select.`);
  }
  if (subName !== undefined && !attribute.sub) return refuse('invalidPath', `${attribute.name} has no attributes.`);
  const sub = subName === undefined ? undefined : attributeOf(attribute.sub ?? [], subName);
  if (subName !== undefined && !sub) return requireNotActive(subName);
  const selected = filter === undefined ? undefined : readValueFilter(attribute, filter);
  return { attribute, extended: found.extended, filter: selected, sub };
};

/** A text that is equal for equal values. */
const formOf = (value: Resource): string => JSON.stringify(value, Object.keys(value).toSorted());

const listIn = (container: Resource, { name }: Attribute): Resource[] => {
  const value = container[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
};

const set = (container: Resource, name: string, value: unknown): void => {
  const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0;
  if (value === undefined || isEmpty) delete container[name];
  else container[name] = value;
};

/** At most one value is the preferred one: the last one that the request marks, if it marks any. */
const withOnePrimary = (values: Resource[], changed: ReadonlySet<Resource>): Resource[] => {
  const chosen = values.findLast((value) => changed.has(value) && value['primary'] === true);
  return chosen
    ? values.map((value) => (value === chosen || !value['primary'] ? value : { ...value, primary: false }))
    : values;
};

const changeMany = (
  container: Resource,
  { attribute, filter, sub }: PatchTarget,
  { op, value }: PatchOperation,
): void => {
  const present = listIn(container, attribute);
  const put = (values: Resource[], changed: Iterable<Resource> = []) => {
    const max = attribute.name === 'members' ? Number.POSITIVE_INFINITY : scimLimits.values;
    if (values.length > max) refuse('invalidValue', `${attribute.name} may have at most ${max} values.`);
    set(container, attribute.name, withOnePrimary(values, new Set(changed)));
  };
  const isMeant = (one: Resource) => filter === undefined || matches(filter, one);

  if (op === 'remove') {
    const given = value === undefined || value === null || sub || filter ? undefined : readMany(attribute, value);
    const named = given && new Set(given.map((one) => (isObject(one) ? one['value'] : one)));
    const isNamed = (one: Resource) => named?.has(one['value']) !== false;
    put(
      present.flatMap((one) => {
        if (!isMeant(one) || !isNamed(one)) return [one];
        if (!sub || sub.name === 'value') return [];
        const { [sub.name]: _removed, ...rest } = one;
        return [rest];
      }),
    );
    return;
  }
  if (filter === undefined && !sub) {
    const given = readMany(attribute, value).filter(isObject);
    const known = new Set(present.map(formOf));
    const added = given.filter((one) => !known.has(formOf(one)));
    put(op === 'replace' ? given : [...present, ...added], op === 'replace' ? given : added);
    return;
  }
  const change: Resource = {};
  if (sub) set(change, sub.name, value === null ? undefined : readOne(sub, value));
  else Object.assign(change, readOne(attribute, value));
  const changed = new Map(present.filter(isMeant).map((one) => [one, { ...one, ...change }]));
  if (changed.size > 0) {
    put(
      present.map((one) => changed.get(one) ?? one),
      changed.values(),
    );
    return;
  }
  const start: Resource = Object(readOne(attribute, filter ? Object.fromEntries(demandedBy(filter)) : {}));
  if (!isMeant(start)) refuse('noTarget', `No value of ${attribute.name} fulfils the filter of the path.`);
  const made = { ...start, ...change };
  put([...present, made], [made]);
};

const changeOne = (container: Resource, { attribute, sub }: PatchTarget, { op, value }: PatchOperation): void => {
  const { name } = attribute;
  const isRemoval = op === 'remove' || value === null || value === undefined;
  const known = container[name];
  const inside: Resource = isObject(known) ? { ...known } : {};
  if (sub) set(inside, sub.name, isRemoval ? undefined : readOne(sub, value));
  else if (isRemoval && attribute.required) refuse('mutability', `${name} can't be removed.`);
  const read = sub ? inside : isRemoval ? undefined : readValue(attribute, value);
  // Attributes of an object that the request does not give stay as they are.
  set(container, name, isObject(read) && !sub ? { ...inside, ...read } : read);
};

const applyAt = (schema: ResourceSchema, resource: Resource, path: string, operation: PatchOperation): void => {
  const target = targetOf(schema, path);
  if (target === undefined) return;
  const { name, readOnly, many } = target.attribute;
  if (readOnly) {
    if (operation.value !== resource[name]) refuse('mutability', `${name} can't be changed.`);
    return;
  }
  const urn = target.extended ? schema.extension?.urn : undefined;
  const known = urn === undefined ? resource : resource[urn];
  const container: Resource = isObject(known) ? known : {};
  if (many) changeMany(container, target, operation);
  else changeOne(container, target, operation);
  if (urn !== undefined) set(resource, urn, container);
};

const apply = (schema: ResourceSchema, resource: Resource, operation: PatchOperation): void => {
  const { op, path, value } = operation;
  const urns = [schema.urn, ...(schema.extension ? [schema.extension.urn] : [])];
  /**
   * The URN to put before each key of the value; empty if the keys are whole paths. Undefined if the path names an
   * attribute.
   */
  const prefix = path === undefined ? '' : urns.find((urn) => urn.toLowerCase() === path.toLowerCase());
  if (path !== undefined && prefix === undefined) {
    applyAt(schema, resource, path, operation);
  } else if (op === 'remove') {
    if (prefix !== schema.extension?.urn) refuse('noTarget', 'An operation that removes something needs a path.');
    set(resource, prefix ?? '', undefined);
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      // Directories repeat the id of the resource that they change, and the groups of a person.
      if (commonNames.has(key.toLowerCase()) || key.toLowerCase() === 'groups') continue;
      apply(schema, resource, { op, path: prefix ? `${prefix}:${key}` : key, value: inner });
    }
  } else refuse('invalidValue', 'Without the path of an attribute, the value must be an object.');
};

/** The resource after all operations, one after the other. The given resource is not changed. */
export const patched = (
  schema: ResourceSchema,
  resource: Resource,
  operations: readonly PatchOperation[],
): Resource => {
  const copy = structuredClone(resource);
  for (const operation of operations) apply(schema, copy, operation);
  return copy;
};
