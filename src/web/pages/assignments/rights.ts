import type { GivenAssignment, OwnAssignment } from '../../../modules/assignments/schema.ts';

export const isUnfinished = ({ status }: Pick<GivenAssignment, 'status'>): boolean =>
  status === 'open' || status === 'in_progress';

type GivenAction = 'complete' | 'remind' | 'extend' | 'withdraw' | 'reopen' | 'remove';

/** The actions of an admin on an assignment. */
export const actionsOnGiven = (assignment: Pick<GivenAssignment, 'status'>): Readonly<Record<GivenAction, boolean>> => {
  const isOpen = isUnfinished(assignment);
  return { complete: isOpen, remind: isOpen, extend: isOpen, withdraw: isOpen, reopen: !isOpen, remove: true };
};

/**
 * The actions of a member on their own assignment. If there is an address for practising, the member begins it there.
 */
export const actionsOnOwn = ({
  status,
  practice_url: practice,
}: Pick<OwnAssignment, 'status'> & { practice_url: string | null }): Readonly<
  Record<'practise' | 'begin' | 'finish', boolean>
> => {
  const isOpen = isUnfinished({ status });
  return {
    practise: isOpen && practice !== null,
    begin: status === 'open' && practice === null,
    finish: isOpen,
  };
};
