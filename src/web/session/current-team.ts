const key = 'team';

/** An id: what goes into a header must not be anything that a link says. */
const isTenantId = (text: string): boolean => /^[0-9a-f-]{36}$/i.test(text);

/** The team that a link names, also one that leads through the sign-in first. */
const named = (search: string): string | null => {
  const params = new URLSearchParams(search);
  const [team, next] = [params.get('team'), params.get('next')];
  if (team !== null) return isTenantId(team) ? team : null;
  return next === null ? null : named(next.slice(next.indexOf('?') + 1));
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
