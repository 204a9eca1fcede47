import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { disconnectOfCompany, withoutSecondFactor } from '../assistants/service.ts';
import { sessions } from './store.ts';

// When a way to sign in is switched off, the sessions that began with it end, and so do the assistants that were connected
// in them. The sessions come first: a connection that is being made holds its session (`connectAssistant`), so it is found here or finds the
// session ended.

/** Ends what a team's company account has opened; with a domain, only for people who have such an address. */
export const endCompanyAccess = async (tx: Tx, team: Team, { domain }: { domain?: string } = {}): Promise<void> => {
  await sessions.removeOfCompany(tx, team.id, domain);
  await disconnectOfCompany(tx, team, domain);
};

/** After the second factor was turned off, what it has opened counts as opened with a password. */
export const withdrawSecondFactor = async (tx: Tx, personId: string): Promise<void> => {
  await sessions.deleteSecondFactor(tx, personId);
  await withoutSecondFactor(tx, personId);
};
