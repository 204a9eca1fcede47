import { lazy, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { t, useLanguage } from '../language/language.tsx';
import { useSignedIn } from '../session/signed-in.tsx';
import { nextPlace } from '../kit/list/list-rules.ts';
import { pastedId } from './search-text.ts';
import { shortcutOf, shortcutsFor, useShortcutsOn, type ShortcutAction, type WantedSearch } from './shortcuts.ts';
import { Late } from '../kit/page/late.tsx';

const Palette = lazy(() => import('./palette.tsx'));
const ShortcutList = lazy(() => import('./shortcut-list.tsx'));

/** In milliseconds. The keys of one shortcut must follow each other within this time. */
const sequenceMs = 1_500;

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, [role="combobox"], [role="textbox"]') !== null);

const dialogIsOpen = (): boolean => document.querySelector('[role="dialog"], [role="menu"]') !== null;

const isShown = (element: HTMLElement): boolean => element.offsetParent !== null;

const shownOf = (selector: string): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(selector)].filter(isShown);

/**
 * The element that opens a row: the button for the panel beside the list. Without one, the link in the first two cells,
 * one of which may be the checkbox. Without that, the button that shows the details, or else any link or button.
 */
const openerOf = (row: HTMLElement): HTMLElement | null =>
  row.querySelector<HTMLElement>('[data-peek]') ??
  row.querySelector<HTMLElement>('td:nth-child(-n + 2) a[href]') ??
  row.querySelector<HTMLElement>('button[aria-expanded]') ??
  row.querySelector<HTMLElement>('a[href], button');

/** Opens the next or previous row in the panel beside the list. If no panel is open, moves the focus to its opener. */
const moveInList = (by: 1 | -1): void => {
  const buttons = shownOf('#main [data-peek]');
  const open = buttons.findIndex(({ ariaExpanded }) => ariaExpanded === 'true');
  if (open !== -1) {
    const next = buttons[nextPlace(open, buttons.length, by) ?? -1];
    next?.scrollIntoView({ block: 'nearest' });
    next?.click();
    return;
  }
  const rows = shownOf('#main tbody tr').flatMap((row) => openerOf(row) ?? []);
  const now = rows.findIndex((one) => one.closest('tr')?.contains(document.activeElement));
  const next = nextPlace(now, rows.length, by);
  if (next !== undefined) rows[next]?.focus();
};

const act: Readonly<Record<Exclude<ShortcutAction, 'help'>, () => void>> = {
  filter: () =>
    (
      shownOf('#main input[type="search"]')[0] ?? shownOf('#main input:not([type="checkbox"]), #main select')[0]
    )?.focus(),
  create: () => shownOf('#main [data-creates]')[0]?.click(),
  next: () => moveInList(1),
  previous: () => moveInList(-1),
};

/** The search, the keyboard shortcuts and the pasted ids of all pages. */
export const useKeyboard = () => {
  const navigate = useNavigate();
  const { may } = useSignedIn();
  const language = useLanguage();
  const [wanted, setWanted] = useState<WantedSearch>();
  const [isListOpen, setListOpen] = useState(false);
  const [on] = useShortcutsOn();
  const pressed = useRef<{ keys: string[]; at: number }>({ keys: [], at: 0 });

  useEffect(() => {
    const { pages, actions } = shortcutsFor(may, t);
    const all = [...pages, ...actions];
    const press = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setWanted((now) => (now ? undefined : { text: '', opensDirectly: false }));
        return;
      }
      if (!on || event.metaKey || event.ctrlKey || event.altKey || isField(event.target) || dialogIsOpen()) return;
      if (event.key.length !== 1) return;
      const former = event.timeStamp - pressed.current.at < sequenceMs ? pressed.current.keys : [];
      const keys = [...former, event.key];
      const does = shortcutOf(all, keys) ?? shortcutOf(all, [event.key]);
      const begun = does === 'begun';
      pressed.current = {
        keys: begun ? (shortcutOf(all, keys) === 'begun' ? keys : [event.key]) : [],
        at: event.timeStamp,
      };
      if (does === undefined || begun) return;
      event.preventDefault();
      if ('go' in does) void navigate(does.go);
      else if (does.action === 'help') setListOpen(true);
      else act[does.action]();
    };
    const paste = (event: ClipboardEvent): void => {
      if (isField(event.target) || dialogIsOpen()) return;
      const id = pastedId(event.clipboardData?.getData('text/plain') ?? '');
      if (id !== undefined) setWanted({ text: id, opensDirectly: true });
    };
    document.addEventListener('keydown', press);
    document.addEventListener('paste', paste);
    return () => {
      document.removeEventListener('keydown', press);
      document.removeEventListener('paste', paste);
    };
  }, [language, may, navigate, on]);

  return {
    search: () => setWanted({ text: '', opensDirectly: false }),
    listShortcuts: () => setListOpen(true),
    dialogs: (
      <Late>
        {wanted && (
          <Palette wanted={wanted} onClose={() => setWanted(undefined)} onShortcuts={() => setListOpen(true)} />
        )}
        {isListOpen && <ShortcutList onClose={() => setListOpen(false)} />}
      </Late>
    ),
  };
};
