import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useAvailability } from './availability.ts';
import { isReloadDue } from './retries.ts';

// Each version of the app has its own files, named by a hash of their content, and the server has only those of its own
// version. The document contains the names of the first files, and one of these names all others. So the app compares
// the server's current document with the one from which it was loaded.

/** The URLs of the scripts in a document of the app. */
const scripts = /<script type="module"[^<>]* src="([^"<>]+)"/g;

const ownScripts = [...document.querySelectorAll('script[type=module][src]')].map((one) => one.getAttribute('src'));

const hasServerAnotherVersion = async (): Promise<boolean> => {
  try {
    const answer = await fetch('/', { cache: 'no-cache', headers: { Accept: 'text/html' } });
    const theirs = answer.ok ? [...(await answer.text()).matchAll(scripts)].map(([, url]) => url) : [];
    return theirs.length > 0 && theirs.join() !== ownScripts.join();
  } catch {
    return false;
  }
};

let isOutdated = false;

/** Whether the app has found another version of itself on the server. */
export const knowsNewVersion = (): boolean => isOutdated;

const lookEveryMs = 5 * 60_000;

/**
 * The same as a hook, which looks for a new version: when it is first used, every few minutes, when the person returns
 * to the window, and when the server answers again.
 */
export const useNewVersion = (): boolean => {
  const { state } = useAvailability();
  const visibility = useDocumentVisibility();
  const [isThere, setThere] = useState(isOutdated);
  useEffect(() => {
    if (state !== 'ready' || visibility === 'hidden') return undefined;
    const look = async () => {
      isOutdated ||= await hasServerAnotherVersion();
      setThere(isOutdated);
    };
    void look();
    const timer = setInterval(() => void look(), lookEveryMs);
    return () => clearInterval(timer);
  }, [state, visibility]);
  return isThere;
};

const reloadedAtKey = 'version-loaded-at';

/** Reloads the document, and so gets the server's version of the app, unless it has done this a moment ago. */
export const reloadApp = (): void => {
  if (!isReloadDue(Number(sessionStorage.getItem(reloadedAtKey)), Date.now())) return;
  sessionStorage.setItem(reloadedAtKey, String(Date.now()));
  location.reload();
};
