/** The usual maximum of ids in a call. They must fit into a URL, and a call that changes their rows must be short. */
const partIds = 50;

/** Ids, divided into the parts of several calls. */
export const inParts = (ids: readonly string[], size = partIds): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, part) => ids.slice(part * size, (part + 1) * size));
