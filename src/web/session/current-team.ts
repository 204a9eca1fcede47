import { teamAtFirst } from './team-in-link.ts';

const key = 'team';

/** Each tab shows one team. A new tab starts with the team that was shown last, unless its link names another one. */
let current: string | undefined = teamAtFirst(location.search, {
  tab: sessionStorage.getItem(key),
  browser: localStorage.getItem(key),
});

export const currentTeam = (): string | undefined => current;

/** Whether this tab has shown a team, and the person has not signed out in it since. */
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
