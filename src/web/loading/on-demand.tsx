import { Suspense } from 'react';
import type { ReactNode } from 'react';
import { useAwaiting } from './activity.ts';
import classes from './on-demand.module.css';

/** Shown while code is loaded after a click: the progress bar moves. */
export const Awaiting = () => {
  useAwaiting();
  return null;
};

/**
 * Wraps dialogs and similar parts whose code is loaded on demand. Until it is loaded, the progress bar moves. If loading fails, a message
 * appears in a corner of the window, because the dialog has no place on the page.
 */
export const OnDemand = ({ children }: { children: ReactNode }) => (
  <div className={classes['corner']}>
    <Suspense fallback={<Awaiting />}>{children}</Suspense>
  </div>
);
