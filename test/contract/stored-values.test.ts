import type { AnyRouter } from '@trpc/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import * as databaseEnums from '../../src/db/generated/enums.ts';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';

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

const proceduresOf = (router: AnyRouter) => Object.entries<{ _def: { output?: unknown } }>(router._def.procedures);

/** Limits that no stored value can break, each with the reason. */
const kept: readonly (readonly [limit: RegExp, why: string])[] = [
  [/\.tips: max_length$/, 'a check of the column'],
  [/^companySignIn\.\w+ \.provider\.role: one of /, 'a check of the column'],
  [/\.due_date: custom$/, 'the column holds days, and days of the year 0 are none to PostgreSQL'],
  [/\.events\[\]: one of /, 'unknown ones are left out as rows are read'],
  [/^account\.me \.scopes\[\]: one of /, 'unknown ones are left out as the key is looked up'],
  [
    /\.status: one of (invited, active|invited, active, waiting|active, expired, revoked)$/,
    'computed, or filtered by the query',
  ],
  [/^catalog\.choices \.rules\[\]\.dimension: one of /, 'rules of others are left out as they are read'],
  [
    /^(account\.me \.kind|reference\.|entrance\.|teamAnalytics\.(show|scores) |overview\.show \.attention)/,
    'computed, not stored',
  ],
  [/^webhooks\.checks? /, 'computed; results of unknown probes are left out as they are read'],
  [/^(members\.invite .*\.outcome|assigning\.create(Many)? .*\.reason): one of /, 'computed, not stored'],
  [/(Many|setDueDates) \.results\[\]\.code: one of /, 'computed, not stored'],
  [/^members\.waiting .*\.refusal: one of /, 'unknown ones are left out as rows are read'],
  [/^requests\.get \.problem\.errors\[\]\.in: one of /, 'a stored problem that does not fit is left out as it is read'],
  [/^(search\.find .*\.kind|webhookHistory\.event .*\.state): one of /, 'computed, not stored'],
  [/^(progress\.trend(Of)?|teamTrends\.(show|compare)) \.unit: one of /, 'computed, not stored'],
];

it('no answer is refused because of an old stored value: answers have types, and limits only if all stored values meet them', () => {
  const found = [publicRouter, appRouter, entranceRouter].flatMap((router) =>
    proceduresOf(router).flatMap(([name, { _def }]) => {
      if (!(_def.output instanceof z.ZodType)) throw new Error(`${name} declares no answer`);
      return limitsOf(_def.output).map((limit) => `${name} ${limit}`);
    }),
  );
  expect(found.filter((limit) => !kept.some(([known]) => known.test(limit)))).toEqual([]);
  for (const [known, why] of kept)
    expect(
      found.some((limit) => known.test(limit)),
      why,
    ).toBe(true);
});
