const key = 'team';

/** Checks a team id from a link before it is sent to the server in a header. */
const isTenantId = (text: string): boolean => /^[0-9a-f-]{36}$/i.test(text);

/** The team that a link names, also inside the `next` of a link to the sign-in. */
const teamInLink = (search: string): string | null => {
  const params = new URLSearchParams(search);
  const [team, next] = [params.get('team'), params.get('next')];
  if (team !== null) return isTenantId(team) ? team : null;
  return next === null ? null : teamInLink(next.slice(next.indexOf('?') + 1));
};

/** Each tab shows one team. A new tab starts with the team that was shown last, unless its link names another one. */
let current: string | undefined =
  teamInLink(location.search) ?? sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined;

export const currentTeam = (): string | undefined => current;

/** Whether this tab has shown a team to a person who has not signed out since. */
export const hasShownTeam = (): boolean => sessionStorage.getItem(key) !== null;

export const setCurrentTeam = (tenantId: string | undefined): void => {
  current = tenantId;
  if (tenantId === undefined) {
    sessionStorage.removeItem(key);
    return;
  }
  sessionStorage.setItem(key, tenantId);
  localStorage.setItem(key, tenantId);
};
