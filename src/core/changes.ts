type WantedFields<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** The fields of a request that differ from the current values. A field that is left out keeps its value. */
export const changesOf = <Fields extends object>(before: Fields, wanted: WantedFields<Fields>): Partial<Fields> => {
  const changed = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && value !== Reflect.get(before, name),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- `fromEntries` does not keep the names
  return Object.fromEntries(changed) as Partial<Fields>;
};

/** The former and the new values of these changes, for the audit log; nothing if there are none. */
export const valuesOf = <Fields extends object>(before: Fields, after: Partial<Fields>) => {
  const names = Object.keys(after);
  if (names.length === 0) return {};
  return { before: Object.fromEntries(names.map((name) => [name, Reflect.get(before, name)])), after };
};
