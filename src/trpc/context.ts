import type { Language } from '../core/language.ts';
import type { Need, Person, Team } from '../platform/team.ts';
import type { Scope } from '../core/scopes.ts';
import type { Answering } from '../platform/large-reads.ts';

/** The caller of a public operation: a key of the team over REST, or a person of the team in the app. */
export interface Principal {
  readonly kind: 'key' | 'person';
  readonly scopes: ReadonlySet<Scope>;
}

/** The context of a procedure that works for one team. The team comes from here alone, never from the input. */
interface InTeam {
  readonly team: Team;
  readonly language: Language;
  /** Given where an adapter writes the answer. The adapter reports its size and when it was handed over. */
  readonly answering?: Answering | undefined;
  /** True where the adapter examined the raw input itself (`flawOfValue`): the procedure doesn't examine it again. */
  readonly isExamined?: boolean | undefined;
}

/** The context of a public operation. */
export interface KeyContext extends InTeam {
  readonly principal: Principal;
  /**
   * Given with a POST that its sender may repeat. Runs the action for the first call only, and gives its answer to all
   * repetitions. The action gets the team with the transaction that is open around it.
   */
  readonly once?: ((action: (team: Team) => Promise<unknown>) => Promise<unknown>) | undefined;
}

/** The context of a procedure for persons of a team. */
export interface PersonContext extends InTeam {
  readonly person: Person;
  /** Why the person may not call procedures with this need; undefined if they may. */
  readonly refusalOf: (need: Need) => string | undefined;
}

/** What the builder needs of a visitor. The module that signs people in has its own, larger type. */
export interface Visitor {
  readonly language: Language;
  /** The person who is signed in. */
  signedIn(): Promise<unknown>;
}

/** The context of a procedure that needs no team: its visitor may be signed in or not. */
export interface VisitContext<V extends Visitor = Visitor> {
  readonly visitor: V;
  readonly requestId: string;
  /** Runs a change of the visitor's, or refuses it: because its budgets are spent, or because too many changes wait. */
  readonly change: <T>(change: { hashes: boolean; safety: boolean }, action: () => Promise<T>) => Promise<T>;
  /** Runs the rest of a change with the budgets of strangers, whatever browser the visitor has. */
  readonly asStranger: <T>(action: () => Promise<T>) => Promise<T>;
}
