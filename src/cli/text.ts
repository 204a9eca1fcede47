/** How a person reads an answer that a script would take as JSON. */

const words = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(words).join(',');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).flatMap(([key, inner]: [string, unknown]): [string, unknown][] =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? entriesOf(inner).map(([name, text]) => [`${key} ${name}`, text])
      : [[key, inner]],
  );

/** A line for each field. */
export const fields = (value: object): string => {
  const entries = entriesOf(value);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, text]) => `${name.padEnd(width)}  ${words(text)}`).join('\n');
};

/** A line for each row, below the fields' names. */
export const table = (rows: readonly object[]): string => {
  const [first] = rows;
  if (!first) return 'None.';
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row).map(words))];
  const widths = Object.keys(first).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
