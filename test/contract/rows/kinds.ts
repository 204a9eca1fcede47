import type { AnyTRPCMutationProcedure, AnyTRPCRouter } from '@trpc/server';
import type { ProblemCode } from '../../../src/core/problem.ts';
import type { Scope } from '../../../src/core/scopes.ts';
import type { AuditActionName } from '../../../src/modules/audit/schema.ts';
import type { Prepare } from '../../changes/writes.ts';
import type { TestService } from '../../support/service.ts';
import type { TestTeam } from '../../support/team.ts';

// The tables in this folder have a row for each route, procedure and tool: what it is to do, written down by hand and
// apart from the code. access.test.ts compares them with the metadata of the procedures, the matrices with what the
// service does: a row that differs is a fault, of the code or of its table. A procedure of the app or the entrance
// without a row, and a row without a procedure, do not compile; of routes and tools, access.test.ts names them.

/**
 * The people of a team. `member`: everybody in it. `admin`: the admins and the owner. `keys`: the owner, and admins to
 * whom the owner gave the right to make keys (`schnittstellen`). `owner`: the owner alone. Nobody of another team, and
 * nobody who is not signed in.
 */
export type Audience = 'member' | 'admin' | 'keys' | 'owner';

/** What an answer has. */
interface Answering {
  /**
   * The fields of its answers that have a limit beside their type, such as an enum that is none of the database, each
   * with the reason why no stored value breaks it: `.results[].reason`. All of them are `.`.
   */
  limits?: Readonly<Record<string, string>>;
}

export const computed = 'computed, not stored';

interface Writing {
  /** A valid call of a write, and what it changes in the lists that programs copy. */
  write?: Prepare;
}

/** A procedure that only the app has, for people of a team. */
export interface AppRow extends Answering, Writing {
  who: Audience;
  /** Only within minutes after the person has shown their password or a passkey. `some`: only for some inputs. */
  freshProof?: 'always' | 'some';
  /** Also while the team is suspended or has ended. */
  whileInactive?: true;
  /** Refused to everybody while the team hides member-level data, because the answer has nothing else. */
  refusedWhileHidden?: true;
  /**
   * For a field of its input with an id: an object of the team that the procedure finds, if it does not find what
   * test/support/id-makers.ts makes for this field.
   */
  ids?: Readonly<Record<string, (service: TestService, team: TestTeam) => Promise<unknown>>>;
}

/** A procedure that needs no team. */
export interface EntranceRow extends Answering, Writing {
  /** `anybody` need not be signed in. */
  who: 'anybody' | 'signed in';
  /** A session that began with a team's company account must not reach the person's account beyond that team. */
  companyAccount?: 'admitted' | 'refused';
  /** `fresh`: as above. `password`: the call itself has the password, because it changes how the person signs in. */
  proof?: 'fresh' | 'password';
  /** Other cases of the same write, by the words that tell them apart. */
  alsoWrites?: Readonly<Record<string, Prepare>>;
}

export interface OperationRow {
  /** All scopes that a key needs. */
  scopes: readonly Scope[];
  /**
   * Refused with `privacy_restricted` while the team hides member-level data. Every other answer then leaves out what
   * names a person.
   */
  refusedWhileHidden?: true;
  /**
   * Who may call it in the app, and through an assistant: admins, or all members. Members see nothing about other
   * people.
   */
  people: 'admin' | 'member';
}

/** A route of the public API, and again for each value of a parameter that decides what a caller needs. */
export interface RouteRow extends OperationRow, Answering {
  /** Of a success; 200 if it is missing. */
  status?: 201 | 202;
  /**
   * Its problems, without those of every route and those that follow from the rest of the row: a lacking scope, hidden
   * data, an unknown id in the path, an Idempotency-Key of a POST.
   */
  problems?: readonly ProblemCode[];
}

/** What the row of a route that writes has besides. */
export interface WritingRoute extends RouteRow {
  write: Prepare;
  /** The statements of each of its round trips to the database, which are most of what a write costs. */
  trips: readonly string[];
  /** What the audit log has of it. */
  audit: AuditActionName;
  /**
   * The answer to an id in its body that is none of the team; null: the id is the client's own and may be any text.
   */
  unknownIds?: Readonly<Record<string, 'not_found' | 'kombination_ungueltig' | null>>;
}

export type RouteRows = Readonly<
  Record<`GET /${string}`, RouteRow> & Record<`${'POST' | 'PATCH' | 'DELETE'} /${string}`, WritingRoute>
>;

/** The parts of a router: `members` with `list` and so on. */
export type PartsOf<Router extends AnyTRPCRouter> = Router['_def']['record'];

type NameIn<Parts> = { [Part in keyof Parts & string]: `${Part}.${keyof Parts[Part] & string}` }[keyof Parts & string];

type ProcedureIn<Parts, Name> = Name extends `${infer Part extends keyof Parts & string}.${infer Procedure}`
  ? Parts[Part][Procedure & keyof Parts[Part]]
  : never;

/** A row for each procedure of these parts; of those that write, with the write. */
export type RowsFor<Parts, Row> = {
  readonly [Name in NameIn<Parts>]: ProcedureIn<Parts, Name> extends AnyTRPCMutationProcedure
    ? Row & { write: Prepare }
    : Row & { write?: never };
};
