import { notifications } from '@mantine/notifications';
import { sayNow } from '../language/language.ts';

/** Milliseconds for which it is said that something was done: long enough to be seen by who looks up from the button. */
export const saidFor = 4_000;

/** Says for a moment that something was done. */
export const tell = (message: string): void => {
  notifications.show({
    message,
    color: 'teal',
    autoClose: saidFor,
    closeButtonProps: { 'aria-label': sayNow('Schließen', 'Close') },
  });
};
