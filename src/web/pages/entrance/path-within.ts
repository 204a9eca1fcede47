/** Nothing is there: it only tells paths from addresses elsewhere. */
const nowhere = 'https://app.invalid';

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Browsers read a backslash as a slash and leave out tabs and line ends: a path has neither, encoded or not. */
const isPlain = (path: string): boolean => /^\/(?!\/)[^\\\p{Cc}]*$/u.test(path);

/**
 * Where a link through the sign-in leads: a path of this app as the browser would read it, else its start. It must not lead to
 * another site, and no value of it may break the page.
 */
export const pathWithin = (next: string | null): string => {
  if (next === null || !isPlain(next) || !URL.canParse(next, nowhere)) return '/';
  const { origin, pathname, search, hash } = new URL(next, nowhere);
  const isHere = origin === nowhere && isPlain(pathname) && isPlain(decoded(pathname) ?? '');
  return isHere ? `${pathname}${search}${hash}` : '/';
};
