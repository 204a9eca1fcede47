import { useLayoutEffect, useRef, useState } from 'react';

// The widths of a table's columns. A column is as wide as its widest cell. The flexible column takes the rest of the
// width.

/** The least width of the flexible column, which contains names, in pixels. */
export const leastFlexible = 240;

/**
 * The width in pixels up to which the flexible column grows for a long name, at the cost of other columns. In compact
 * rows a name has only one line.
 */
const mostFlexible = 440;

/** Longer texts are cut, so that they do not take the room of other columns. */
const longestName = 60;

/** By how much the flexible column grows at a time for a name that does not fit into its lines, in pixels. */
const step = 48;

/** How many rows are rendered with all columns once, to measure these. */
export const sampleRows = 12;

/**
 * Returns, for each heading of a rendered table, the width that its column needs. The flexible column is left out if
 * its names have enough room.
 */
const measure = (table: HTMLTableElement, flexible: string): Readonly<Record<string, number>> => {
  const found: Record<string, number> = {};
  for (const heading of table.tHead?.rows[0]?.cells ?? []) {
    const name = heading.dataset['heading'];
    if (name === undefined) continue;
    const width = Math.ceil(heading.getBoundingClientRect().width);
    if (name !== flexible) found[name] = width;
    else {
      const names = [
        ...table.querySelectorAll('td[data-flexible], td[data-flexible] :is([data-first], [data-lines="2"])'),
      ];
      const lacking = names
        .filter(({ textContent }) => textContent.length <= longestName)
        .map((one) => Math.max(one.scrollWidth - one.clientWidth, one.scrollHeight > one.clientHeight + 1 ? step : 0));
      const most = Math.max(0, ...lacking);
      if (most > 1) found[name] = Math.min(width + most, mostFlexible);
    }
  }
  return found;
};

/**
 * The widths that the columns of a table need. They are measured when the table is rendered, before it is painted.
 * `of`: the values, besides the rows, on which the widths depend. A column that is not in the table keeps its last
 * width.
 */
export const useColumnWidths = (of: string, flexible: string) => {
  const table = useRef<HTMLTableElement>(null);
  const [measured, setMeasured] = useState<{ of: string; widths: Readonly<Record<string, number>> }>();
  const widths = measured?.of === of ? measured.widths : undefined;
  // Runs after each change of the table, because other rows may need more room.
  useLayoutEffect(() => {
    if (!table.current?.tBodies[0]?.rows.length) return;
    const found = measure(table.current, flexible);
    if (widths && Object.entries(found).every(([name, width]) => widths[name] === width)) return;
    setMeasured({ of, widths: { ...widths, ...found } });
  });
  return { table, widths };
};
