/** The certificate library needs `Reflect` metadata (a proposal for decorators) before it is loaded. */
const kept = new WeakMap<object, Map<unknown, unknown>>();

const read = (key: unknown, target: object): unknown => kept.get(target)?.get(key);

const write = (key: unknown, value: unknown, target: object): void => {
  const entries = kept.get(target) ?? new Map<unknown, unknown>();
  kept.set(target, entries.set(key, value));
};

Object.assign(Reflect, { getMetadata: read, getOwnMetadata: read, defineMetadata: write });
