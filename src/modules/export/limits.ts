/** Exports of a team's data in the app. */
export const exportLimits = {
  perTeamPerHour: 6,
  /** Simultaneous downloads of one process, and of these at most one for a team. */
  atOnceInProcess: 2,
  busyRetrySeconds: 30,
  /** How long the link to a download is valid. */
  ticketSeconds: 60,
} as const;
