/** Limits of endpoints, of their checks, and of events that people and keys send by hand. */
export const endpointLimits = {
  /** The largest body of an event. */
  bodyBytes: 16 * 1024,
  /** How many checks of receivers a team may start in an hour, which begins with the first check. */
  checksPerTeamPerHour: 6,
  /** A check that is not complete after this time has failed. */
  checkMinutes: 5,
  endpointsPerTeam: 50,
  /**
   * How many pings, retries, replays and recoveries of one endpoint people and keys may request in an hour, which
   * begins with the first.
   */
  sentByHandPerHour: 100,
  /** The same for all endpoints of a team together, including deleted ones. */
  sentByHandPerTeamPerHour: 1_000,
  /**
   * How many deliveries recoveries may make for all endpoints of a team, including deleted ones, within 24 hours from
   * the first.
   */
  recoveredPerTeamPerDay: 20_000,
  /** How many attempts are shown with a delivery: the newest ones. */
  attemptsShown: 50,
  urlCharacters: 2_048,
  descriptionCharacters: 500,
  /** The team's own headers of an endpoint. */
  headers: 10,
  headerNameCharacters: 100,
  headerValueCharacters: 1_000,
  /** How many events one recovery sends again. To recover more, the caller repeats the request. */
  recoveredAtOnce: 10_000,
  /** For how many days an endpoint's counts are kept, and how many days are shown by default. */
  countedDays: { default: 30, max: 90 },
} as const;
