import { z } from 'zod';
import { exampleIds } from '../../core/example-ids.ts';
import { notYetAUser, payload, text } from '../../deliveries/payload.ts';
import { Member } from '../membership/schema.ts';
import type { Membership } from '../membership/service.ts';

const shape = {
  data: z.object({
    member_id: text('The membership, as in `/users/{member_id}`.'),
    role: Member.shape.role.meta({ description: 'The member’s role in the team.' }),
  }),
  personal: z.object({
    user_id: text(`The person, as sessions and cases name them. ${notYetAUser}`).exactOptional(),
  }),
  example: { member_id: exampleIds.member, role: 'member', user_id: exampleIds.user },
} as const;

export const memberJoined = payload('member.joined', shape);
export const memberRemoved = payload('member.removed', shape);

/** The data of an event about this membership. */
export const eventOf = ({ id, role, userId }: Membership) => ({
  data: { member_id: id, role },
  personal: userId === null ? {} : { user_id: userId },
});
