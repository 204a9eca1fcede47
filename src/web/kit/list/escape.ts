import { useEffect } from 'react';

/** If a dialog or menu is open, Escape closes it first. */
const above = '[role=dialog], [role=menu], [role=listbox]';

/** Calls a function on Escape. With `first`, it is called before all other listeners for that key on the page. */
export const useEscape = (act: (() => void) | undefined, { first = false } = {}): void =>
  useEffect(() => {
    if (!act) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector(above) !== null) return;
      // A dialog or menu that was just closed may no longer be on the page, but contains the target of the event.
      if (event.target instanceof Element && event.target.closest(above) !== null) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press, first);
    return () => document.removeEventListener('keydown', press, first);
  }, [act, first]);
