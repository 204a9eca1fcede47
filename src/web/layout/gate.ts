import type { May } from '../session/may.ts';

/** What stands at the address of a page: the page, the notice of a team that is not active, or that of a missing role. */
export const gateFor = (
  needs: Parameters<May>[0] | 'signed-in',
  status: 'active' | 'suspended' | 'ended',
  may: May,
): 'page' | 'inactive' | 'refused' => {
  // One's own account needs no team.
  if (needs === 'signed-in') return 'page';
  if (status !== 'active') return 'inactive';
  return may(needs) ? 'page' : 'refused';
};
