import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useNavigation } from 'react-router';
import classes from './loading.module.css';
import { Center, Loader } from '@mantine/core';
import { t, useLanguage } from '../language/language.tsx';

/** A line at the top of the window while a page, an answer that is not there yet, or a change is awaited. */
export const ProgressBar = () => {
  const isLeaving = useNavigation().state !== 'idle';
  const isLoading = useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0;
  const isChanging = useIsMutating() > 0;
  return isLeaving || isLoading || isChanging ? <div className={classes['bar']} data-progress aria-hidden /> : null;
};

/** Shown while the app starts and has nothing else to show. */
export const PageLoading = () => {
  useLanguage();
  return (
    <Center mih="60vh" role="status" aria-label={t('Wird geladen', 'Loading')}>
      <Loader />
    </Center>
  );
};
