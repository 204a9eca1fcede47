import { useLocalStorage } from '@mantine/hooks';
import { useEffect } from 'react';

// State that the dialogs of the search and of the shortcuts share with the keys that open them.

/** The text with which the search starts, and whether a single result is opened at once. Undefined: the search is closed. */
export type Wanted = { text: string; opensDirectly: boolean } | undefined;

/** Whether single keys are shortcuts. People who dictate or press keys by accident can switch them off. */
export const useShortcutsOn = () =>
  useLocalStorage<boolean>({ key: 'shortcuts', defaultValue: true, getInitialValueInEffect: false });

/** Returns the focus, after a dialog was closed, to the element that had it before. */
export const useFocusBack = (): void => {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
};
