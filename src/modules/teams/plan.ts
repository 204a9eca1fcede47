import type { Team } from '../../db/generated/client.ts';

export type Plan = Team['plan'];
export type TeamStatus = Team['status'];

/** Plans that the API is part of. */
export const hasApi = (plan: Plan): boolean => plan !== 'basic';

/** Whether a team can use the API and gets events. The function `gate` says the same of the team of a key. */
export const apiIsOn = ({ plan, status }: { plan: Plan; status: TeamStatus }): boolean =>
  hasApi(plan) && status === 'active';

/** The same as an SQL condition on a row of `team`. */
export const apiIsOnSql = (team: string): string => `${team}.status = 'active' and ${team}.plan <> 'basic'`;
