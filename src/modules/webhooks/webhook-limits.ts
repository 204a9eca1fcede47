/** Endpoints, their checks, and what people and keys send by hand. */
export const endpointLimits = {
  /** The largest body of an event. */
  bodyBytes: 16 * 1024,
  /** Checks of receivers that a team may start in an hour that starts with the first. */
  checksPerTeamPerHour: 6,
  /** A check that is not complete after this time has failed. */
  checkMinutes: 5,
  endpointsPerTeam: 50,
  /**
   * Pings, retries, replays and recoveries of one endpoint that people and keys request, in an hour that starts with
   * the first.
   */
  sentByHandPerHour: 100,
  /** The same for all endpoints of a team together, including deleted ones. */
  sentByHandPerTeamPerHour: 1_000,
  /**
   * Deliveries that recoveries make for all endpoints of a team, including deleted ones, within 24 hours from the
   * first.
   */
  recoveredPerTeamPerDay: 20_000,
  /** Attempts that are shown with a delivery: the newest. */
  attemptsShown: 50,
  urlCharacters: 2_048,
  descriptionCharacters: 500,
  /** The team's own headers of an endpoint. */
  headers: 10,
  headerNameCharacters: 100,
  headerValueCharacters: 1_000,
  /** Events that one recovery sends again. To recover more, the caller repeats the request. */
  recoveredAtOnce: 10_000,
  /** For how many days an endpoint's counts are kept, and how many days are shown by default. */
  countedDays: { default: 30, max: 90 },
} as const;
