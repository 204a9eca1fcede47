import type { SignInWay } from '../../core/sign-in-demand.ts';
import type { Language, Message } from '../../core/language.ts';
import type { Need, Person, Team } from '../team.ts';
import type { Scope } from '../../core/scopes.ts';
import type { AnswerProgress } from '../large-reads.ts';

/** The caller of a public operation: a key of the team over REST, or a person of the team in the app. */
export interface Principal {
  readonly kind: 'key' | 'person';
  readonly scopes: ReadonlySet<Scope>;
}

/** The context of a procedure that works for one team. The team comes only from here, never from the input. */
export interface InTeam {
  readonly team: Team;
  readonly language: Language;
  /** Set if an adapter writes the answer. The adapter reports the answer's size and when it was sent. */
  readonly answerProgress?: AnswerProgress | undefined;
}

/** The context of a public operation. */
export interface KeyContext extends InTeam {
  readonly principal: Principal;
  /**
   * The value of the query parameter that decides what the call needs (`needsBy`). The needs are checked before the
   * input is parsed, so the value is passed separately. Absent for operations without such a parameter, and for callers
   * other than the REST adapter.
   */
  readonly deciding?: { readonly value: string | undefined } | undefined;
  /**
   * Whether the process stops or maintenance is on: a request that waits for something must end.
   */
  readonly isClosing?: (() => boolean) | undefined;
  /**
   * Counts further requests in the caller's budgets, or refuses with `rate_limited`. Absent for callers whose requests
   * count in no budget.
   */
  readonly countFurther?: ((requests: number) => Promise<void>) | undefined;
  /**
   * Set for the first page of an answer that is streamed. Claims the only stream that the team may have at a time, or
   * refuses with `rate_limited`.
   */
  readonly claimStream?: (() => Promise<void>) | undefined;
  /**
   * Set for a POST with an idempotency key. Runs the action for the first call only, and returns its answer to all
   * repetitions. The action gets the team with the open transaction.
   */
  readonly once?: ((action: (team: Team) => Promise<unknown>) => Promise<unknown>) | undefined;
}

export interface PersonContext extends InTeam {
  readonly person: Person;
  /** The reason why the person may not call procedures with this need; undefined if they may. */
  readonly refusalOf: (need: Need) => Message | undefined;
  /** Whether the person has shown their password or a passkey in this session a short time ago. */
  readonly hasFreshProof: boolean;
  /** How the person's session began. */
  readonly way: SignInWay;
}
