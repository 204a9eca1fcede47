// Each version of the app has its own files, named by a hash of their content, and the server has only those of its own version. The
// document contains the name of the first file. So the app compares the server's current document with the one from which it was loaded.

/** The URL of the first script in a document of the app. */
const firstScript = /<script\s+type="module"[^>]*\ssrc="([^"]+)"/;

const ownScript = document.querySelector('script[type=module][src]')?.getAttribute('src');

let isOutdated = false;
const listeners = new Set<() => void>();

const noteOutdated = (): void => {
  if (isOutdated) return;
  isOutdated = true;
  for (const listener of listeners) listener();
};

/** Whether the server has this version of the app or another one; unknown if the server can't be reached. */
export const deployedVersion = async (): Promise<'this' | 'another' | 'unknown'> => {
  try {
    const answer = await fetch('/', { cache: 'no-cache', headers: { Accept: 'text/html' } });
    const script = answer.ok ? firstScript.exec(await answer.text())?.[1] : undefined;
    if (script === undefined) return 'unknown';
    if (script === ownScript) return 'this';
    noteOutdated();
    return 'another';
  } catch {
    return 'unknown';
  }
};

/** Whether the server had another version of the app than this one. */
export const knowsNewVersion = (): boolean => isOutdated;

/** Calls the listener when there is a new version. Returns a function that removes the listener. */
export const onNewVersion = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

const loadedAtKey = 'version-loaded-at';
const leastMsBetween = 20_000;

/**
 * Reloads the document, and with it the new version of the app. Returns false if it did so a moment ago: during a deployment, servers of
 * both versions answer, and one may get requests for the files of the other.
 */
export const loadNewVersion = (): boolean => {
  if (Date.now() - Number(sessionStorage.getItem(loadedAtKey)) < leastMsBetween) return false;
  sessionStorage.setItem(loadedAtKey, String(Date.now()));
  location.reload();
  return true;
};

const leastMsBetweenLooks = 5 * 60_000;

/** Checks for a new version when the person returns to the window, but not too often. */
export const watchForNewVersion = (): (() => void) => {
  let lookedAt = Date.now();
  const look = (): void => {
    if (document.visibilityState !== 'visible' || Date.now() - lookedAt < leastMsBetweenLooks) return;
    lookedAt = Date.now();
    void deployedVersion();
  };
  document.addEventListener('visibilitychange', look);
  const timer = setInterval(look, leastMsBetweenLooks);
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearInterval(timer);
  };
};
