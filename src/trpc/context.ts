import type { Language } from '../core/language.ts';
import type { Scope } from '../core/scopes.ts';
import type { Repeatable } from '../modules/idempotency/service.ts';
import type { Answering } from '../platform/large-reads.ts';
import type { Team } from '../platform/team.ts';

/** Who calls: a team's key over REST, or a person of the team in the app. Both may do what their scopes say. */
export interface Principal {
  readonly kind: 'key' | 'person';
  readonly scopes: ReadonlySet<Scope>;
}

/** What every operation gets: the team comes from here alone, never from the input. */
export interface Context {
  readonly principal: Principal;
  readonly team: Team;
  readonly language: Language;
  /** Given where the caller may repeat a POST without doing it twice. */
  readonly repeatable?: Repeatable | undefined;
  /** Given where an adapter writes the answer, which says how large it became and when it is handed over. */
  readonly answering?: Answering | undefined;
}
