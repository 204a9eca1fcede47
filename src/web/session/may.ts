import type { Need } from '../../platform/team.ts';

/**
 * Whether the reader belongs to the audience of a procedure, in the team that is shown. The server sends the list of
 * the reader's audiences, and checks again at every call.
 */
export type May = (need: Need) => boolean;

/** Whether the reader may see objects of other people: trainings, assignments and cases. */
export const seesOthers = (may: May, { member_detail }: { member_detail: boolean }): boolean =>
  may('admin') && member_detail;

/** Whether the reader leads the team. People who lead it see its pages and lists; members see only their own data. */
export const leads = (may: May): boolean => may('admin');

interface Privacy {
  readonly member_detail: boolean;
  readonly leaderboard: boolean;
}

/** Whether the reader may compare members: an admin, if the team shows and compares them. */
export const comparesMembers = (may: May, privacy: Privacy): boolean => seesOthers(may, privacy) && privacy.leaderboard;

/** Whether the reader would see the objects of other people if the team did not hide them. */
export const isHiddenFrom = (may: May, privacy: Pick<Privacy, 'member_detail'>): boolean =>
  leads(may) && !seesOthers(may, privacy);
