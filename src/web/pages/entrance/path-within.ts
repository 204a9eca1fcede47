/** A placeholder origin, to distinguish paths of this app from addresses of other sites. */
const placeholder = 'https://app.invalid';

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/**
 * Browsers treat a backslash as a slash and drop tabs and line breaks, so a path must have none of them, encoded or
 * not.
 */
const isPlain = (path: string): boolean => /^\/(?!\/)[^\\\p{Cc}]*$/u.test(path);

/**
 * The path to which a link through the sign-in leads, normalized like a browser does it; `/` for a text that is no path
 * of this app. The link must not lead to another site, and no text in it may break the page.
 */
export const pathWithin = (next: string | null): string => {
  if (next === null || !isPlain(next) || !URL.canParse(next, placeholder)) return '/';
  const { origin, pathname, search, hash } = new URL(next, placeholder);
  const isHere = origin === placeholder && isPlain(pathname) && isPlain(decoded(pathname) ?? '');
  return isHere ? `${pathname}${search}${hash}` : '/';
};
