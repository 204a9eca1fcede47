import type { May } from '../session/may.ts';

/**
 * What is shown at the address of a page: the page, the notice that the team is not active, or the notice that the
 * reader lacks a role.
 */
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
