/** All limits that the API promises. */
export const limits = {
  requestsPerKeyPerMinute: 120,
  requestsPerTeamPerMinute: 600,
  /**
   * Requests for the API's description without a key, for each address: many programs of one company may share an
   * address.
   */
  descriptionsPerMinute: 600,
  invitationsPerHour: 60,
  /** Addresses that one request can look up among the members. */
  addressesLookedUp: 100,
  pageSize: { min: 1, default: 50, max: 200 },
  /** Things that one call of the app changes or sends. */
  bulkItems: 200,
  /**
   * If a group has fewer members, they are not compared, and no mean of a part of them is shown, because single people
   * could be recognised.
   */
  comparedMembers: 5,
  /** Things that one request of the API creates, and how many of them count as one request. */
  itemsInRequest: 100,
  itemsCountedAsRequest: 10,
  idempotencyKeyCharacters: 100,
  idempotencyHours: 24,
  emailCharacters: 254,
  /** The id of a member in the customer's own system. */
  externalIdCharacters: 255,
  /** The name of a person or a team. */
  nameCharacters: 120,
  passwordCharacters: { min: 10, max: 200 },
  bodyBytes: 256 * 1024,
  bodyDepth: 32,
  /** Values on all levels of a body, and keys in all its objects. Two free-form values of 64 KiB have fewer. */
  bodyValues: 70_000,
  bodyKeys: 22_000,
  /** Values inside a body's fields that are not free-form, such as elements of lists. */
  nestedValues: 5_000,
  /** Keys on the first level of a body. */
  ownKeys: 1_000,
  /** Elements of a list on the second level of a body. */
  listElements: 1_000,
  /** A page of a list ends at this size, whatever its `limit` is. It always contains its first row. */
  pageBytes: 1024 * 1024,
  /** The stored size of a free-form value. */
  freeFormBytes: 64 * 1024,
  noteCharacters: 20_000,
  /** The title of a case, its persona, and similar texts. */
  titleCharacters: 200,
  /** The allowed addresses and networks of one key. */
  keyAddresses: 100,
  keyNameCharacters: 100,
  /** Active keys of a team, and keys that it creates or rotates within 24 hours: keys are never deleted. */
  activeKeys: 200,
  newKeysPerDay: 200,
  keyRotationGraceDays: 30,
  /** How many days before a key expires its people are mailed. */
  keyExpiryNoticeDays: { first: 14, second: 3 },
  invitationDays: 14,
  assignmentTitleCharacters: 120,
  /** How many members can be given the same assignment in one action of the app. */
  assignmentRecipients: 50,
} as const;

const mebibytes = 1024 ** 2;
const minutes = 60;
const hours = 60 * minutes;

/** The delivery of events; times in seconds. */
export const webhookLimits = {
  retrySeconds: [1 * minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours, 12 * hours, 24 * hours],
  pauseAfterSeconds: 72 * hours,
  timeoutSeconds: 10,
  /** Receivers refuse signatures that are older. */
  signatureAgeSeconds: 300,
  excerptCharacters: 1_000,
  /** How much of a response's headers (names and values) is kept with an attempt. */
  responseHeaderBytes: 2 * 1024,
};

/** Signing in to the app. */
export const signInLimits = {
  passkeysPerPerson: 20,
  passkeyNameCharacters: 60,
  /** How long a browser may take to answer the challenge for a passkey. */
  passkeyChallengeSeconds: 600,
  /** For how long a password or passkey that was just shown counts as a fresh proof. */
  freshProofMinutes: 10,
  /** Calls of one session per minute, in a process. */
  callsPerSessionPerMinute: 600,
  /**
   * Calls that a process handles at once: of one session, and of all people of one team. Then how many calls of a
   * session wait, and for how long.
   */
  callsAtOnce: { ofOneSession: 6, ofOneTeam: 12, waitingOfOneSession: 60, timeoutMs: 30_000 },
  /**
   * Changes of all people of one team in the app per minute: like requests with keys, they may raise events and are
   * audited.
   */
  changesPerTeamPerMinute: 600,
  /** An unused session ends after this many days. */
  sessionDays: 30,
  /** The newest sessions that a person sees. */
  shownSessions: 100,
  /** How long a browser may sign in without the second factor. */
  trustedDeviceDays: 30,
  /**
   * Tries for one account within ten minutes, from one place and in total. The total is higher, so that strangers can't
   * lock out the account's owner.
   */
  triesPerAccountFromOnePlace: { max: 20, seconds: 600 },
  triesPerAccount: { max: 200, seconds: 600 },
  /** Tries in a browser in which this person has signed in before. Tries of strangers do not count here. */
  triesFromKnownBrowser: { max: 20, seconds: 600 },
  /** How long a browser is known after the last sign-in. */
  knownBrowserDays: 180,
  /**
   * Wrong codes of a second factor until the account accepts none for a while; counted separately for each known
   * browser.
   */
  wrongCodes: { max: 10, seconds: 900 },
  /** Mails with a reset link to one address within ten minutes; `mailLimits` has the limit per day. */
  resetMails: { max: 3, seconds: 600 },
  /** Requests for reset links from one network, for any accounts. */
  resetsFromNetwork: { max: 20, seconds: 600 },
  /** Reports of found API keys, from all networks together. */
  keyReports: { max: 300, seconds: 60 },
  /** Passwords that are set with the same link of an invitation or reset: each try hashes a password. */
  triesPerLink: { max: 5, seconds: 60 },
  /** Anonymous calls of the app per minute and address, as a multiple of SIGN_IN_RATE_PER_MIN. */
  anonymousCallsPerTry: 10,
  /** The shortest time of a refused sign-in, so that its duration does not reveal whether the account exists. */
  refusalMilliseconds: 300,
  /** A locked account is noted in the audit logs of its teams at most once in this time. */
  lockNotedSeconds: 1 * hours,
} as const;

/** CRM connections; times in seconds. */
export const crmLimits = {
  connectionsPerTeam: 10,
  labelCharacters: 100,
  tokenCharacters: 4_000,
  urlCharacters: 2_048,
  /** The time between the starts of two runs. */
  interval: { default: 15 * minutes, min: 5 * minutes, max: 24 * hours },
  /**
   * A scheduled run is delayed by up to this share of the interval, so that the connections do not all sync at the same
   * time.
   */
  jitter: 0.1,
  /** How often a run reads everything, and deletes the rows that the CRM no longer has. */
  fullEvery: 24 * hours,
  /** A run reads changes since the start of the last complete run minus this time, because clocks differ. */
  overlap: 1 * minutes,
  pages: 10_000,
  /**
   * Limits of a CRM's answer: bytes, values on all levels, and levels. A page of 10 MiB with all members of the feed's
   * deals has 490,000 values; a page of 1,000 deals with 40 members has 41,000.
   */
  page: { bytes: 10 * mebibytes, values: 500_000, depth: 100 },
  /**
   * The same limits when a token is tested. They are lower, since the API process parses this answer. Pipedrive answers
   * with all users of a company at once.
   */
  triedPage: { bytes: 2 * mebibytes, values: 100_000, depth: 100 },
  /** Deals of a connection, and objections, so that no feed fills the disk. */
  rowsOfConnection: 500_000,
  /** The time limit of one request, from the look-up of the host name to the end of the answer. */
  timeout: 30,
  /** Pauses between the tries of a request that got no answer or a 5xx. */
  pausesBetweenTries: [2, 8],
  /**
   * How often one run waits after a 429 or 503. A wait lasts as long as `Retry-After` says, but at most `longest`.
   * Without `Retry-After` it lasts `usual`.
   */
  waits: { max: 5, longest: 60, usual: 10 },
  /** Another worker continues a run whose worker has not renewed its claim for this long. */
  claim: 30,
  /**
   * A run fails after this many workers in a row have lost it (killed, or without the database) before they stored a
   * page.
   */
  deadWorkers: 3,
  /** Runs in the history of a connection. */
  runsKept: 200,
  reasonCharacters: 1_000,
  /** How many runs a worker does at once, and how many of them for one team. */
  runsAtOnce: { all: 16, ofOneTeam: 2 },
  /** How many pages that are larger than `fromBytes` a process parses and stores at once, because they need memory. */
  largePages: { fromBytes: 1 * mebibytes, atOnce: 2 },
} as const;

const connectionsOf = { jobQueue: 11, deliverQueue: 4, deliveries: 6, deliveriesHealth: 1 } as const;

/**
 * The connections that a worker process opens beside `DATABASE_POOL`, at most: one queue for jobs, two for deliveries.
 */
export const workerConnections = {
  ...connectionsOf,
  all:
    connectionsOf.jobQueue + 2 * connectionsOf.deliverQueue + connectionsOf.deliveries + connectionsOf.deliveriesHealth,
} as const;

/** Requests and answers. */
export const httpLimits = {
  /** Lines in the header of a request. */
  headerLines: 100,
  /**
   * How much of a header with preferences is read (`Accept`, `Accept-Language`). Parsing a longer one could take
   * milliseconds.
   */
  preferenceCharacters: 400,
  /** The body of a request at the app's sign-in pages, which anybody may send. */
  entranceBodyBytes: 16 * 1024,
  queryParameters: 100,
  /** The largest answer. A larger one would be a bug. */
  answerBytes: 2 * 1024 * 1024,
} as const;
