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
  /** A body from this size is read in turn with those of other teams. */
  largeBodyBytes: 32 * 1024,
  /** Lines of a request's header. */
  headerLines: 100,
  /** Of a header that names what the client prefers; what is behind is ignored, or parsing it could cost milliseconds. */
  preferenceCharacters: 400,
  /** Of a request at the app's entrance, which anybody may send. */
  entranceBodyBytes: 16 * 1024,
  bodyDepth: 32,
  /** Values in a body, however they nest, and keys in all its objects: more than two free-form values of 64 KiB can have. */
  bodyValues: 70_000,
  bodyKeys: 22_000,
  /** Values inside of a body's fields that are not free-form, such as elements of lists. */
  nestedValues: 5_000,
  /** Keys that the body itself has. */
  ownKeys: 1_000,
  /** Elements of a list that a body has under one of its keys. */
  listElements: 1_000,
  queryParameters: 100,
  /** Where a page of a list ends, however many rows were asked for; the first row is always on it. */
  pageBytes: 1024 * 1024,
  /** No answer is larger. One that would be is a bug of ours. */
  answerBytes: 2 * 1024 * 1024,
  /** Of each free-form value, as it is stored. */
  freeFormBytes: 64 * 1024,
  noteCharacters: 20_000,
  /** Of a case, its persona, and what else is a title or a name of somebody's own. */
  titleCharacters: 200,
  /** Of each text of an evaluation, and of all of them together, written as JSON. */
  evaluationTextCharacters: 2_000,
  evaluationTextsBytes: 64 * 1024,
  /** Addresses and networks of one key. */
  keyAddresses: 100,
  /** Reads of one team that are large and at work at once in a process, and how many wait so many milliseconds for a place. */
  largeReads: { fromBytes: 128 * 1024, atOnce: 3, waiting: 20, patienceMs: 2_000, rememberedMs: 60_000 },
  /**
   * A call of the app with a large answer keeps its turn for a millisecond for each so many bytes: all that a team's people read with
   * the turns that they have together (`callsAtOnce.ofOneTeam`) leaves most of the process's time to other teams.
   */
  appBytesPerTurnAndMs: 1024,
  keyNameCharacters: 100,
  /** Keys of a team that are active at once, and that it makes or rotates within 24 hours: none is ever deleted. */
  activeKeys: 200,
  newKeysPerDay: 200,
  keyRotationGraceDays: 30,
  /** Days before a key expires at which its people are mailed. */
  keyExpiryNoticeDays: { first: 14, second: 3 },
  invitationDays: 14,
  assignmentTitleCharacters: 120,
  /** Sessions that a person can start within 24 hours: none is ever deleted. */
  trainingsPerPersonPerDay: 500,
  /** Of a session's `external_ref`, written as JSON. */
  trainingRefBytes: 4 * 1024,
  /** Who can be given the same at once, by hand. */
  assignmentRecipients: 50,
} as const;

const mebibytes = 1024 ** 2;
const gibibytes = 1024 ** 3;

/**
 * How many bytes a team may store, by its plan. `stored`: its cases, assignments, trainings and evaluations, each with 512 bytes beside what it holds. `answers`:
 * the answers kept for `Idempotency-Key`, counted alike. A request that would go beyond is refused; deleting always works.
 */
export const storageQuotas = {
  basic: { stored: 50 * mebibytes, answers: 50 * mebibytes },
  team: { stored: 1 * gibibytes, answers: 1 * gibibytes },
  enterprise: { stored: 10 * gibibytes, answers: 10 * gibibytes },
} as const;

/**
 * How many bytes of its team's storage one person's private cases may take, and all private cases of the team together: nobody else
 * can see or delete them. After the end of a membership they are kept for so many days, in case the person joins again.
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
 * What a team's audit log keeps: its newest entries, and everything of the last days however much that is. An entry keeps the first
 * values of a list, the first characters of a text, and so many bytes of all it says.
 */
export const auditLimits = {
  entries: 1_000_000,
  days: 30,
  namedInEntry: 20,
  textCharacters: 200,
  entryBytes: 4 * 1024,
} as const;

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
  /** The same for all endpoints of a team together, the deleted ones included. */
  sentByHandPerTeamPerHour: 1_000,
  /** Deliveries that recoveries make for all endpoints of a team, the deleted ones included, within 24 hours from the first. */
  recoveredPerTeamPerDay: 20_000,
  /** Of a response's headers, names and values, that are kept with an attempt. */
  responseHeaderBytes: 2 * 1024,
  /**
   * Bytes that the attempts of a day (UTC) may add to a team's history. Beyond `details`, attempts are kept without response headers and
   * excerpt, and with the beginning of their URL; beyond `excerpts`, only the beginning of the last excerpt is kept with the delivery.
   */
  historyBytesPerDay: { details: 32 * mebibytes, excerpts: 64 * mebibytes },
  /** Attempts of a team in a day (UTC) that leave a history. Deliveries that end by one beyond are deleted, not kept (`history-budget.ts`). */
  historyAttemptsPerDay: 250_000,
  shortUrlCharacters: 200,
  shortExcerptCharacters: 100,
  urlCharacters: 2_048,
  descriptionCharacters: 500,
  /** Events that one recovery sends again; whoever missed more asks again. */
  recoveredAtOnce: 10_000,
  /**
   * An endpoint that fails, or whose last slow answer is no longer ago than this, is throttled: it gets a quarter of its places, and all
   * throttled ones together at most half of a worker's.
   */
  slowAfterSeconds: 3,
  slowForSeconds: 60,
  /** Attempts at once that one worker makes to one host, for all teams. */
  attemptsPerHost: 64,
  /** Deliveries of a team that wait. Beyond it the oldest are given up, its admins are mailed, and the events can be recovered. */
  waitingPerTeam: 100_000,
  /** Days that an endpoint's counts reach back, and how many are shown unless asked. */
  countedDays: { default: 30, most: 90 },
};

/** Exports of a team's data in the app. */
export const exportLimits = {
  perTeamPerHour: 6,
  /** Downloads that one process serves at once, of which one team has one. */
  atOnceInProcess: 2,
  busyRetrySeconds: 30,
  /** How long the link to a download is good. */
  ticketSeconds: 60,
} as const;

/** How much the log of requests keeps of a flood. */
export const requestLogLimits = {
  /** Refusals at the gate, of a key with the same answer in a minute, that get a row each; one more row counts the rest. */
  refusalsPerMinute: 10,
} as const;

/**
 * Mails that are sent in a day (UTC). A recipient's numbers hold for one team and for all teams together: one team alone can't
 * use up what others may send to the same person, and several can't keep another team from its first mails of the day: these pass
 * up to a larger number of all teams. Each kind of mail has its own, so that none uses up another's.
 */
export const mailLimits = {
  /** Invitations and mails about assignments. */
  perTeam: { basic: 200, team: 500, enterprise: 2_000 },
  /** Mails of the service to a team's owner and admins: about hand-overs and silent endpoints. */
  noticesPerTeam: 2_000,
  perRecipient: {
    /** To people who may never have heard of the team. */
    invitation: { ofOneTeam: 3, ofAllTeams: 10, first: { ofOneTeam: 1, ofAllTeams: 50 } },
    assignment: { ofOneTeam: 30, ofAllTeams: 100, first: { ofOneTeam: 10, ofAllTeams: 500 } },
    /** Enough for a warning and a pause of every endpoint that a team can have. */
    notice: { ofOneTeam: 120, ofAllTeams: 360, first: { ofOneTeam: 40, ofAllTeams: 1_800 } },
    /** Each link works for a day: when they are used up, a link that still works is in the mailbox. */
    reset: { ofAllTeams: 20 },
  },
} as const;

/** What is promised about signing in to the app. */
export const signInLimits = {
  /** Calls of one person a minute, in all their browsers and teams. */
  callsPerPersonPerMinute: 600,
  /**
   * Calls of one person, and of one team's people, that a process works on at once; how many more of one person wait, and for how long
   * before they are refused.
   */
  callsAtOnce: { ofOnePerson: 6, ofOneTeam: 12, waitingOfOnePerson: 60, patienceMs: 30_000 },
  /** Changes that all people of one team make in the app in a minute: like requests with keys, each may raise events and is audited. */
  changesPerTeamPerMinute: 600,
  /** A session that nobody uses ends after so many days. */
  sessionDays: 30,
  /** Sessions of one person. One more ends the oldest. */
  sessionsPerPerson: 100,
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
  /** Mails with a reset link to one address within ten minutes; `mailLimits` bounds those of a day. */
  resetMails: { most: 3, seconds: 600 },
  /** Reset links asked for from one network, for whatever accounts. */
  resetsFromNetwork: { most: 20, seconds: 600 },
  /** Passwords that are set with the same link, of an invitation or a reset: each try hashes one. */
  triesPerLink: { most: 5, seconds: 60 },
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
  /** How long a caller waits for one hash before it is refused. With all places taken the last one waits some 6 seconds on an idle core. */
  patienceMs: 30_000,
  /** What a caller who is refused is told to wait. */
  retryAfterSeconds: 2,
  /**
   * Changes that hash a password, of one person in all their browsers, that a process takes in the lane of known callers within a
   * minute. Beyond it they wait and count like those of strangers in the same network.
   */
  ofKnownPersonPerMinute: 10,
} as const;

/** Maintenance: how often a process looks whether it is on, and what clients are told to wait unless the operator says otherwise. */
export const maintenanceLimits = { pollMs: 400, retryAfterSeconds: 30 } as const;

/** What is promised about CRM connections; times in seconds. */
export const crmLimits = {
  connectionsPerTeam: 10,
  labelCharacters: 100,
  tokenCharacters: 4_000,
  /** Between the starts of two runs. */
  interval: { default: 15 * minutes, least: 5 * minutes, most: 24 * hours },
  /** A scheduled run comes later by up to this share of the interval, so that the connections of all teams don't sync together. */
  jitter: 0.1,
  /** How often a run asks for everything and deletes what the CRM no longer has. */
  fullEvery: 24 * hours,
  /** A run asks for what changed since the last complete run's start less this much: clocks differ. */
  overlap: 1 * minutes,
  pages: 10_000,
  /**
   * Of an answer of a CRM: bytes, values however they nest, and levels of objects and lists. A page of 10 MiB with every member of the feed's
   * deals has 490,000 values; one of 1,000 deals with 40 members has 41,000.
   */
  page: { bytes: 10 * mebibytes, values: 500_000, depth: 100 },
  /** For the answer when a token is tested: the API process parses it. Pipedrive answers with all users of a company at once. */
  triedPage: { bytes: 2 * mebibytes, values: 100_000, depth: 100 },
  /** Deals of a connection, and objections: else a feed could fill the disk for all. They are counted every so many pages and at the end of a run. */
  rows: { most: 500_000, countedEvery: 16 },
  /** Of one request, over the whole exchange. */
  timeout: 30,
  /** Tries of a request that got no answer, or one of 5xx, and the pauses between them. */
  pausesBetweenTries: [2, 8],
  /** Waits on 429 and 503 of one run; each lasts as long as `Retry-After` says, up to `longest`, or `usual` without it. */
  waits: { most: 5, longest: 60, usual: 10 },
  /** Another worker takes up a run whose worker has not shown itself for this long. */
  claim: 30,
  /** A run that so many workers died with, one after the other and without a further page, has failed. */
  deadWorkers: 3,
  /** The position of a run whose pages are empty is stored this often. */
  storeEmptyEvery: 10,
  /** Runs of a connection that its history keeps. */
  runsKept: 200,
  reasonCharacters: 1_000,
  /** Runs at once in a worker, and of one team. */
  runsAtOnce: { all: 16, ofOneTeam: 2 },
  /** Pages that are larger than `fromBytes` and are parsed and stored at once in a process: they take memory. */
  largePages: { fromBytes: 1 * mebibytes, atOnce: 2 },
} as const;

const connectionsOf = { jobQueue: 11, laneQueue: 5, deliveries: 5 } as const;

/** Connections of a worker process beside `DATABASE_POOL`, at most: jobs and CRM syncs have a queue each, lanes have two. */
export const workerConnections = {
  ...connectionsOf,
  all: 2 * connectionsOf.jobQueue + 2 * connectionsOf.laneQueue + connectionsOf.deliveries,
} as const;
