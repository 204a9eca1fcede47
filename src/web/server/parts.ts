/** So many ids fit into a URL, and a call that changes so many rows is short. */
const partIds = 50;

/** Ids in the parts of several calls. */
export const inParts = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / partIds) }, (_, part) => ids.slice(part * partIds, (part + 1) * partIds));
