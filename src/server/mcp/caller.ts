import { sha256 } from '../../core/crypto.ts';
import type { Language } from '../../core/language.ts';
import { flawsOf } from '../../core/flaws.ts';
import { Problem } from '../../core/problem.ts';
import type { Scope } from '../../core/scopes.ts';
import { answerOnce } from '../../modules/idempotency/service.ts';
import { publicRouter } from '../../modules/public-router.ts';
import type { Team } from '../../platform/team.ts';
import { unwrap } from '../rest/rest-app.ts';
import type { Principal } from '../../platform/trpc/context.ts';

/** The caller of the tools, already admitted: a key, or a person through an assistant. */
export interface ToolCaller {
  readonly team: Team;
  readonly principal: Principal;
  readonly language: Language;
  /**
   * Counts one more operation in the caller's budgets. Throws if a budget is used up or the caller may no longer call.
   */
  readonly countOperation: () => Promise<void>;
}

/** The operations of the public API, by module. */
type Operations = ReturnType<typeof publicRouter.createCaller>;

/** A call that adds something. */
interface AddingCall {
  /** Identifies a repeated call, so that the action runs only once. */
  readonly key: string | undefined;
  /** The tool and its arguments. The same key with another text is refused. */
  readonly call: string;
}

/** A running tool call, with the operations that it may use. */
export interface ToolCall {
  readonly team: Team;
  readonly language: Language;
  readonly may: (scope: Scope) => boolean;
  /**
   * Runs one operation of the public API, with its checks of scope and privacy. The admission of the request counts as
   * its first operation. Each further one is counted like a REST request.
   */
  readonly run: <Answer>(operation: (api: Operations) => Promise<Answer>, addition?: AddingCall) => Promise<Answer>;
}

export const toolCallOf = ({ team, principal, language, countOperation }: ToolCaller): ToolCall => {
  let isPaid = true;
  return {
    team,
    language,
    may: (scope) => principal.scopes.has(scope),
    async run(operation, addition) {
      if (!isPaid) await countOperation();
      isPaid = false;
      const { key, call = '' } = addition ?? {};
      let isReplay = false;
      const repeatable = key !== undefined && {
        key,
        fingerprint: () => sha256(`MCP ${call}`),
        onReplay: () => (isReplay = true),
      };
      const once =
        repeatable && ((action: (inTransaction: Team) => Promise<unknown>) => answerOnce(team, repeatable, action));
      try {
        // A tool's input has been read, so tRPC's own caller can be used.
        const countFurther = async (requests: number) => {
          for (let counted = 0; counted < requests; counted += 1) await countOperation();
        };
        const ctx = { team, principal, language, countFurther, ...(once && { once }) };
        const answer = await operation(publicRouter.createCaller(ctx));
        if (addition && !isReplay) team.platform.storage.add(team.id, 'stored', Buffer.byteLength(call));
        return answer;
      } catch (error) {
        throw unwrap(error, (schemaError) => new Problem('validation_error', { errors: flawsOf(schemaError) }));
      }
    },
  };
};
