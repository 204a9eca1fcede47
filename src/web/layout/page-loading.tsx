import { Center, Loader } from '@mantine/core';
import { useText } from '../language/language.tsx';

/** Shown while the app starts and has nothing else to show. */
export const PageLoading = () => {
  const t = useText();
  return (
    <Center mih="60vh" role="status" aria-label={t('Wird geladen', 'Loading')}>
      <Loader />
    </Center>
  );
};
