/** So many ids fit into a URL, and a call that changes so many rows is short. */
const partIds = 50;

/** Ids in the parts of several calls. */
export const inParts = (ids: readonly string[], size = partIds): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, part) => ids.slice(part * size, (part + 1) * size));
