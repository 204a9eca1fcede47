import { Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import classes from '../list/table.module.css';

interface CutProps {
  text: string;
  /** An address has one line, a name two. */
  lines?: 1 | 2;
  /** A text of up to so many characters is never cut. */
  whole?: number;
}

/**
 * A text on one line or two, such as an e-mail address. It is cut if there is no room, and shown whole on hover and
 * focus.
 */
export const Cut = ({ text, lines = 1, whole = 0 }: CutProps) => {
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
    <span
      ref={span}
      className={classes['cut']}
      data-lines={lines}
      style={{ minWidth: `${Math.min(text.length, whole)}ch` }}
      {...(isCut && { tabIndex: 0 })}
    >
      {text}
    </span>
  );
  // Most texts are not cut, and a tooltip costs more than all the rest of a cell.
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

/** Longer texts, and texts with a longer word, would take the room of other columns. */
const maxPlain = 60;
const longWord = /\S{17}/u;

/** A name or title in a table. A long one is cut after two lines, so that no name takes the room of other columns. */
export const TextInCell = ({ text }: { text: string }) =>
  text.length > maxPlain || longWord.test(text) ? <Cut text={text} lines={2} /> : text;
