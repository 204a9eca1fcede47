import { notifications } from '@mantine/notifications';
import { sayNow } from '../language/language.ts';

/** Says for a moment that something was done. */
export const tell = (message: string): void => {
  notifications.show({
    message,
    color: 'teal',
    autoClose: 4_000,
    closeButtonProps: { 'aria-label': sayNow('Schließen', 'Close') },
  });
};
