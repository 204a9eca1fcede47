import type { Team } from '../../db/generated/client.ts';

export type Plan = Team['plan'];
export type TeamStatus = Team['status'];

/** Plans that the API is part of. */
export const hasApi = (plan: Plan): boolean => plan !== 'basic';
