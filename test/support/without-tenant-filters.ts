import pg from 'pg';
import { vi } from 'vitest';
import { RoundTrip } from '../../src/db/round-trip.ts';
import { currentTeam } from '../../src/db/row-security.ts';

/** A condition on the team: of a named query, of Prisma, or inside a look-up. */
const onTeam = /(?<![\w.])(?:[\w".]+\.)?"?tenant_id"? = (?:(\$\d+)(?:::uuid)?|wanted\.tenant_id(?= and))/g;

const without = (text: string): string =>
  text.replaceAll(onTeam, (_condition, parameter?: string) =>
    parameter ? `(${parameter}::uuid is not null)` : 'true',
  );

/** The statements that lost a condition. */
export const forgetful = new Set<string>();

/** While the action runs, no statement of a request has a condition on the team, as if each had been forgotten. */
export const withoutTenantFilters = async <T>(action: () => Promise<T>): Promise<T> => {
  const send: (...given: unknown[]) => unknown = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [sent] = given;
    for (const statement of sent instanceof RoundTrip ? sent.statements : []) {
      const text = without(statement.text);
      const isOfRequest = currentTeam() !== undefined || statement.text.includes('wanted.tenant_id');
      if (!isOfRequest || text === statement.text) continue;
      forgetful.add(text);
      // A connection knows the whole statement by its name.
      Object.assign(statement, {
        text,
        isForgetful: true,
        ...(statement.name && { name: `${statement.name}_bare` }),
      });
    }
    return send.apply(this, given);
  });
  try {
    return await action();
  } finally {
    spy.mockRestore();
  }
};
