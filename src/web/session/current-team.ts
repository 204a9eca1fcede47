const key = 'team';

/** The team that a link names, also one that leads through the sign-in first. */
const named = (search: string): string | null => {
  const params = new URLSearchParams(search);
  const next = params.get('next');
  return params.get('team') ?? (next === null ? null : named(next.slice(next.indexOf('?') + 1)));
};

/** Each tab is about one team; a new tab begins with the one that was looked at last. A link may name another. */
let current: string | undefined =
  named(location.search) ?? sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined;

export const currentTeam = (): string | undefined => current;

export const lookAt = (tenantId: string | undefined): void => {
  current = tenantId;
  if (tenantId === undefined) {
    sessionStorage.removeItem(key);
    return;
  }
  sessionStorage.setItem(key, tenantId);
  localStorage.setItem(key, tenantId);
};
