import { refuse } from './refusal.ts';
import { attributeOf, commonNames, withoutUrn, type Attribute, type ResourceSchema } from './schemas.ts';
import { scimLimits } from '../limits.ts';

// Resources as directories send them, read strictly: the names of attributes in any case, values in the forms that
// Okta, Microsoft Entra ID and others really use. The result has only names that are declared, so no name that a caller
// chooses becomes a key of an object.

/** A resource with declared names only. Attributes of the extension are below its URN. */
export type Resource = Record<string, unknown>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list with one value counts as this value. */
const alone = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);

/**
 * Like `alone`, or the value below `value` of an object, as Microsoft Entra ID sends it:
 * `[{"$ref": null, "value": "False"}]`.
 */
const unwrapped = (given: unknown): unknown => {
  const value = alone(given);
  if (!isObject(value)) return value;
  const [entry, ...more] = Object.entries(value).filter(([, inner]) => inner !== null);
  return entry && more.length === 0 && entry[0].toLowerCase() === 'value' ? entry[1] : value;
};

const booleanOf = (value: unknown, name: string): boolean => {
  const plain = unwrapped(value);
  if (typeof plain === 'boolean') return plain;
  const word = typeof plain === 'string' ? plain.trim().toLowerCase() : '';
  if (word === 'true') return true;
  return word === 'false' ? false : refuse('invalidValue', `${name} must be true or false.`);
};

const textOf = (given: unknown, { name, values }: Attribute): string => {
  const value = unwrapped(given);
  if (typeof value !== 'string') return refuse('invalidValue', `${name} must be a text.`);
  if (value.length > scimLimits.textCharacters) {
    return refuse('invalidValue', `${name} may have at most ${scimLimits.textCharacters} characters.`);
  }
  if (!values) return value;
  const known = values.find((one) => one === value.toLowerCase());
  return known ?? refuse('invalidValue', `${name} must be one of: ${values.join(', ')}.`);
};

/** One value of an attribute, not a list. A text in place of an object is its `value`. */
export const readOne = (attribute: Attribute, given: unknown): unknown => {
  const { name, type, sub } = attribute;
  if (type === 'boolean') return booleanOf(given, name);
  if (!sub) return textOf(given, attribute);
  const value = alone(given);
  if (typeof value === 'string' && attributeOf(sub, 'value')) return readObject(sub, { value });
  return isObject(value) ? readObject(sub, value) : refuse('invalidValue', `${name} must be an object.`);
};

/** All values of an attribute that may have several. A single value may come without a list. */
export const readMany = (attribute: Attribute, value: unknown): unknown[] => {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const max = attribute.name === 'members' ? scimLimits.members : scimLimits.values;
  if (list.length > max) refuse('invalidValue', `${attribute.name} may have at most ${max} values.`);
  return list.filter((one) => one !== null).map((one) => readOne(attribute, one));
};

export const readValue = (attribute: Attribute, value: unknown): unknown =>
  attribute.many ? readMany(attribute, value) : readOne(attribute, value);

/** An object with declared attributes. Unknown ones, read-only ones and null are left out. */
const readObject = (attributes: readonly Attribute[], given: Record<string, unknown>): Resource => {
  const read: Resource = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = attributeOf(attributes, key);
    if (!attribute || attribute.readOnly || value === null || value === undefined) continue;
    requireOnce(read, attribute.name);
    read[attribute.name] = readValue(attribute, value);
  }
  return read;
};

const requireOnce = (read: Resource, name: string): void => {
  if (Object.hasOwn(read, name)) refuse('invalidSyntax', `${name} is given more than once.`);
};

/** Refuses an unknown attribute that may mean that a person leaves. Such an attribute is never ignored. */
export const requireNotActive = (name: string): undefined => {
  if (/(?:^|[.:])active$/i.test(name.trim())) {
    refuse('invalidPath', `${name.slice(0, 200)} is not an attribute. The attribute is called active.`);
  }
};

/** A whole resource, as POST and PUT send it. */
export const readResource = (schema: ResourceSchema, given: Record<string, unknown>): Resource => {
  const { attributes, extension } = schema;
  const plain = new Map<string, unknown>();
  const read: Resource = {};
  const take = (key: string, value: unknown): void => {
    const found = withoutUrn(schema, key);
    if (found?.extended === true && found.path === '' && extension && isObject(value)) {
      requireOnce(read, extension.urn);
      read[extension.urn] = readObject(extension.attributes, value);
    } else if (found?.extended === false && attributeOf(attributes, found.path)) {
      // The attribute is given twice: with and without the URN of the schema.
      if (plain.has(found.path)) refuse('invalidSyntax', `${found.path} is given more than once.`);
      plain.set(found.path, value);
    } else if (!commonNames.has(key.toLowerCase())) requireNotActive(key);
  };
  for (const [key, value] of Object.entries(given)) {
    // Some directories put all attributes of the schema below its URN.
    if (key.toLowerCase() === schema.urn.toLowerCase() && isObject(value)) {
      for (const [name, inner] of Object.entries(value)) take(name, inner);
    } else take(key, value);
  }
  return { ...readObject(attributes, Object.fromEntries(plain)), ...read };
};

/** Whether a projection names an attribute, or an attribute within it. */
interface ProjectedAttribute {
  whole: boolean;
  subs: Set<string>;
}

const namedIn = (schema: ResourceSchema, list: string): Map<string, ProjectedAttribute> => {
  const named = new Map<string, ProjectedAttribute>();
  for (const part of list.split(',')) {
    const found = withoutUrn(schema, part.trim());
    if (!found) continue;
    const path = found.path.toLowerCase();
    const inside = found.extended && schema.extension ? schema.extension.urn.toLowerCase() : undefined;
    const [first = '', sub] =
      inside === undefined ? path.split('.') : [inside, path === '' ? undefined : path.split('.')[0]];
    const known = named.get(first) ?? { whole: false, subs: new Set() };
    if (sub === undefined) known.whole = true;
    else known.subs.add(sub);
    named.set(first, known);
  }
  return named;
};

const withSubs = (value: unknown, keep: (name: string) => boolean): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => withSubs(one, keep));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => keep(name.toLowerCase())))
    : value;
};

/** The attributes of a resource that a request asks for, by its `attributes` and `excludedAttributes`. */
export const project = (
  schema: ResourceSchema,
  resource: Resource,
  { attributes, excludedAttributes }: { attributes?: string | undefined; excludedAttributes?: string | undefined },
): Resource => {
  if (attributes === undefined && excludedAttributes === undefined) return resource;
  const wanted = attributes === undefined ? undefined : namedIn(schema, attributes);
  const unwanted = excludedAttributes === undefined ? undefined : namedIn(schema, excludedAttributes);
  return Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      const lower = name.toLowerCase();
      if (lower === 'id' || lower === 'schemas') return [[name, value]];
      const [kept, left] = [wanted?.get(lower), unwanted?.get(lower)];
      if ((wanted && !kept) || left?.whole) return [];
      const shown = kept && !kept.whole ? withSubs(value, (sub) => kept.subs.has(sub)) : value;
      return [[name, left ? withSubs(shown, (sub) => !left.subs.has(sub)) : shown]];
    }),
  );
};
