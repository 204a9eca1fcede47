import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from '../../src/core/json-schema.ts';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { proceduresOf, schemasOf } from '../../src/platform/trpc/procedures.ts';
import { JsonSchema } from '../conformance/described-api.ts';
import { flawsOf, unstorable } from '../conformance/flaws.ts';
import { validValue } from '../conformance/valid-values.ts';

// Zod compiles the entries of lists (`entriesOf`). With an asynchronous parse it leaves the compiled code out, so that
// shows what the schema does without it.

/** The lists that procedures answer, each with the name of the first procedure that does. */
const lists = new Map<z.ZodObject, { name: string; entries: z.ZodArray }>();
for (const procedure of [publicRouter, appRouter, entranceRouter].flatMap(proceduresOf)) {
  const { output } = schemasOf(procedure);
  const { data } = output.shape;
  if (data instanceof z.ZodArray && !lists.has(output)) lists.set(output, { name: procedure[0], entries: data });
}
const named = [...lists].map(([schema, { name }]) => [name, schema] as const);

/** What becomes of a value, with the order of its fields. */
const resultOf = ({ data, error }: z.ZodSafeParseResult<unknown>) => ({
  data,
  text: JSON.stringify(data),
  issues: error?.issues,
});

const turns = 6;

describe('the compiled entries of a list', () => {
  it.each(named)('are taken, changed and refused as without: %s', async (_name, schema) => {
    const { $schema: _version, ...described } = jsonSchemaOf(schema, 'input');
    const json = JsonSchema.parse(described);
    const kit = { resolve: (same: JsonSchema) => same, known: new Map(), longest: 2_000 };
    const compare = async (value: unknown) =>
      expect(resultOf(schema.safeParse(value))).toStrictEqual(resultOf(await schema.safeParseAsync(value)));
    await fc.assert(
      fc.asyncProperty(validValue(json, kit), fc.nat(turns - 1), async (value, turn) => {
        await compare(value);
        const flawed = [...flawsOf(json, value, kit.resolve), ...unstorable(value)];
        for (let at = turn; at < flawed.length; at += turns) await compare(flawed[at]?.value);
      }),
      { numRuns: 5 },
    );
  });

  it('is possible for all lists', () => {
    const refused = [...lists.values()].flatMap(({ name, entries }) => {
      try {
        z.compile(entries, { strict: true });
        return [];
      } catch (error) {
        return `${name}: ${String(error)}`;
      }
    });
    expect([lists.size > 30, refused]).toEqual([true, []]);
  });
});
