/**
 * A team's audit log keeps its newest entries, and all entries of the last days, whatever their number. An entry has the first values of a
 * list, and the first characters of a text.
 */
export const auditLimits = {
  entries: 1_000_000,
  days: 30,
  namedInEntry: 20,
  textCharacters: 200,
} as const;
