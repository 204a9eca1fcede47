/** How many ids one call has. They must fit into a URL, and a call that changes their rows must be short. */
const partIds = 50;

/** Ids, divided into the parts of several calls. */
export const inParts = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / partIds) }, (_, part) => ids.slice(part * partIds, (part + 1) * partIds));
