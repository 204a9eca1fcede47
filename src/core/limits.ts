/** Every number that the API promises, once. */
export const limits = {
  requestsPerKeyPerMinute: 120,
  requestsPerTeamPerMinute: 600,
  invitationsPerHour: 60,
  pageSize: { least: 1, default: 50, most: 200 },
  idempotencyKeyCharacters: 100,
  idempotencyHours: 24,
  /** A larger answer is kept compressed for its `Idempotency-Key`. */
  idempotencyPlainBytes: 16 * 1024,
  emailCharacters: 254,
  /** Of a person or a team. */
  nameCharacters: 120,
  passwordCharacters: { least: 10, most: 200 },
  bodyBytes: 256 * 1024,
  bodyDepth: 32,
  keyNameCharacters: 100,
  /** Keys of a team that are active at once, and that it makes or rotates within 24 hours: none is ever deleted. */
  activeKeys: 200,
  newKeysPerDay: 200,
  keyRotationGraceDays: 30,
  invitationDays: 14,
  assignmentTitleCharacters: 120,
  /** Sessions that a person can start within 24 hours: none is ever deleted. */
  trainingsPerPersonPerDay: 500,
  /** Of a session's `external_ref`, written as JSON. */
  trainingRefBytes: 4 * 1024,
  /** Of each text of an evaluation. */
  evaluationTextCharacters: 4_000,
  /** Who can be given the same at once, by hand. */
  assignmentRecipients: 50,
} as const;

const mebibytes = 1024 ** 2;
const gibibytes = 1024 ** 3;

/**
 * How many bytes a team may store, by its plan. `stored`: its cases and assignments, each with 512 bytes beside what it holds. `answers`:
 * the answers kept for `Idempotency-Key`, counted alike. A request that would go beyond is refused; deleting always works.
 */
export const storageQuotas = {
  basic: { stored: 50 * mebibytes, answers: 50 * mebibytes },
  team: { stored: 1 * gibibytes, answers: 1 * gibibytes },
  enterprise: { stored: 10 * gibibytes, answers: 10 * gibibytes },
} as const;

/** What a team's audit log keeps: its newest entries, and everything of the last days however much that is. */
export const auditLimits = { entries: 1_000_000, days: 30 } as const;

/** What a team may add to the catalog for itself: every read of the catalog reads all of it. */
export const catalogLimits = {
  ownItemsPerDimension: 500,
  ownItems: 1_000,
  ownRulesPerSituation: 500,
  ownRules: 2_000,
  /** Everybody's rules that one answer tells of. */
  globalRulesInAnswer: 5_000,
} as const;

const minutes = 60;
const hours = 60 * minutes;

/** What is promised about the delivery of events; times in seconds. */
export const webhookLimits = {
  retrySeconds: [1 * minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours, 12 * hours, 24 * hours],
  pauseAfterSeconds: 72 * hours,
  timeoutSeconds: 10,
  /** A receiver refuses signatures that are older. */
  signatureAgeSeconds: 300,
  excerptCharacters: 1_000,
  endpointsPerTeam: 50,
  /** Pings, retries, replays and recoveries of an endpoint that people and keys ask for, in an hour that starts with the first. */
  sentByHandPerHour: 100,
  urlCharacters: 2_048,
  descriptionCharacters: 500,
  /** Events that one recovery sends again; whoever missed more asks again. */
  recoveredAtOnce: 10_000,
  /** Days that an endpoint's counts reach back, and how many are shown unless asked. */
  countedDays: { default: 30, most: 90 },
};

/** What is promised about signing in to the app. */
export const signInLimits = {
  /** Calls of one person a minute, in all their browsers and teams. */
  callsPerPersonPerMinute: 600,
  /** A session that nobody uses ends after so many days. */
  sessionDays: 30,
  /** How long a browser may be trusted without the second factor. */
  trustedDeviceDays: 30,
  /** Tries for one account within ten minutes: from one place, and from everywhere, where strangers must not keep its owner out. */
  triesPerAccountFromOnePlace: { most: 20, seconds: 600 },
  triesPerAccount: { most: 200, seconds: 600 },
  /** Wrong codes of a second factor in a row, after which the account takes none for so long. */
  wrongCodes: { most: 10, seconds: 900 },
  /** Mails with a reset link to one address within ten minutes. */
  resetMails: { most: 3, seconds: 600 },
} as const;
