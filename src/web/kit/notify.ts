import { notifications } from '@mantine/notifications';
import { languageNow } from '../language/language.ts';

/** Says for a moment that something was done. */
export const tell = (message: string): void => {
  notifications.show({
    message,
    color: 'teal',
    autoClose: 4_000,
    closeButtonProps: { 'aria-label': languageNow() === 'de' ? 'Schließen' : 'Close' },
  });
};
