import { useEffect } from 'react';

/** An open dialog or menu closes first. */
const above = '[role=dialog], [role=menu], [role=listbox]';

/** Does something on Escape. With `first`, it comes before whatever else on the page waits for that key. */
export const useEscape = (act: (() => void) | undefined, { first = false } = {}): void =>
  useEffect(() => {
    if (!act) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector(above) !== null) return;
      // It may have left the page already.
      if (event.target instanceof Element && event.target.closest(above) !== null) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press, first);
    return () => document.removeEventListener('keydown', press, first);
  }, [act, first]);
