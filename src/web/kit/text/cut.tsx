import { Tooltip } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import classes from '../list/table.module.css';

interface CutProps {
  text: string;
  /** An address takes one line, a name two. */
  lines?: 1 | 2;
}

/**
 * A text on one line or two, such as an e-mail address. It is cut if there is no room, and shown whole on hover and
 * focus.
 */
export const Cut = ({ text, lines = 1 }: CutProps) => {
  const span = useRef<HTMLSpanElement>(null);
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const { current } = span;
    if (!current) return undefined;
    const observer = new ResizeObserver(() =>
      setCut(current.scrollHeight > current.clientHeight + 1 || current.scrollWidth > current.clientWidth + 1),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [text, isCut]);
  const cut = (
    <span ref={span} className={classes['cut']} data-lines={lines} {...(isCut && { tabIndex: 0, 'data-cut': true })}>
      {text}
    </span>
  );
  // Most texts are not cut, and a tooltip is slower than all the rest of a cell.
  if (!isCut) return cut;
  return (
    <Tooltip
      label={text}
      multiline
      maw="min(480px, 90vw)"
      style={{ overflowWrap: 'anywhere' }}
      events={{ hover: true, focus: true, touch: true }}
    >
      {cut}
    </Tooltip>
  );
};

/** A longer text, or one with a longer word, may need more than two lines of a column. */
const maxPlain = 44;
const longWord = /\S{28}/u;

/** A shorter text has one line. */
const oneLine = 26;

/**
 * A name or title in a table. A long one takes two lines and is cut after them, so that it leaves room for other
 * columns.
 */
export const TextInCell = ({ text }: { text: string }) => {
  if (text.length > maxPlain || longWord.test(text)) return <Cut text={text} lines={2} />;
  return text.length > oneLine ? <span className={classes['wrapped']}>{text}</span> : text;
};

interface LinesProps {
  children: ReactNode;
  /** The second line. A compact row shows it as the title of the cell instead. */
  below?: ReactNode;
  /** Whether compact rows show the second line, too, beside the first. */
  always?: boolean;
}

/** The content of a cell in at most two lines. If the first part needs both, the second one is not shown. */
export const Lines = ({ children, below, always = false }: LinesProps) => (
  <div className={classes['lines']}>
    <div data-first>{children}</div>
    {Boolean(below) && (
      <div className={classes['second']} data-second data-always={always}>
        {below}
      </div>
    )}
  </div>
);
