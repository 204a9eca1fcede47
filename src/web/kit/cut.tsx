import { Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import classes from './table.module.css';

/** A text on one line, such as an e-mail address. It is cut if there is no room, and shown whole on hover and focus. */
export const Cut = ({ text }: { text: string }) => {
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
    <span ref={span} className={classes['cut']} {...(isCut && { tabIndex: 0 })}>
      {text}
    </span>
  );
  // Most texts are not cut, and a tooltip costs more than all the rest of a cell.
  if (!isCut) return cut;
  return (
    <Tooltip label={text} events={{ hover: true, focus: true, touch: true }}>
      {cut}
    </Tooltip>
  );
};
