/** The address of the sign-in that leads back to a path of the app, with its query and its fragment. */
export const signInFor = ({
  pathname,
  search = '',
  hash = '',
}: {
  pathname: string;
  search?: string;
  hash?: string;
}): string => `/sign-in?next=${encodeURIComponent(`${pathname}${search}${hash}`)}`;
