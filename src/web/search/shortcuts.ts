import { useLocalStorage } from '@mantine/hooks';
import { useEffect } from 'react';
import type { Translate } from '../language/language.tsx';
import { navigation } from '../pages.tsx';

// The keyboard shortcuts of the app. The dialog that lists them and the key handlers both use this list.

export type ShortcutAction = 'filter' | 'create' | 'next' | 'previous' | 'help';

interface Shortcut {
  /** Pressed one after the other. */
  keys: readonly string[];
  name: (t: Translate) => string;
  does: { go: string } | { action: ShortcutAction };
}

const actions: readonly Shortcut[] = [
  { keys: ['/'], name: (t) => t('Zum Filter der Seite', 'Go to the page’s filter'), does: { action: 'filter' } },
  {
    keys: ['c'],
    name: (t) => t('Neu anlegen', 'Create'),
    does: { action: 'create' },
  },
  { keys: ['j'], name: (t) => t('Nächster Listeneintrag', 'Next list entry'), does: { action: 'next' } },
  { keys: ['k'], name: (t) => t('Vorheriger Listeneintrag', 'Previous list entry'), does: { action: 'previous' } },
  { keys: ['?'], name: (t) => t('Diese Übersicht', 'This overview'), does: { action: 'help' } },
];

/** The pages that a person may open, each with its keys. */
const pages = (
  may: (needs: (typeof navigation)[number]['entries'][number]['needs']) => boolean,
  t: Translate,
): Shortcut[] =>
  navigation
    .flatMap(({ entries }) => entries)
    .filter(({ needs }) => may(needs))
    .map(({ path, letter, name }) => ({ keys: ['g', letter(t)], name, does: { go: path } }));

/** A letter with the key that the reader's browser uses for commands, such as `⌘ K`. */
export const withCommandKey = (letter: string, t: Translate): string =>
  /Mac|iPhone|iPad/.test(navigator.userAgent) ? `⌘ ${letter}` : t(`Strg ${letter}`, `Ctrl ${letter}`);

export const shortcutsFor = (...reader: Parameters<typeof pages>) => ({ pages: pages(...reader), actions });

/** The shortcut for the pressed keys; `begun` if they may be the beginning of one. */
export const shortcutOf = (
  all: readonly Shortcut[],
  pressed: readonly string[],
): Shortcut['does'] | 'begun' | undefined => {
  const fits = all.filter(({ keys }) => pressed.every((key, at) => keys[at] === key));
  const whole = fits.find(({ keys }) => keys.length === pressed.length);
  return whole?.does ?? (fits.length > 0 ? 'begun' : undefined);
};

// State that the dialogs of the search and of the shortcuts share with the keys that open them.

/**
 * The text with which the search starts, and whether a single result is opened at once. Undefined: the search is
 * closed.
 */
export type WantedSearch = { text: string; opensDirectly: boolean } | undefined;

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
