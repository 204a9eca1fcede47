import type { Team } from '../../db/generated/client.ts';

export type Plan = Team['plan'];
export type TeamStatus = Team['status'];

/** Whether a plan includes the API. */
export const hasApi = (plan: Plan): boolean => plan !== 'basic';

/** Whether a team can use the API and gets events. The database function `gate` has the same rule. */
export const apiIsOn = ({ plan, status }: { plan: Plan; status: TeamStatus }): boolean =>
  hasApi(plan) && status === 'active';

/** The same as an SQL condition on a row of `team`. */
export const apiIsOnSql = (team: string): string => `${team}.status = 'active' and ${team}.plan <> 'basic'`;
