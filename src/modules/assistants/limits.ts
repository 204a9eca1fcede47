/** Assistants that people connect (OAuth). */
export const assistantLimits = {
  /** How long a code may be exchanged, how long an access token is valid, and after how many days without use a connection ends. */
  codeSeconds: 120,
  accessMinutes: 60,
  refreshDays: 30,
  /** So soon after a refresh, the former token is refused without ending the connection: two requests may have crossed. */
  retrySeconds: 30,
  /** Requests to register or for tokens of one network, in a minute and process. */
  requestsPerNetworkPerMinute: 60,
} as const;
