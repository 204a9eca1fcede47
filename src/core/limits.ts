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
  /** Of a request at the app's entrance, which anybody may send. */
  entranceBodyBytes: 16 * 1024,
  bodyDepth: 32,
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
  /** Tries in a browser in which the account's person has signed in before; strangers' tries don't count there. */
  triesFromKnownBrowser: { most: 20, seconds: 600 },
  /** How long a browser stays known after the last sign-in there, and how many of a person's are known. */
  knownBrowserDays: 180,
  knownBrowsers: 10,
  /** Codes of a second factor that are judged before the account takes none for so long; counted apart for each known browser. */
  wrongCodes: { most: 10, seconds: 900 },
  /** Mails with a reset link to one address within ten minutes, and within a day. */
  resetMails: { most: 3, seconds: 600 },
  resetMailsPerDay: { most: 10, seconds: 24 * hours },
  /** Reset links asked for from one network, for whatever accounts. */
  resetsFromNetwork: { most: 20, seconds: 600 },
  /** Anonymous calls of the app a minute and address, as a multiple of SIGN_IN_RATE_PER_MIN. */
  anonymousCallsPerTry: 10,
  /** A refusal at the entrance comes no sooner than this, so that its time tells nothing about the account. */
  refusalMilliseconds: 300,
  /** A locked account appears in its teams' audit logs at most once in this time. */
  lockNotedSeconds: 1 * hours,
} as const;

/** How much hashing of passwords a process takes on. */
export const hashingLimits = {
  /** Callers that may wait for a hash at once: known browsers and strangers have so many each. */
  places: 64,
  /** What a caller without a place is told to wait. */
  retryAfterSeconds: 2,
} as const;
