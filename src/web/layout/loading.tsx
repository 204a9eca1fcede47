import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useNavigation } from 'react-router';
import classes from './loading.module.css';
import { useLayoutEffect } from 'react';
import { t, useLanguage } from '../language/language.tsx';
import { showFrame } from './frame.ts';

/** A line at the top of the window while a page is opened, data is loaded for the first time, or a change is sent. */
export const ProgressBar = () => {
  const isLeaving = useNavigation().state !== 'idle';
  const isLoading = useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0;
  const isChanging = useIsMutating() > 0;
  return isLeaving || isLoading || isChanging ? <div className={classes['bar']} data-progress aria-hidden /> : null;
};

/** While the app starts and has no page to show, the document's frame stays. */
export const PageLoading = () => {
  useLanguage();
  useLayoutEffect(showFrame, []);
  return <div role="status" aria-label={t('Wird geladen', 'Loading')} />;
};
