import pg from 'pg';
import { vi } from 'vitest';
import { z } from 'zod';
import { currentTeam } from '../../src/db/row-security.ts';

/** A condition on the team: of a named query, of Prisma, or inside a look-up. */
const onTeam = /(?<![\w.])(?:[\w".]+\.)?"?tenant_id"? = (?:(\$\d+)(?:::uuid)?|wanted\.tenant_id(?= and))/g;

const without = (text: string): string =>
  text.replaceAll(onTeam, (_condition, parameter?: string) =>
    parameter ? `(${parameter}::uuid is not null)` : 'true',
  );

const Named = z.object({ name: z.string().optional() });

/** The statements that lost a condition. */
export const forgetful = new Set<string>();

/** While the action runs, no statement of a request has a condition on the team, as if each had been forgotten. */
export const withoutTenantFilters = async <T>(action: () => Promise<T>): Promise<T> => {
  const send: (...given: unknown[]) => unknown = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [config] = given;
    if (typeof config === 'object' && config !== null && 'text' in config && typeof config.text === 'string') {
      const text = without(config.text);
      const isOfRequest =
        config instanceof pg.Query || currentTeam() !== undefined || config.text.includes('wanted.tenant_id');
      if (isOfRequest && text !== config.text) {
        forgetful.add(text);
        // A connection knows the whole statement by its name.
        const { name } = Named.parse(config);
        const changed = { text, ...(name && { name: `${name}_forgetful` }) };
        if (config instanceof pg.Query) Object.assign(config, changed);
        else return send.call(this, { ...config, ...changed }, ...given.slice(1));
      }
    }
    return send.apply(this, given);
  });
  try {
    return await action();
  } finally {
    spy.mockRestore();
  }
};
