import { makeBrowser, type BrowserSession, testPassword } from '../support/people.ts';
import type { Companies } from '../support/company.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

/** A team, and the ways to write in it over HTTP. */
export interface Place {
  companies: Companies;
  team: TestTeam;
  /** The owner's browser. */
  browser: BrowserSession;
  /** Calls the API with a key of all scopes; any refusal fails the test. */
  api(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Calls a procedure of the app as the owner, such as `app/team.change`; any refusal fails the test. */
  app(path: string, input?: object): Promise<Record<string, unknown>>;
}

/** The rows that a write changes, each with the name of its list, such as `cases 0199…`. */
export interface Effect {
  /** New rows, and those of which the lists show another value afterwards. */
  changed?: string[];
  /** Rows that are deleted. */
  gone?: string[];
  /** Trainings that leave the list without being deleted, because their person has left. */
  hidden?: string[];
}

/** A write whose rows are prepared. */
export interface Write {
  call(): Promise<Effect>;
  /** The same write once more, or one with the same values: it is refused or changes nothing. */
  again?: () => Promise<unknown>;
  /** The same write without an `Idempotency-Key`, if `call` sends one. */
  plain?: () => Promise<unknown>;
}

/**
 * Prepares a write. `name`: the route, or the procedure with its router, such as `PATCH /cases/{case_id}` and
 * `app/team.change`. `quiet`: it changes none of the rows of the lists.
 */
export type Prepare = ((place: Place, name: string) => Promise<Write>) & { readonly quiet?: true };

export const aPlace = async (companies: Companies): Promise<Place> => {
  const { service } = companies;
  const team = await aTeam(service, { ownerPassword: testPassword, seats: 100 });
  const browser = makeBrowser(service);
  await browser.signIn(team.owner.email, testPassword);
  return {
    companies,
    team,
    browser,
    api: async (method, path, body) => {
      const answer = await team.client.request(method, path, body && { body });
      if (answer.status >= 300) throw new Error(`${method} ${path} gave ${answer.text}`);
      return answer.body;
    },
    app: async (path, input = {}) => {
      const answer = await browser.mutate(path, input, { team: team.id });
      if (answer.status !== 200) throw new Error(`${path} gave ${answer.text}`);
      return answer.data;
    },
  };
};

/** A write that changes none of the rows of the lists. */
export const without = (prepare: (place: Place, name: string) => Promise<() => Promise<unknown>>): Prepare => {
  const prepared = async (place: Place, name: string): Promise<Write> => {
    const call = await prepare(place, name);
    return {
      call: async () => {
        await call();
        return {};
      },
    };
  };
  return Object.assign(prepared, { quiet: true as const });
};

/** A procedure that changes none of these rows, called once with its input. */
export const quiet = (inputOf: (place: Place) => Promise<object>): Prepare =>
  without(async (place, name) => {
    const input = await inputOf(place);
    return () => place.app(name, input);
  });

/** A procedure that is called twice with the same input: the second call changes nothing. */
export const twice =
  (prepare: (place: Place) => Promise<{ input: object; effect: Effect }>): Prepare =>
  async (place, name) => {
    const { input, effect } = await prepare(place);
    return {
      call: async () => {
        await place.app(name, input);
        return effect;
      },
      again: () => place.browser.mutate(name, input, { team: place.team.id }),
    };
  };

/** An active member's user. */
export const userOf = ({ user_id }: { user_id: string | null }): string => user_id ?? '';
