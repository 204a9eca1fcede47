import type { AnyRouter } from '@trpc/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import * as databaseEnums from '../../src/db/generated/enums.ts';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { operationsOf, proceduresOf, schemasOf } from '../../src/platform/trpc/procedures.ts';
import { appProcedures } from './rows/app.ts';
import { entranceProcedures } from './rows/entrance.ts';
import type { AppRow } from './rows/kinds.ts';
import { routes } from './rows/routes.ts';

const enumsOfDatabase = Object.values(databaseEnums).map((values) => new Set<unknown>(Object.values(values)));
const isOfDatabase = (schema: z.ZodEnum): boolean =>
  enumsOfDatabase.some((known) => [...known].every((value) => schema.options.includes(String(value))));

/** The checks of a schema beyond the type of a value, with their paths. */
const limitsOf = (schema: z.core.$ZodType, path = ''): string[] => {
  const checks = (schema._zod.def.checks ?? []).map(({ _zod: { def } }) => `${path}: ${def.check}`);
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, inner]) => limitsOf(inner, `${path}.${key}`));
  }
  if (schema instanceof z.ZodArray) return [...checks, ...limitsOf(schema.element, `${path}[]`)];
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return limitsOf(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => limitsOf(option, path));
  if (schema instanceof z.ZodEnum) return isOfDatabase(schema) ? [] : [`${path}: one of ${schema.options.join(', ')}`];
  return checks;
};

/** Limits of several procedures that no stored value can break, each with the reason. Others are in the procedure's row. */
const kept: readonly (readonly [limit: RegExp, why: string])[] = [
  [/\.tips: max_length$/, 'a check of the column'],
  [/^companySignIn\.\w+ \.provider\.role: one of /, 'a check of the column'],
  [/\.due_date: custom$/, 'the column holds days, and days of the year 0 are none to PostgreSQL'],
  [/\.events\[\]: one of /, 'unknown ones are left out as rows are read'],
  [
    /\.status: one of (invited, active|invited, active, waiting|active, expired, revoked)$/,
    'computed, or filtered by the query',
  ],
  [/(Many|setDueDates) \.results\[\]\.code: one of /, 'computed, not stored'],
];

/** The procedures of a router with the limits in their rows. */
const withLimits = (router: AnyRouter, rows: Readonly<Record<string, Pick<AppRow, 'limits'>>>) =>
  proceduresOf(router).map(([name, procedure]) => ({
    name,
    limits: rows[name]?.limits,
    output: schemasOf([name, procedure]).output,
  }));

const answers = [
  ...operationsOf(publicRouter).map(({ operation: { route: name }, output }) => ({
    name,
    limits: routes[name]?.limits,
    output,
  })),
  ...withLimits(appRouter, appProcedures),
  ...withLimits(entranceRouter, entranceProcedures),
];

it('no answer is refused because of an old stored value: answers have types, and limits only if all stored values meet them', () => {
  const found = answers.flatMap(({ name, limits = {}, output }) => {
    const beginnings = Object.keys(limits).map((field) => (field === '.' ? field : `${field}: `));
    const all = limitsOf(output);
    for (const beginning of beginnings)
      expect(
        all.some((limit) => limit.startsWith(beginning)),
        `${name} ${beginning}`,
      ).toBe(true);
    return all
      .filter((limit) => !beginnings.some((beginning) => limit.startsWith(beginning)))
      .map((limit) => `${name} ${limit}`);
  });
  expect(found.filter((limit) => !kept.some(([known]) => known.test(limit)))).toEqual([]);
  for (const [known, why] of kept)
    expect(
      found.some((limit) => known.test(limit)),
      why,
    ).toBe(true);
});
