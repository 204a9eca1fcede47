import type { Need } from '../../platform/team.ts';

/** Whether the reader meets a need in the team that is shown. The server says which, and checks again at every call. */
export type May = (need: Need) => boolean;

/** Whether the reader may see what belongs to other people: trainings, assignments and cases. */
export const seesOthers = (may: May, { member_detail }: { member_detail: boolean }): boolean =>
  may('admin') && member_detail;
