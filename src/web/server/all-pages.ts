/** All rows of a list. `read` reads the page after a cursor; without a cursor, the first page. */
export const readAllPages = async <Row>(
  read: (after: { cursor?: string }) => Promise<{ data: readonly Row[]; next_cursor: string | null }>,
): Promise<Row[]> => {
  const all: Row[] = [];
  let after: { cursor?: string } = {};
  for (;;) {
    const { data, next_cursor: cursor } = await read(after);
    all.push(...data);
    if (cursor === null) return all;
    after = { cursor };
  }
};
