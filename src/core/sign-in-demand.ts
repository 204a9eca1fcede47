/**
 * How a session began: with a password alone, with a second factor or a passkey, or with the company account of a team.
 */
export type SignInWay = 'password' | 'second_factor' | 'company';

export const signInDemands = ['none', 'second_factor', 'company'] as const;
/** How a team's members must have signed in: in any way, with a second factor, or with the company account. */
export type SignInDemand = (typeof signInDemands)[number];

interface StoredDemands {
  readonly signInDemand: SignInDemand;
  readonly plannedDemand: SignInDemand | null;
  readonly plannedFrom: Date | string | null;
}

/** A demand that will hold from a time on. */
export interface PlannedDemand {
  readonly demand: SignInDemand;
  readonly from: Date;
}

/**
 * The team's present demand, and the demand that it has planned for later. No job puts the plan into effect: every
 * reader calls this function with the present time.
 */
export const demandsAt = (
  { signInDemand, plannedDemand, plannedFrom }: StoredDemands,
  now: Date,
): { signInDemand: SignInDemand; planned: PlannedDemand | undefined } => {
  if (plannedDemand === null || plannedFrom === null) return { signInDemand, planned: undefined };
  const from = new Date(plannedFrom);
  if (from <= now) return { signInDemand: plannedDemand, planned: undefined };
  return { signInDemand, planned: { demand: plannedDemand, from } };
};

interface Membership {
  readonly role: 'owner' | 'admin' | 'member';
  readonly signInDemand: SignInDemand;
}

/**
 * Whether a session or an assistant's connection that began in this way may act in the team of this membership. The
 * owner is exempt from the demand for the company account, so that a failing provider can't lock the team out.
 */
export const mayEnter = ({ role, signInDemand }: Membership, way: SignInWay): boolean => {
  if (signInDemand === 'none' || way === 'company') return true;
  return signInDemand === 'company' ? role === 'owner' : way === 'second_factor';
};
