/** All limits that the API promises. */
export const limits = {
  requestsPerKeyPerMinute: 120,
  requestsPerTeamPerMinute: 600,
  invitationsPerHour: 60,
  /** Addresses that one request can look up among the members. */
  addressesLookedUp: 100,
  pageSize: { least: 1, default: 50, most: 200 },
  /** Things that one call of the app changes or sends. */
  bulkItems: 200,
  idempotencyKeyCharacters: 100,
  idempotencyHours: 24,
  /** A larger answer is compressed when it is kept for its `Idempotency-Key`. */
  idempotencyPlainBytes: 16 * 1024,
  emailCharacters: 254,
  /** The name of a person or a team. */
  nameCharacters: 120,
  passwordCharacters: { least: 10, most: 200 },
  bodyBytes: 256 * 1024,
  /** Lines in the header of a request. */
  headerLines: 100,
  /** How much of a header with preferences is read (`Accept`, `Accept-Language`). Parsing a longer one could take milliseconds. */
  preferenceCharacters: 400,
  /** The body of a request at the app's sign-in pages, which anybody may send. */
  entranceBodyBytes: 16 * 1024,
  bodyDepth: 32,
  /** Values on all levels of a body, and keys in all its objects: more than two free-form values of 64 KiB can have. */
  bodyValues: 70_000,
  bodyKeys: 22_000,
  /** Values inside a body's fields that are not free-form, such as elements of lists. */
  nestedValues: 5_000,
  /** Keys on the first level of a body. */
  ownKeys: 1_000,
  /** Elements of a list on the second level of a body. */
  listElements: 1_000,
  queryParameters: 100,
  /** A page of a list ends at this size, whatever its `limit`; it always has the first row. */
  pageBytes: 1024 * 1024,
  /** The largest answer. A larger one would be a bug. */
  answerBytes: 2 * 1024 * 1024,
  /** The stored size of a free-form value. */
  freeFormBytes: 64 * 1024,
  noteCharacters: 20_000,
  /** The title of a case, its persona, and similar texts. */
  titleCharacters: 200,
  /** Each text of an evaluation, and all of them together, written as JSON. */
  evaluationTextCharacters: 2_000,
  evaluationTextsBytes: 64 * 1024,
  /** The allowed addresses and networks of one key. */
  keyAddresses: 100,
  /** Large reads of one team in a process: how many run at once, how many wait, and for how long. */
  largeReads: { fromBytes: 128 * 1024, atOnce: 3, waiting: 20, patienceMs: 2_000, rememberedMs: 60_000 },
  /**
   * A call of the app with a large answer keeps its place for a millisecond per this many bytes. So the places that all people of a team
   * have together (`callsAtOnce.ofOneTeam`) leave most of the process's time to other teams.
   */
  appBytesPerTurnAndMs: 1024,
  keyNameCharacters: 100,
  /** Active keys of a team, and keys that it creates or rotates within 24 hours: keys are never deleted. */
  activeKeys: 200,
  newKeysPerDay: 200,
  keyRotationGraceDays: 30,
  /** How many days before a key expires its people are mailed. */
  keyExpiryNoticeDays: { first: 14, second: 3 },
  invitationDays: 14,
  assignmentTitleCharacters: 120,
  /** Trainings that a person can start within 24 hours: they are never deleted. */
  trainingsPerPersonPerDay: 500,
  /** The `external_ref` of a training, written as JSON. */
  trainingRefBytes: 4 * 1024,
  /** How many members can be given the same assignment in one action of the app. */
  assignmentRecipients: 50,
} as const;

const mebibytes = 1024 ** 2;
const gibibytes = 1024 ** 3;

/** The bytes that a stored row counts for besides its content: its columns of fixed size, its index entries and its line in the audit log. */
export const storedRowBytes = 512;

/**
 * How many bytes a team may store, by plan. `stored`: its cases, assignments, trainings and evaluations, each with 512 bytes in addition
 * to its content. `answers`: the answers that are kept for `Idempotency-Key`, counted in the same way. Requests that add something are
 * refused once the quota is used up; deleting always works.
 */
export const storageQuotas = {
  basic: { stored: 50 * mebibytes, answers: 50 * mebibytes },
  team: { stored: 1 * gibibytes, answers: 1 * gibibytes },
  enterprise: { stored: 10 * gibibytes, answers: 10 * gibibytes },
} as const;

/**
 * How many bytes of the team's storage the private cases of one person, and of all people together, may take: others can't see or delete
 * them. After the end of a membership they are kept for a while, in case the person joins again.
 */
export const privateCaseLimits = {
  ofOnePerson: { basic: 5 * mebibytes, team: 50 * mebibytes, enterprise: 200 * mebibytes },
  ofAllTogether: {
    basic: storageQuotas.basic.stored / 2,
    team: storageQuotas.team.stored / 2,
    enterprise: storageQuotas.enterprise.stored / 2,
  },
  daysAfterMembership: 30,
} as const;

/**
 * A team's audit log keeps its newest entries, and all entries of the last days, whatever their number. An entry is shortened: the first
 * values of a list, the first characters of a text, and a limited total size.
 */
export const auditLimits = {
  entries: 1_000_000,
  days: 30,
  namedInEntry: 20,
  textCharacters: 200,
  entryBytes: 4 * 1024,
} as const;

/** How much a team may add to the catalog: every read of the catalog reads all of it. */
export const catalogLimits = {
  ownItemsPerDimension: 500,
  ownItems: 1_000,
  ownRulesPerSituation: 500,
  ownRules: 2_000,
  /** Rules in one answer, global ones and the team's. */
  rulesInAnswer: 7_000,
} as const;

const minutes = 60;
const hours = 60 * minutes;

/** The delivery of events; times in seconds. */
export const webhookLimits = {
  retrySeconds: [1 * minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours, 12 * hours, 24 * hours],
  pauseAfterSeconds: 72 * hours,
  /**
   * An endpoint that has failed for this long has also failed at its first two retries. A shorter failure is no alarm: receivers are
   * restarted, and the retry gets through.
   */
  alarmAfterSeconds: 10 * minutes,
  timeoutSeconds: 10,
  /** The largest body of an event. */
  bodyBytes: 16 * 1024,
  /** Checks of receivers that a team may start in an hour that starts with the first. */
  checksPerTeamPerHour: 6,
  /** A check that is not complete after this time has failed. */
  checkMinutes: 5,
  /** Receivers refuse signatures that are older. */
  signatureAgeSeconds: 300,
  excerptCharacters: 1_000,
  endpointsPerTeam: 50,
  /** Pings, retries, replays and recoveries of one endpoint that people and keys request, in an hour that starts with the first. */
  sentByHandPerHour: 100,
  /** The same for all endpoints of a team together, including deleted ones. */
  sentByHandPerTeamPerHour: 1_000,
  /** Deliveries that recoveries make for all endpoints of a team, including deleted ones, within 24 hours from the first. */
  recoveredPerTeamPerDay: 20_000,
  /** How much of a response's headers (names and values) is kept with an attempt. */
  responseHeaderBytes: 2 * 1024,
  /**
   * Attempts of a team in a day (UTC) that are kept with response headers, excerpt and the whole URL. With later ones only the beginning of
   * the URL is kept, and the beginning of the last excerpt with the delivery.
   */
  attemptsWithDetailsPerDay: 25_000,
  /**
   * Attempts of a team in a day (UTC) that are kept in the history. Deliveries that end with a later attempt are deleted
   * (`outcomes.ts`).
   */
  historyAttemptsPerDay: 250_000,
  shortUrlCharacters: 200,
  shortExcerptCharacters: 100,
  urlCharacters: 2_048,
  descriptionCharacters: 500,
  /** Events that one recovery sends again. To recover more, the caller repeats the request. */
  recoveredAtOnce: 10_000,
  /**
   * An endpoint is throttled while it fails, and for this long after a slow answer: it gets a quarter of its places, and all throttled
   * endpoints together at most half of a worker's places.
   */
  slowAfterSeconds: 3,
  slowForSeconds: 60,
  /** Simultaneous attempts of one worker to one host, for all teams. */
  attemptsPerHost: 64,
  /** Waiting deliveries of a team. Beyond this number the oldest are given up and the admins are mailed; the events can be recovered. */
  waitingPerTeam: 100_000,
  /** For how many days an endpoint's counts are kept, and how many days are shown by default. */
  countedDays: { default: 30, most: 90 },
};

/** The feed of a team's events. */
export const feedLimits = {
  /** How long a request may wait for the next event. */
  waitSeconds: 20,
  /** Requests that wait at once in a process, and of these those of one team; and the `Retry-After` of one more. */
  waiting: { ofOneTeam: 20, all: 1_000, retryAfterSeconds: 5 },
  /** Rows that a page examines to find events of one type. */
  examined: 5_000,
  /** Events that get their positions in one transaction, of some hundred milliseconds at most. */
  numberedAtOnce: 5_000,
  /** How often a process looks for events of other processes, while somebody waits for them. */
  lookEveryMs: 250,
} as const;

/** Assistants that people connect (OAuth). */
export const assistantLimits = {
  /** How long a code may be exchanged, how long an access token is valid, and after how many days without use a connection ends. */
  codeSeconds: 120,
  accessMinutes: 60,
  refreshDays: 30,
  /** So soon after a refresh, the former token is refused without ending the connection: two requests may have crossed. */
  retrySeconds: 30,
  /** Connections of one person. A further one ends the oldest. */
  perPerson: 20,
  /** Requests to register or for tokens of one network, in a minute and process. */
  requestsPerNetworkPerMinute: 60,
} as const;

/** Exports of a team's data in the app. */
export const exportLimits = {
  perTeamPerHour: 6,
  /** Simultaneous downloads of one process, and of these at most one for a team. */
  atOnceInProcess: 2,
  busyRetrySeconds: 30,
  /** How long the link to a download is valid. */
  ticketSeconds: 60,
} as const;

/** How many refused requests of a flood the request log keeps. */
export const requestLogLimits = {
  /** Refusals of a key with the same answer in a minute that get a row each. One more row counts the others. */
  refusalsPerMinute: 10,
  /** Characters of texts that callers choose. */
  pathCharacters: 300,
  queryCharacters: 500,
  agentCharacters: 200,
  detailCharacters: 300,
  /** How many flaws of an invalid request are kept. */
  flaws: 10,
} as const;

/**
 * Mails per day (UTC). The limits of a recipient exist for one team and for all teams together. So one team can't use up what others may
 * send to the same person. The first mails of each team have a larger common limit (`first`), so that several teams can't keep another
 * team from its first mails of the day. Each kind of mail has separate limits.
 */
export const mailLimits = {
  /** Invitations and mails about assignments. */
  perTeam: { basic: 200, team: 500, enterprise: 2_000 },
  /** Notices of the service to a team's owner and admins, about ownership transfers and failing endpoints. */
  noticesPerTeam: 2_000,
  perRecipient: {
    /** Mails to people who may not know the team. */
    invitation: { ofOneTeam: 3, ofAllTeams: 10, first: { ofOneTeam: 1, ofAllTeams: 50 } },
    assignment: { ofOneTeam: 30, ofAllTeams: 100, first: { ofOneTeam: 10, ofAllTeams: 500 } },
    /** Enough for a warning and a pause of every endpoint that a team can have. */
    notice: { ofOneTeam: 120, ofAllTeams: 360, first: { ofOneTeam: 40, ofAllTeams: 1_800 } },
    /** Each link works for a day. Once the limit is reached, the recipient still has a working link. */
    reset: { ofAllTeams: 20 },
  },
} as const;

/** Signing in to the app. */
export const signInLimits = {
  passkeysPerPerson: 20,
  passkeyNameCharacters: 60,
  /** How long a browser may take to answer the challenge for a passkey. */
  passkeyChallengeSeconds: 600,
  /** For how long a password or passkey that was just shown allows what needs a fresh proof. */
  freshProofMinutes: 10,
  /** Calls of one session per minute, in a process. */
  callsPerSessionPerMinute: 600,
  /**
   * Calls of one session, and of all people of one team, that a process handles at once; how many calls of a session wait, and for how
   * long.
   */
  callsAtOnce: { ofOneSession: 6, ofOneTeam: 12, waitingOfOneSession: 60, patienceMs: 30_000 },
  /** Changes of all people of one team in the app per minute: like requests with keys, they may raise events and are audited. */
  changesPerTeamPerMinute: 600,
  /** An unused session ends after this many days. */
  sessionDays: 30,
  /** Sessions of one person. A further sign-in ends the oldest session. */
  sessionsPerPerson: 100,
  /** How long a browser may sign in without the second factor. */
  trustedDeviceDays: 30,
  /**
   * Tries for one account within ten minutes, from one place and in total. The total is higher, so that strangers can't lock out the
   * account's owner.
   */
  triesPerAccountFromOnePlace: { most: 20, seconds: 600 },
  triesPerAccount: { most: 200, seconds: 600 },
  /** Tries in a browser in which this person has signed in before. Tries of strangers do not count here. */
  triesFromKnownBrowser: { most: 20, seconds: 600 },
  /** How long a browser is known after the last sign-in, and how many browsers of a person are known. */
  knownBrowserDays: 180,
  knownBrowsers: 10,
  /** Wrong codes of a second factor until the account accepts none for a while; counted separately for each known browser. */
  wrongCodes: { most: 10, seconds: 900 },
  /** Mails with a reset link to one address within ten minutes; `mailLimits` has the limit per day. */
  resetMails: { most: 3, seconds: 600 },
  /** Requests for reset links from one network, for any accounts. */
  resetsFromNetwork: { most: 20, seconds: 600 },
  /** Passwords that are set with the same link of an invitation or reset: each try hashes a password. */
  triesPerLink: { most: 5, seconds: 60 },
  /** Anonymous calls of the app per minute and address, as a multiple of SIGN_IN_RATE_PER_MIN. */
  anonymousCallsPerTry: 10,
  /** The shortest time of a refused sign-in, so that its duration does not reveal whether the account exists. */
  refusalMilliseconds: 300,
  /** A locked account is noted in the audit logs of its teams at most once in this time. */
  lockNotedSeconds: 1 * hours,
} as const;

/** Hashing of passwords in one process. */
export const hashingLimits = {
  /** Hashes that may wait, of strangers and of known callers. */
  waiting: 64,
  /** How long a caller waits for one hash. The last one of both groups waits about 4 seconds on an idle core. */
  patienceMs: 30_000,
  /** The `Retry-After` of a refused caller. */
  retryAfterSeconds: 2,
} as const;

/** Maintenance: how often a process checks whether it is on, and the `Retry-After` unless the operator sets one. */
export const maintenanceLimits = { pollMs: 400, retryAfterSeconds: 30 } as const;

/** CRM connections; times in seconds. */
export const crmLimits = {
  connectionsPerTeam: 10,
  labelCharacters: 100,
  tokenCharacters: 4_000,
  /** The time between the starts of two runs. */
  interval: { default: 15 * minutes, least: 5 * minutes, most: 24 * hours },
  /** A scheduled run is delayed by up to this share of the interval, so that not all connections sync at the same time. */
  jitter: 0.1,
  /** How often a run reads everything and deletes what the CRM no longer has. */
  fullEvery: 24 * hours,
  /** A run reads changes since the start of the last complete run minus this time, because clocks differ. */
  overlap: 1 * minutes,
  pages: 10_000,
  /**
   * Limits of a CRM's answer: bytes, values on all levels, and levels. A page of 10 MiB with all members of the feed's deals has 490,000
   * values; a page of 1,000 deals with 40 members has 41,000.
   */
  page: { bytes: 10 * mebibytes, values: 500_000, depth: 100 },
  /** The same when a token is tested, since the API process parses this answer. Pipedrive answers with all users of a company at once. */
  triedPage: { bytes: 2 * mebibytes, values: 100_000, depth: 100 },
  /** Deals of a connection, and objections, so that no feed fills the disk. */
  rowsOfConnection: 500_000,
  /** The time limit of one request, from the look-up of the host name to the end of the answer. */
  timeout: 30,
  /** Pauses between the tries of a request that got no answer or a 5xx. */
  pausesBetweenTries: [2, 8],
  /** How often one run waits after a 429 or 503. A wait lasts as long as `Retry-After` says, up to `longest`, or `usual` without it. */
  waits: { most: 5, longest: 60, usual: 10 },
  /** Another worker continues a run whose worker has not renewed its claim for this long. */
  claim: 30,
  /** A run fails after this many workers in a row have lost it (killed, or without the database) before they stored a page. */
  deadWorkers: 3,
  /** Runs in the history of a connection. */
  runsKept: 200,
  reasonCharacters: 1_000,
  /** Simultaneous runs in a worker, and of these of one team. */
  runsAtOnce: { all: 16, ofOneTeam: 2 },
  /** How many pages larger than `fromBytes` a process parses and stores at once: they need memory. */
  largePages: { fromBytes: 1 * mebibytes, atOnce: 2 },
} as const;

const connectionsOf = { jobQueue: 11, deliverQueue: 4, deliveries: 6 } as const;

/** Connections of a worker process beside `DATABASE_POOL`, at most: jobs have a queue, deliveries have two. */
export const workerConnections = {
  ...connectionsOf,
  all: connectionsOf.jobQueue + 2 * connectionsOf.deliverQueue + connectionsOf.deliveries,
} as const;
