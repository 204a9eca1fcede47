/** An active member of the team, signed in. */
export interface Person {
  readonly memberId: string;
  readonly userId: string;
  readonly role: 'owner' | 'admin' | 'member';
  /** The rights that the owner gave them beyond their role. */
  readonly rights: readonly string[];
}

export const allNeeds = ['member', 'admin', 'keys', 'owner'] as const;

/**
 * Whom a procedure of the app is for: everybody in the team; the owner and admins; the owner and those admins to whom the owner
 * gave the right to make keys; the owner alone.
 */
export type Need = (typeof allNeeds)[number];
