/** Every number that the API promises, once. */
export const limits = {
  requestsPerKeyPerMinute: 120,
  requestsPerTeamPerMinute: 600,
  invitationsPerHour: 60,
  pageSize: { least: 1, default: 50, most: 200 },
  idempotencyKeyCharacters: 100,
  idempotencyHours: 24,
  emailCharacters: 254,
  bodyBytes: 256 * 1024,
  bodyDepth: 32,
  keyNameCharacters: 100,
  keyRotationGraceDays: 30,
  invitationDays: 14,
  assignmentTitleCharacters: 120,
} as const;
