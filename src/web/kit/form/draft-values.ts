const pick = <Values extends object>(values: Values, fields: readonly (keyof Values & string)[]) =>
  Object.fromEntries(Object.entries(values).filter(([field]) => fields.some((kept) => kept === field)));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The values of a form that are stored in its draft; undefined if they equal those with which the form began. */
export const worthKeeping = <Values extends object>(
  fields: readonly (keyof Values & string)[],
  values: Values,
  initial: Values,
): Record<string, unknown> | undefined => {
  const wanted = pick(values, fields);
  return isSame(wanted, pick(initial, fields)) ? undefined : wanted;
};

/**
 * The values of a draft that a form uses; undefined if there is none. These are the fields that differ from the initial
 * values and that the form still has: a newer version may have other fields.
 */
export const restorable = <Values extends object>(
  fields: readonly (keyof Values & string)[],
  former: Readonly<Record<string, unknown>>,
  initial: Values,
): Partial<Values> | undefined => {
  const values: Partial<Values> = {};
  for (const field of fields) {
    const value = former[field];
    if (value !== undefined && !isSame(value, initial[field])) Object.assign(values, { [field]: value });
  }
  return Object.keys(values).length === 0 ? undefined : values;
};
