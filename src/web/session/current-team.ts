const key = 'team';

/** Each tab is about one team; a new tab begins with the one that was looked at last. A link may name another. */
let current: string | undefined =
  new URLSearchParams(location.search).get('team') ??
  sessionStorage.getItem(key) ??
  localStorage.getItem(key) ??
  undefined;

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
