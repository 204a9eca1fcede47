// All limits that a customer, a caller or an operator can meet. Most other numbers, such as pauses of the code and how
// much it does at once, stand where they are used.

const mebibytes = 1024 ** 2;
const gibibytes = 1024 ** 3;

/** Limits that the API promises. */
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
   * Members of a smaller group are not compared, and no mean of a part of such a group is shown, because single people
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
  /**
   * Active keys of a team, and keys that it creates or rotates within 24 hours. A key is not deleted as long as its
   * team exists.
   */
  activeKeys: 200,
  newKeysPerDay: 200,
  keyRotationGraceDays: 30,
  /** How many days before its end a key's people get a mail about it: the first mail, and the second. */
  keyExpiryNoticeDays: { first: 14, second: 3 },
  invitationDays: 14,
  assignmentTitleCharacters: 120,
  /** How many members can be given the same assignment in one action of the app. */
  assignmentRecipients: 50,
} as const;

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
  /** Tries to set a password with the same link of an invitation or reset: each try hashes a password. */
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
   * Limits of a CRM's answer: bytes, values on all levels, and levels. A page of 10 MiB whose deals have every field of
   * the feed has 490,000 values; a page of 1,000 deals with 40 fields has 41,000.
   */
  page: { bytes: 10 * mebibytes, values: 500_000, depth: 100 },
  /**
   * The limits of the answer with which a token is tested. They are lower than those of a page, because the API process
   * parses this answer. Pipedrive answers with all users of a company at once.
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

/**
 * How many bytes a team may store, by plan. `stored`: its cases, assignments, trainings, evaluations and the data of its
 * directory, each row with 512 bytes in addition to its content. `answers`: the answers that are kept for
 * `Idempotency-Key`, counted in the same way. Requests that add something are refused once the quota is used up;
 * deleting always works.
 */
export const storageQuotas = {
  basic: { stored: 50 * mebibytes, answers: 50 * mebibytes },
  team: { stored: 1 * gibibytes, answers: 1 * gibibytes },
  enterprise: { stored: 10 * gibibytes, answers: 10 * gibibytes },
} as const;

/**
 * How many bytes of the team's storage private cases may take: those of one person, and those of all people together.
 * They have limits of their own, because nobody else can see or delete them. After the end of a membership they are
 * kept for a while, in case the person joins again.
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

/** How much a team may add to the catalog. There are limits because every read of the catalog reads all of it. */
export const catalogLimits = {
  ownItems: 1_000,
  ownRules: 2_000,
} as const;

/** Trainings and their evaluations. */
export const trainingLimits = {
  /** The size of each text of an evaluation, and of all of them together, written as JSON. */
  evaluationTextCharacters: 2_000,
  evaluationTextsBytes: 64 * 1024,
  /** The size of a training's `external_ref`, written as JSON. */
  trainingRefBytes: 4 * 1024,
} as const;

/** Mails per day (UTC). */
export const mailLimits = {
  /** Invitations and mails about assignments. */
  perTeam: { basic: 200, team: 500, enterprise: 2_000 },
  /** Notices of the service to a team's owner and admins, for instance about failing endpoints. */
  noticesPerTeam: 2_000,
  /** Mails to one recipient from one team. Each kind of mail has a limit of its own. */
  perRecipient: {
    /** Mails to people who may not know the team. */
    invitation: 3,
    assignment: 30,
    /** Enough mails for a warning and a pause of every endpoint that a team can have. */
    notice: 120,
    /** Each link works for a day. Once the limit is reached, the recipient still has a working link. */
    reset: 20,
  },
} as const;

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
  /**
   * How many pings, retries, replays and recoveries people and keys may request in an hour for all endpoints of a team,
   * including deleted ones.
   */
  sentByHandPerTeamPerHour: 1_000,
  /**
   * How many deliveries the recoveries of a team may make within 24 hours from the first recovery, for all endpoints
   * together, including deleted ones.
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

/** Limits of attempts and waiting deliveries, and how much of them is kept. */
export const deliveryLimits = {
  /**
   * How many attempts of a team in a day (UTC) are kept with response headers, excerpt and the whole URL. Later
   * attempts are kept with the beginning of the URL only; the delivery keeps the beginning of its last excerpt.
   */
  attemptsWithDetailsPerDay: 25_000,
  /**
   * Attempts of a team in a day (UTC) that are kept in the history. Deliveries that end with a later attempt are
   * deleted (`outcomes.ts`).
   */
  historyAttemptsPerDay: 250_000,
  shortUrlCharacters: 200,
  shortExcerptCharacters: 100,
  /** An answer that takes this long is slow. */
  slowAfterSeconds: 3,
  /**
   * An endpoint is throttled while it fails, and for this long after a slow answer: it gets a quarter of its own slots,
   * and all throttled endpoints together at most half of a worker's slots.
   */
  slowForSeconds: 60,
  /** Simultaneous attempts of one worker to one host, for all teams. */
  attemptsPerHost: 64,
  /**
   * Waiting deliveries of a team. Beyond this number the oldest are given up and the admins are mailed; the events can
   * be recovered.
   */
  waitingPerTeam: 100_000,
} as const;

/** The feed of a team's events. */
export const feedLimits = {
  /** How long a request may wait for the next event. */
  waitSeconds: 20,
  /**
   * How many requests may wait at once in a process: those of one team, and all. Then the `Retry-After` of a further
   * request.
   */
  waiting: { ofOneTeam: 20, all: 1_000, retryAfterSeconds: 5 },
  /** How many rows a page examines to find events of one type. */
  examined: 5_000,
  /** How many events get their positions in one transaction, which then takes some hundred milliseconds at most. */
  numberedAtOnce: 5_000,
  /** How often a process looks for events of other processes, while at least one request waits for them. */
  lookEveryMs: 250,
} as const;

/** Large reads of one team in a process: how many run at once, how many wait, and how long they wait. */
export const largeReadLimits = {
  fromBytes: 128 * 1024,
  atOnce: 3,
  waiting: 20,
  timeoutMs: 2_000,
  rememberedMs: 60_000,
} as const;

/** Exports of a list, at `GET /exports/…`. */
export const listExportLimits = {
  /**
   * The rows of a page. Larger pages would delay other requests of the process for longer, and PostgreSQL does not plan
   * pages of the usual length anew.
   */
  rowsAtOnce: limits.pageSize.default,
  /**
   * A row may be committed later than its `updated_at` says. So an export begins this long before the start of the last
   * one.
   */
  overlapSeconds: 300,
  /** If its process is killed, an export counts as ended this long after the process last renewed the lease. */
  leaseSeconds: 30,
  /** The `Retry-After` for a second export. */
  retrySeconds: 10,
} as const;

/** Exports of a team's data in the app. */
export const exportLimits = {
  perTeamPerHour: 6,
  /** How many downloads one process serves at once. A team has at most one of them. */
  atOnceInProcess: 2,
  busyRetrySeconds: 30,
  /** How long the link to a download is valid. */
  ticketSeconds: 60,
} as const;

/**
 * A team's audit log keeps its newest entries, and all entries of the last days, whatever their number. An entry keeps
 * only the beginning of a long list or text.
 */
export const auditLimits = {
  entries: 1_000_000,
  days: 30,
  namedInEntry: 20,
  textCharacters: 200,
} as const;

/** Limits of the request log. */
export const requestLogLimits = {
  /** How many refusals of a key with the same answer in a minute get a row each. One more row counts the others. */
  refusalsPerMinute: 10,
  /** How many characters of a text that a caller chooses are kept. */
  pathCharacters: 300,
  queryCharacters: 500,
  agentCharacters: 200,
  detailCharacters: 300,
  /** How many flaws of an invalid request are kept. */
  flaws: 10,
} as const;

/** Hashing of passwords in one process. */
export const hashingLimits = {
  /** Hashes that may wait, of strangers and of known callers. */
  waiting: 64,
  /**
   * How long a caller waits for one hash. If both groups have 64 waiting hashes, the last one waits some 4 seconds on
   * an idle core.
   */
  timeoutMs: 30_000,
  /** The `Retry-After` of a refused caller. */
  retryAfterSeconds: 2,
} as const;

/** Signing in with the company account. */
export const companyLimits = {
  domains: 20,
  /** How long a request to a provider may take. */
  timeoutMs: 5_000,
  /** The size of a provider's answer. */
  answerBytes: 512 * 1024,
  /** The nested levels of an answer. */
  answerDepth: 20,
  /** The length of each address in a provider's discovery document. */
  urlCharacters: 2_048,
  /** How long a person may take at the provider. */
  flowSeconds: 600,
  /** How much a provider’s clock may differ from ours. */
  clockSeconds: 10,
  /**
   * A session that began with the company account ends after a day, because the provider does not report when an
   * account is closed.
   */
  sessionHours: 24,
  /** How far ahead a demand may be planned. */
  plannedDays: 90,
} as const;

/** In a directory's requests: characters of a text, values of an attribute, and members in a new group. */
export const scimLimits = { textCharacters: 1_000, values: 20, members: 1_000 } as const;

/** A filter of a directory. */
export const filterLimits = { characters: 2_000, depth: 10 } as const;

/** A PATCH of a directory. */
export const patchLimits = { operations: 100, pathCharacters: 500 } as const;

/** Assistants that people connect (OAuth). */
export const assistantLimits = {
  /**
   * How long a code may be exchanged, how long an access token is valid, and after how many days without use a
   * connection ends.
   */
  codeSeconds: 120,
  accessMinutes: 60,
  refreshDays: 30,
  /** How long after a refresh the same refresh token gets the same answer again: the first answer may be lost. */
  retrySeconds: 30,
  /**
   * Requests of one network below `/oauth` (registrations, tokens and their revocations), per minute, in a process.
   */
  requestsPerNetworkPerMinute: 60,
} as const;

/** An assistant that registers itself. */
export const clientLimits = { redirectUris: 10, redirectUriCharacters: 500, nameCharacters: 80 } as const;

/** The document of an assistant. */
export const documentLimits = {
  bytes: 5_000,
  urlCharacters: 500,
  timeoutMs: 5_000,
  /** How long a document is cached at least and at most, whatever its headers say. */
  cacheSeconds: { min: 60, max: 86_400 },
  /** Documents that are fetched for one person. */
  fetchesPerPerson: { max: 30, seconds: 60 },
} as const;

/** Maintenance: how often a process checks whether it is on, and the `Retry-After` unless the operator sets one. */
export const maintenanceLimits = { pollMs: 400, retryAfterSeconds: 30 } as const;
