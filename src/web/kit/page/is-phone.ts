import { useMediaQuery } from '@mantine/hooks';

/** Whether the page is as narrow as on a phone: below Mantine's `sm`. */
export const useIsPhone = (): boolean =>
  useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false });
