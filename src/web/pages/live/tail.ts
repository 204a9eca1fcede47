import { useDocumentVisibility } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { merged, timeOf, type TailRow } from './merge-rows.ts';

const intervalMs = 2_000;
/**
 * Rows are written a little after their time, and change shortly afterwards. So rows of this last period are loaded
 * again.
 */
const overlapMs = 30_000;
/** The age of the oldest rows that are loaded at the start. */
const firstMs = 60 * 60_000;
/** If the reader has scrolled down further than this, the rows do not move. */
const scrolledPixels = 160;

const isScrolled = (): boolean => window.scrollY > scrolledPixels;

/**
 * Loads new rows every two seconds while the page is visible and not paused. While the reader has scrolled down, new
 * rows wait.
 */
export const useTail = <Row extends TailRow>(load: (since: string) => Promise<readonly Row[]>) => {
  const visibility = useDocumentVisibility();
  const [on, setOn] = useState(true);
  const [rows, setRows] = useState<readonly Row[]>();
  /** All rows so far, including those that wait until the reader scrolls back to the top. */
  const all = useRef<readonly Row[] | undefined>(undefined);
  const [waiting, setWaiting] = useState(0);
  const [added, setAdded] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const isRunning = on && visibility === 'visible';

  const show = useCallback(() => {
    if (!all.current) return;
    setRows(all.current);
    setWaiting(0);
  }, []);

  useEffect(() => {
    const scroll = () => {
      if (!isScrolled()) show();
    };
    window.addEventListener('scroll', scroll, { passive: true });
    return () => window.removeEventListener('scroll', scroll);
  }, [show]);

  useEffect(() => {
    if (!isRunning) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    const tick = async (): Promise<void> => {
      const former = all.current ?? [];
      const newest = former[0];
      const since = newest ? timeOf(newest) - overlapMs : Date.now() - firstMs;
      try {
        const loaded = await load(new Date(since).toISOString());
        if (ended) return;
        const known = new Set(former.map(({ id }) => id));
        const fresh = loaded.filter(({ id }) => !known.has(id)).length;
        const isFirst = all.current === undefined;
        all.current = merged(former, loaded);
        setError(null);
        if (isFirst || !isScrolled()) {
          show();
          if (!isFirst && fresh > 0) setAdded((count) => count + fresh);
        } else setWaiting((count) => count + fresh);
      } catch (failure) {
        if (!ended) setError(failure);
      }
      if (!ended) timer = setTimeout(() => void tick(), intervalMs);
    };
    void tick();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [isRunning, load, show]);

  return { rows, error, on, setOn, waiting, added, show };
};
