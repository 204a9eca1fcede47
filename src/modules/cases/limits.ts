import { storageQuotas } from '../storage/limits.ts';

const mebibytes = 1024 ** 2;

/**
 * How many bytes of the team's storage the private cases of one person, and of all people together, may take: others can't see or delete
 * them. After the end of a membership they are kept for a while, in case the person joins again.
 */
export const privateCaseLimits = {
  ofOnePerson: { basic: 5 * mebibytes, team: 50 * mebibytes, enterprise: 200 * mebibytes },
  ofAllTogether: {
    basic: storageQuotas.basic.stored / 2,
    team: storageQuotas.team.stored / 2,
    enterprise: storageQuotas.enterprise.stored / 2,
  },
  daysAfterMembership: 30,
} as const;
