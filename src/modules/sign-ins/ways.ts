import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { disconnectOfCompany, withoutSecondFactor } from '../assistants/service.ts';
import { sessions } from './store.ts';

// When a way to sign in is switched off, the sessions that began with it, and the connections of assistants that were
// made in them, end or are downgraded. The sessions come first. A connection that is being made locks its session
// (`connectAssistant`). So it is either found here, or it finds the changed session.

/**
 * Ends the sessions and connections that began with a team's company account. If a domain is given, only people with an
 * address in it lose theirs.
 */
export const endCompanyAccess = async (tx: Tx, team: Team, { domain }: { domain?: string } = {}): Promise<void> => {
  await sessions.removeOfCompany(tx, team.id, domain);
  await disconnectOfCompany(tx, team, domain);
};

/**
 * After a person has turned the second factor off, sessions and connections that began with it count as begun with a
 * password.
 */
export const withdrawSecondFactor = async (tx: Tx, personId: string): Promise<void> => {
  await sessions.deleteSecondFactor(tx, personId);
  await withoutSecondFactor(tx, personId);
};
