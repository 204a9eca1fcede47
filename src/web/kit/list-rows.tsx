import { memo, startTransition, useEffect, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { flushSync } from 'react-dom';
import { partsBetween, pieces } from './list-rules.ts';
import classes from './table.module.css';

// The rows of a list. They form parts. Of a long list, only the parts near the visible area are in the page: the cost of a frame must not
// grow with the length of the list. Empty rows have the height of all others, so that the scrollbar is right. If the height of a part above
// the visible rows turns out to be another, the browser (scroll anchoring) keeps the visible rows in their place.

/** Lists of up to this many rows are rendered whole. */
export const wholeUpTo = 200;

const partRows = 10;
/** Parts are rendered at this distance from the visible area, in pixels. */
const margin = 1_200;
/** The height of a row before any was rendered, in pixels. */
const guessedHeight = 57;

interface ListRowsProps {
  table: RefObject<HTMLTableElement | null>;
  /** The number of all rows. */
  count: number;
  /** The number of columns. */
  cells: number;
  /** Renders the rows from `first` up to, but not including, `end`. */
  children: (first: number, end: number) => ReactNode;
}

export const ListRows = ({ table, count, cells, children }: ListRowsProps) => {
  const parts = Math.ceil(count / partRows);
  const { heights, near } = useNearParts(table, parts);
  const isShown = (part: number): boolean =>
    (part >= near.first && part <= near.last) || (near.focused !== undefined && Math.abs(part - near.focused) <= 1);
  let gaps = 0;
  return pieces(listed(heights, parts), isShown).map((piece) =>
    'part' in piece ? (
      <Part key={piece.part} part={piece.part} end={Math.min((piece.part + 1) * partRows, count)}>
        {children}
      </Part>
    ) : (
      <tbody key={`gap ${(gaps += 1)}`} role="rowgroup">
        <tr role="row" aria-hidden>
          <td role="cell" colSpan={cells} className={classes['far']} style={{ height: piece.gap }} />
        </tr>
      </tbody>
    ),
  );
};

interface PartProps {
  part: number;
  end: number;
  children: (first: number, end: number) => ReactNode;
}

/** Not rendered again while other parts come and go. */
const Part = memo(({ part, end, children }: PartProps) => (
  <tbody role="rowgroup" data-part={part}>
    {children(part * partRows, end)}
  </tbody>
));

interface Near {
  first: number;
  last: number;
  /**
   * The part with the focus, or with the button of an open menu. It is always rendered, because the keyboard would lose its place, and so
   * are its neighbours, to which the Tab key goes.
   */
  focused: number | undefined;
}

const partOf = (element: Element | null | undefined): number | undefined => {
  const body = element?.closest<HTMLElement>('tbody[data-part]');
  return body ? Number(body.dataset['part']) : undefined;
};

interface Heights {
  /** The heights of the parts, as they were measured last. */
  readonly byPart: ReadonlyMap<number, number>;
  /**
   * The height of all other parts: a guess, and after the first measurement its average. It must not follow later measurements: the empty
   * rows in the page would have other heights than those from which the near parts are found.
   */
  readonly other: number;
}

const guessed: Heights = { byPart: new Map(), other: partRows * guessedHeight };

const listed = ({ byPart, other }: Heights, count: number): number[] =>
  Array.from({ length: count }, (_, part) => byPart.get(part) ?? other);

/** Measures the parts in the page, except those of rows that are no longer in the list. */
const measure = (former: Heights, table: HTMLTableElement, count: number): Heights => {
  const byPart = new Map(former.byPart);
  for (const body of table.tBodies) {
    const part = partOf(body);
    if (part !== undefined && part < count) byPart.set(part, body.getBoundingClientRect().height);
  }
  if (byPart.size === 0) return former;
  if (former !== guessed) return { byPart, other: former.other };
  return { byPart, other: [...byPart.values()].reduce((sum, height) => sum + height, 0) / byPart.size };
};

/** The parts near the visible area; all parts of a short list. They change only when the reader has scrolled past a part. */
const useNearParts = (table: RefObject<HTMLTableElement | null>, count: number) => {
  const measured = useRef(guessed);
  const [shown, show] = useState<{ heights: Heights; near: Near }>({
    heights: guessed,
    near: { first: 0, last: wholeUpTo / partRows - 1, focused: undefined },
  });
  useEffect(() => {
    const { current } = table;
    if (!current) return undefined;
    let wanted: Near | undefined;
    let isPrinting = false;
    const look = (): void => {
      if (isPrinting) return;
      const top = current.tBodies[0]?.getBoundingClientRect().top;
      if (top === undefined) return;
      const heights = measure(measured.current, current, count);
      measured.current = heights;
      const { activeElement } = document;
      // The focus is in an open menu, which is not in the table.
      const menu = '[aria-haspopup="menu"][aria-expanded="true"]';
      const focused = partOf(current.contains(activeElement) ? activeElement : current.querySelector(menu));
      const next =
        count * partRows <= wholeUpTo
          ? { first: 0, last: wholeUpTo / partRows - 1, focused }
          : { ...partsBetween(listed(heights, count), -top - margin, innerHeight - top + margin), focused };
      if (wanted?.first === next.first && wanted.last === next.last && wanted.focused === focused) return;
      wanted = next;
      // Rendered between frames, so that scrolling does not wait.
      startTransition(() => show({ heights, near: next }));
    };
    // Paper has no visible area. The browser prints what is in the page as soon as this returns.
    const showAll = (): void => {
      isPrinting = true;
      const near = { first: 0, last: count - 1, focused: undefined };
      wanted = near;
      flushSync(() => show({ heights: measured.current, near }));
    };
    const showNear = (): void => {
      isPrinting = false;
      look();
    };
    look();
    // Rows become taller or shorter, for instance when one is opened.
    const observer = new ResizeObserver(look);
    observer.observe(current);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    addEventListener('beforeprint', showAll);
    addEventListener('afterprint', showNear);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
      removeEventListener('beforeprint', showAll);
      removeEventListener('afterprint', showNear);
    };
  }, [table, count]);
  return shown;
};
