import type { Item } from '../../../modules/catalog/schema.ts';
import { app } from '../../server/server.ts';

/** What the policy looked at blocks and releases: the team’s, or on top of it a member’s own. */
export const usePolicy = (member: string) => {
  const isOwn = member !== '';
  const own = app.useAnswer('policy.member', { member_id: member }, { enabled: isOwn });
  const setTeam = app.useChange('policy.setTeam');
  const setMember = app.useChange('policy.setMember');
  const blocked = new Set(own.data?.blocked);

  const say = async (ids: string[], released: boolean): Promise<void> => {
    const change = released ? { release: ids } : { block: ids };
    await (isOwn ? setMember.mutateAsync({ member_id: member, ...change }) : setTeam.mutateAsync(change));
  };
  return {
    /** Undefined while it is not known. */
    isReleased: isOwn && !own.data ? undefined : (item: Item) => !(isOwn ? blocked.has(item.id) : item.blocked),
    /** The team decided, and a member’s own policy can’t widen that. */
    isFixed: (item: Item) => isOwn && item.blocked,
    /** Why it could not be read. */
    error: own.error,
    /** Why it could not be changed. */
    refusal: setTeam.error ?? setMember.error,
    say,
    /** The same, told as whether it was taken; why not stands in `refusal`. */
    trySay: (ids: string[], released: boolean): Promise<boolean> =>
      say(ids, released).then(
        () => true,
        () => false,
      ),
  };
};
