/** Every number that the API promises, once. */
export const limits = {
  requestsPerKeyPerMinute: 120,
  requestsPerTeamPerMinute: 600,
  invitationsPerHour: 60,
  pageSize: { least: 1, default: 50, most: 200 },
  idempotencyKeyCharacters: 100,
  idempotencyHours: 24,
  emailCharacters: 254,
  /** Of a person or a team. */
  nameCharacters: 120,
  passwordCharacters: { least: 10, most: 200 },
  bodyBytes: 256 * 1024,
  bodyDepth: 32,
  /** Where a page of a list ends, however many rows were asked for; the first row is always on it. */
  pageBytes: 1024 * 1024,
  /** No answer is larger. One that would be is a bug of ours. */
  answerBytes: 2 * 1024 * 1024,
  /** Of each free-form value, as it is stored. */
  freeFormBytes: 64 * 1024,
  noteCharacters: 20_000,
  /** Of a case, its persona, and what else is a title or a name of somebody's own. */
  titleCharacters: 200,
  /** Of each text of an evaluation. */
  evaluationTextCharacters: 2_000,
  /** Addresses and networks of one key. */
  keyAddresses: 100,
  /** Reads of one team that are large and at work at once in a process, and how many wait so many milliseconds for a place. */
  largeReads: { fromBytes: 128 * 1024, atOnce: 3, waiting: 20, patienceMs: 2_000, rememberedMs: 60_000 },
  keyNameCharacters: 100,
  keyRotationGraceDays: 30,
  invitationDays: 14,
  assignmentTitleCharacters: 120,
  /** Who can be given the same at once, by hand. */
  assignmentRecipients: 50,
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
