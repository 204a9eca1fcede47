const pick = <Values extends object>(values: Values, fields: readonly (keyof Values & string)[]) =>
  Object.fromEntries(Object.entries(values).filter(([field]) => fields.some((kept) => kept === field)));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The values of a form that its draft gets; undefined if they are those with which it began. */
export const worthKeeping = <Values extends object>(
  fields: readonly (keyof Values & string)[],
  values: Values,
  initial: Values,
): Record<string, unknown> | undefined => {
  const wanted = pick(values, fields);
  return isSame(wanted, pick(initial, fields)) ? undefined : wanted;
};

/**
 * The values of a draft that a form takes: only fields that differ and that the form has, because a newer version may
 * have other fields; undefined if there is none.
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
