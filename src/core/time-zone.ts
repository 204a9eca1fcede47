/** The time zone in which a team's days begin, in mails and in the filters of lists. */
export const teamTimeZone = 'Europe/Berlin';
