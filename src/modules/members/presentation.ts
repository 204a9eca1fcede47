import type { Member } from './schema.ts';
import type { Membership } from './membership.ts';

type Shown = Omit<Membership, 'rights'>;

/** A membership as answers have it. */
export const present = ({ id, userId, email, role, status, joinedAt }: Shown): Member => ({
  id,
  user_id: userId,
  email,
  role,
  status,
  joined_at: joinedAt?.toISOString() ?? null,
});

/** The fields of events about a membership. */
export const eventOf = ({ id, role, userId }: Shown) => ({
  data: { member_id: id, role },
  personal: userId === null ? {} : { user_id: userId },
});
