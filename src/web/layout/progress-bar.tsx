import { useNavigation } from 'react-router';
import { useIsAwaited } from '../loading/activity.ts';
import classes from './progress-bar.module.css';

/** A line at the top of the window while a person waits for a page or an answer after a click or a key. */
export const ProgressBar = () => {
  const isLeaving = useNavigation().state !== 'idle';
  const isAwaited = useIsAwaited();
  return isLeaving || isAwaited ? <div className={classes['bar']} data-progress aria-hidden /> : null;
};
