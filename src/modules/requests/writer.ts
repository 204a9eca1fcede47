import { secondsToMs, type Clock } from '../../core/clock.ts';
import { makeId } from '../../core/ids.ts';
import type { Logger } from '../../core/log.ts';
import { percentDecoded } from '../../core/percent.ts';
import { redactedMark } from '../../core/redacted.ts';
import type { Database } from '../../db/database.ts';
import type { ItemsOfGroup } from '../../db/parts.ts';
import { beyondTeams } from '../../db/row-security.ts';
import { isUnavailable, isUnreachable } from '../../db/unavailable.ts';
import { makeNoteUses } from '../keys/service.ts';
import { saveRequests } from './store.ts';
import type { Flaw, ProblemMembers } from '../../core/problem.ts';
import { requestLogLimits } from '../../core/limits.ts';

const { pathCharacters, queryCharacters, agentCharacters, detailCharacters, flaws: flawsKept } = requestLogLimits;

/** An answered request with a valid key. */
export interface AnsweredRequest extends Partial<RequestDetails> {
  readonly tenantId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  readonly ms: number;
  /**
   * The gate refused the request: a budget was spent, or the team can't use the API. No budget limits the number of
   * such requests.
   */
  readonly refusedAtGate?: boolean;
}

/**
 * Remembers answered requests and writes them in batches, with the sums of each key and day and the keys' last uses, so
 * that no request waits for it. While the database can't be reached, a limited number is kept and the others are
 * dropped. Entries that can't be written at the end are lost.
 *
 * A flood does not fill the memory: of the requests that the gate refuses, each key gets, for each answer, a few rows a
 * minute and one more that counts the others. The budgets limit all other requests.
 */
export interface RequestLog {
  note(request: AnsweredRequest): void;
  /** Writes all entries up to now, except that a row that counts refusals is written when its minute is over. */
  write(): Promise<void>;
  /** Writes all entries for the last time, and logs how many are lost. */
  end(): Promise<void>;
}

/**
 * How many rows one statement writes. The number is small, so that the statement takes only a few milliseconds: in this
 * time, PostgreSQL's CPU core serves no other statement.
 */
const rowsAtOnce = 100;

/** A row before it is written. */
interface LogEntry extends AnsweredRequest {
  readonly id: string;
  readonly at: Date;
  readonly count: number;
}

/**
 * `later`: another transaction was in the way, or the statement took too long. `away`: nothing can be written in this
 * part of the database now.
 */
type WriteOutcome = 'settled' | 'later' | 'away';

/**
 * The entries of a group that were not written, as `left`, and why. `settled`: they were too few for a batch; all other
 * entries were written, or refused for good.
 */
interface WriteResult {
  readonly left: readonly LogEntry[];
  readonly outcome: WriteOutcome;
}

const parseJson = (json: string | undefined): unknown => JSON.parse(json ?? 'null');

const rowOf = ({ ms, at, problem, refusedAtGate: _refused, ...entry }: LogEntry) => ({
  ...entry,
  durationMs: Math.round(ms),
  createdAt: at,
  problem: parseJson(problem),
});

interface RequestLogParts {
  database: Database;
  clock: Clock;
  log: Logger;
  /** How many entries are kept while the database can't be reached. */
  maxWaiting?: number;
}

export const makeRequestLog = ({ database, clock, log, maxWaiting = 50_000 }: RequestLogParts): RequestLog => {
  /** Entries stay here until they are written. */
  const waiting: LogEntry[] = [];
  const refusals = new RefusalCounter();
  const noteUses = makeNoteUses(database);
  let dropped = 0;
  let isAway = false;
  let writing: Promise<void> | undefined;
  /** The write that begins after the running one. */
  let next: Promise<void> | undefined;

  /** With this number of entries, at least one group of teams has a full batch. */
  const enough = () => rowsAtOnce * database.parts.groups();

  const noteSuccess = (): void => {
    if (isAway || dropped > 0) log.info({ dropped }, 'the request log is written again');
    isAway = false;
    dropped = 0;
  };

  const noteFailure = (error: unknown): void => {
    if (!isAway) log.warn({ err: error }, 'the request log could not be written; entries wait in memory');
    isAway = true;
  };

  const save = async (entries: readonly LogEntry[]): Promise<WriteOutcome> => {
    try {
      await saveRequests(database, entries.map(rowOf));
    } catch (error) {
      if (isUnavailable(error)) {
        noteFailure(error);
        return isUnreachable(error) ? 'away' : 'later';
      }
      const lost = entries.reduce((sum, { count }) => sum + count, 0);
      log.error({ err: error, dropped: lost }, 'entries of the request log were refused and are dropped');
      return 'settled';
    }
    const used = entries.filter(({ refusedAtGate }) => !refusedAtGate);
    await noteUses(used).catch((err: unknown) => log.warn({ err }, 'the last uses of keys could not be written'));
    return 'settled';
  };

  const addWaiting = (entry: LogEntry): void => {
    if (waiting.length < maxWaiting) waiting.push(entry);
    else dropped += entry.count;
  };

  const addCountedRefusals = (before: number): void => {
    for (const entry of refusals.takeBefore(before)) addWaiting(entry);
  };

  /** Writes entries of one group of teams, in batches of at least this size. */
  const writeHere = async (entries: readonly LogEntry[], atLeast: number): Promise<WriteResult> => {
    for (let at = 0; ; at += rowsAtOnce) {
      const left = entries.slice(at);
      if (left.length < atLeast) return { left, outcome: 'settled' };
      const outcome = await save(left.slice(0, rowsAtOnce));
      if (outcome !== 'settled') return { left, outcome };
    }
  };

  /**
   * Writes the entries of one part of the database, one group after the other: each connection plans the statement anew
   * for each group, and groups written at the same time would use as many connections. Once the part can't be reached,
   * its other groups are not tried.
   */
  const writeInTurn = async (groups: readonly ItemsOfGroup<LogEntry>[], atLeast: number): Promise<WriteResult[]> => {
    const written: WriteResult[] = [];
    let isReached = true;
    for (const { items, run } of groups) {
      const one: WriteResult = isReached
        ? await run(() => writeHere(items, atLeast))
        : { left: items, outcome: 'away' };
      isReached = one.outcome !== 'away';
      written.push(one);
    }
    return written;
  };

  /** Writes the waiting entries in batches of at least this size, and full batches that fill up in the meantime. */
  const writeWaiting = async (atLeast: number): Promise<void> => {
    const taken = [...waiting];
    const groups = await database.parts
      .divide(taken, ({ tenantId }) => tenantId)
      .catch((error: unknown) => {
        noteFailure(error);
        return undefined;
      });
    if (!groups) return;
    const byPart = Map.groupBy(groups, ({ part }) => part);
    const written = (await Promise.all(Array.from(byPart.values(), (some) => writeInTurn(some, atLeast)))).flat();
    waiting.splice(0, taken.length, ...written.flatMap(({ left }) => left));
    if (written.some(({ outcome }) => outcome !== 'settled')) return;
    noteSuccess();
    if (waiting.length >= enough()) await writeWaiting(rowsAtOnce);
  };

  const begin = (atLeast: number): Promise<void> =>
    (writing = beyondTeams('several requests', () => writeWaiting(atLeast)).finally(() => (writing = undefined)));

  const write = (): Promise<void> => {
    if (writing) return (next ??= writing.then(write));
    next = undefined;
    addCountedRefusals(minuteOf(clock.now()));
    return begin(1);
  };

  return {
    note(request) {
      const entry = { ...request, id: makeId(), at: clock.now(), count: 1 };
      if (request.refusedAtGate && refusals.counts(entry)) return;
      addWaiting(entry);
      if (waiting.length >= enough() && !writing && !next && !isAway) void begin(rowsAtOnce);
    },
    write,
    async end() {
      addCountedRefusals(Infinity);
      await write();
      const lost = waiting.reduce((sum, { count }) => sum + count, dropped);
      if (lost > 0) log.warn({ lost }, 'the end of the request log could not be written');
    },
  };
};

/** The calendar minute of a time. A minute lies within one day, so its refusals belong to the sums of one day. */
const minuteOf = (time: Date): number => Math.floor(time.getTime() / secondsToMs(60));

interface RefusalsOfMinute {
  readonly minute: number;
  /** How many refusals have a row of their own. */
  single: number;
  /**
   * The row that counts the later refusals. Its other values are those of the first of these refusals; it has a route
   * only if all of them have the same.
   */
  rest?: Omit<LogEntry, 'count' | 'route'> & { count: number; route: string | undefined };
}

/**
 * Counts refusals of the gate. For each key, answer and minute the first few have rows of their own, and the others
 * share one row.
 */
class RefusalCounter {
  readonly #refusals = new Map<string, RefusalsOfMinute>();

  /** Counts a refusal in a shared row, or returns false if it gets a row of its own. */
  counts(refusal: LogEntry): boolean {
    const minute = minuteOf(refusal.at);
    const answer = `${refusal.keyId} ${refusal.status} ${refusal.code ?? ''} ${minute}`;
    let counted = this.#refusals.get(answer);
    if (!counted) this.#refusals.set(answer, (counted = { minute, single: 0 }));
    if (counted.single < requestLogLimits.refusalsPerMinute) {
      counted.single += 1;
      return false;
    }
    if (counted.rest) {
      counted.rest.count += refusal.count;
      if (counted.rest.route !== refusal.route) counted.rest.route = undefined;
    } else counted.rest = { ...refusal };
    return true;
  }

  /** Takes the shared rows of all minutes before this one. */
  takeBefore(minute: number): LogEntry[] {
    const ended: LogEntry[] = [];
    for (const [answer, counted] of this.#refusals) {
      if (counted.minute >= minute) continue;
      this.#refusals.delete(answer);
      if (counted.rest) ended.push(counted.rest);
    }
    return ended;
  }
}

// The details of a request in the request log besides its outcome: path, query, caller and problem. Callers choose
// these texts, so they are shortened, and texts that look like secrets are replaced. Bodies are never stored.

/** Keys of this service and of others, signed tokens, and credentials of an `Authorization` header. */
const secrets = [
  /\b(?:svck_\w+|whsec_[\w+/=-]+|[a-z]{2,8}_(?:live|test)_\w+|gh[pousr]_\w{16,}|xox[abeprs]-[\w-]+|eyJ[\w.-]{8,})/gi,
  /\b(?:bearer|basic)[\s+]+[\w~+/.=-]{8,}/gi,
];

const secretNames = /key|token|secret|passw|pwd|auth|signature|credential|session|cookie/i;

/** An opaque text such as a token: long, of letters and digits, and neither an id nor a word. */
const isOpaque = (text: string): boolean =>
  /^[\w~+/.=-]{24,}$/.test(text) &&
  /\d/.test(text) &&
  /[a-z]/i.test(text) &&
  !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/**
 * A text for a column: without control characters and cut. PostgreSQL refuses a NUL, and with it the whole batch of
 * requests.
 */
const kept = (text: string, characters: number): string => {
  const plain = text
    .slice(0, characters + 1)
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed();
  return plain.length <= characters ? plain : `${plain.slice(0, characters - 1).toWellFormed()}…`;
};

const withoutSecrets = (text: string): string =>
  secrets.reduce((left, secret) => left.replace(secret, redactedMark), text);

const decode = (text: string): string => percentDecoded(text.replaceAll('+', ' ')) ?? text;

/**
 * A parameter of a query as it was sent, or with a mark instead of its value. A cursor is opaque but no secret. An
 * external id, and the filter of a directory, name a person, and may be too short for an erasure to find them in texts.
 */
const parameterWithoutSecrets = (parameter: string): string => {
  const at = parameter.indexOf('=');
  const name = decode(at < 0 ? parameter : parameter.slice(0, at));
  const value = at < 0 ? '' : decode(parameter.slice(at + 1));
  if (withoutSecrets(name) !== name) return redactedMark;
  const isSecret =
    value !== '' &&
    name !== 'cursor' &&
    (name === 'external_id' ||
      name.toLowerCase() === 'filter' ||
      secretNames.test(name) ||
      isOpaque(value) ||
      withoutSecrets(value) !== value);
  return isSecret ? `${parameter.slice(0, at)}=${redactedMark}` : parameter;
};

/**
 * How much of a text is examined for secrets. This is more than is kept, because a mark may be shorter than its secret.
 */
const examined = (text: string, characters: number): string => text.slice(0, 4 * characters);

const queryOf = (query: string): string =>
  kept(examined(query, queryCharacters).split('&').map(parameterWithoutSecrets).join('&'), queryCharacters);

const keptWithoutSecrets = (text: string, characters: number): string =>
  kept(withoutSecrets(examined(text, characters)), characters);

const sentence = (text: string): string => keptWithoutSecrets(text, detailCharacters);

const flawOf = ({ path, message, ...rest }: Flaw): Flaw => ({
  ...rest,
  path: path.slice(0, 10).map((part) => (typeof part === 'string' ? keptWithoutSecrets(part, 100) : part)),
  message: sentence(message),
});

/** A problem's members as JSON, without empty ones; undefined if there are none. */
const problemText = ({ detail, errors, ...rest }: ProblemMembers): string | undefined => {
  const members = {
    ...rest,
    ...(rest.field !== undefined && { field: kept(rest.field, 100) }),
    ...(rest.id !== undefined && { id: keptWithoutSecrets(rest.id, 100) }),
    ...(detail !== undefined && { detail: sentence(detail) }),
    ...(errors && { errors: errors.slice(0, flawsKept).map(flawOf) }),
    ...(errors && errors.length > flawsKept && { errors_total: errors.length }),
  };
  return Object.keys(members).length === 0 ? undefined : JSON.stringify(members);
};

/** Path and query of a request, its caller, and the problem that was answered. */
export interface RequestDetails {
  readonly path: string;
  readonly query: string | undefined;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  /** The members of the problem as JSON. */
  readonly problem: string | undefined;
}

interface RequestAndProblem {
  /** The request's target: path and query. */
  target: string;
  address: string | undefined;
  userAgent: string | undefined;
  problem: ProblemMembers | undefined;
}

/** The details of a request in the form in which the log keeps them. */
export const requestDetails = ({ target, address, userAgent, problem }: RequestAndProblem): RequestDetails => {
  const at = target.indexOf('?');
  return {
    path: keptWithoutSecrets(at < 0 ? target : target.slice(0, at), pathCharacters),
    query: at < 0 || at === target.length - 1 ? undefined : queryOf(target.slice(at + 1)),
    address,
    userAgent: userAgent === undefined ? undefined : keptWithoutSecrets(userAgent, agentCharacters),
    problem: problem && problemText(problem),
  };
};
