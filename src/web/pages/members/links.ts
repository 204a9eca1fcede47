import type { TeamMember } from '../../../modules/members/schema.ts';

// Links to the lists about a member. Assignments and policies are filtered by the id of the member. Trainings, cases
// and the member's own actions are filtered by the id of the user.

type UserId = NonNullable<TeamMember['user_id']>;

export const trainingsOf = (userId: UserId): string => `/trainings?user_id=${userId}`;

export const casesOf = (userId: UserId): string => `/cases?user_id=${userId}`;

export const assignmentsOf = (id: string): string => `/assignments?member=${id}`;

export const unfinishedOf = (id: string): string => `${assignmentsOf(id)}&status=unfinished`;

export const overdueOf = (id: string): string => `${assignmentsOf(id)}&overdue=true`;

export const policyOf = (id: string): string => `/catalog?member=${id}`;

/** The entries of the audit log about a member. */
export const entriesAbout = (id: string): string => `/audit?target_type=member&target_id=${id}`;

/** The audit entries of a member's own actions. */
export const entriesBy = (userId: UserId): string => `/audit?actor_id=${userId}`;
