/**
 * A team's audit log keeps its newest entries, and all entries of the last days, whatever their number. An entry is shortened: the first
 * values of a list, the first characters of a text, and a limited total size.
 */
export const auditLimits = {
  entries: 1_000_000,
  days: 30,
  namedInEntry: 20,
  textCharacters: 200,
  entryBytes: 4 * 1024,
} as const;
