import { callTRPCProcedure, TRPCError, type AnyRouter } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { jsonSchemaOf } from '../../src/core/json-schema.ts';
import { keyRight } from '../../src/modules/keys/schema.ts';
import { allNeeds, type Need, type Person } from '../../src/platform/team.ts';
import { refusalFor } from '../../src/modules/sign-ins/visitor.ts';
import type { PersonContext } from '../../src/platform/trpc/context.ts';
import { proceduresOf, schemasOf, type PersonMeta } from '../../src/platform/trpc/procedures.ts';
import { JsonSchema } from '../conformance/described-api.ts';
import { idMakers, type MakeId } from '../support/id-makers.ts';
import { isDistributed } from '../support/postgres.ts';
import { aColleague } from '../support/app-caller.ts';
import { minOf } from '../support/schema-texts.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { withoutTenantFilters } from '../support/without-tenant-filters.ts';

// Every rule here is checked for every procedure that only the app has, including new ones: the list comes from the router.

interface AppProcedure {
  /** Such as `ownCases.list`. */
  path: string;
  type: 'query' | 'mutation' | 'subscription';
  row: PersonMeta;
  input: z.ZodObject;
}

const isPersonMeta = (meta: unknown): meta is PersonMeta =>
  typeof meta === 'object' && meta !== null && 'needs' in meta && !('openapi' in meta);

const rows = proceduresOf(appRouter).map(([path, procedure]): readonly [string, AppProcedure] => {
  const { type, meta }: { type: AppProcedure['type']; meta?: unknown } = procedure._def;
  if (!isPersonMeta(meta)) throw new Error(`${path} is no personProcedure: nobody checks who may call it`);
  return [path, { path, type, row: meta, input: schemasOf([path, procedure]).input }];
});
const service = await useTestService();
/** A team for queries, and for calls that are refused. */
const still = await aTeam(service, { seats: 5_000 });
/** The team to which foreign ids belong. */
const other = await aTeam(service, { seats: 5_000 });

const anOwner = ({ owner }: TestTeam): Person => ({
  memberId: owner.member_id,
  userId: owner.user_id,
  role: 'owner',
  rights: [],
});

/** All kinds of people in a team. */
const kinds: Readonly<Record<string, (team: TestTeam) => Promise<Person>>> = {
  'a member': (team) => aColleague(team),
  'a member with the right to make keys': (team) => aColleague(team, 'member', [keyRight]),
  'an admin': (team) => aColleague(team, 'admin'),
  'an admin with the right to make keys': (team) => aColleague(team, 'admin', [keyRight]),
  'the owner': async (team) => anOwner(team),
};

/** The people of the team for queries. */
const stillPeople = new Map<string, Person>();
for (const [kind, make] of Object.entries(kinds)) stillPeople.set(kind, await make(still));

/** Read once, because nothing changes this team's settings. */
const actingInStill = await still.acting();

/** The people whom a procedure admits, written down again: the matrix must not use the code that it tests. */
const letIn: Readonly<Record<Need, readonly string[]>> = {
  member: Object.keys(kinds),
  admin: ['an admin', 'an admin with the right to make keys', 'the owner'],
  keys: ['an admin with the right to make keys', 'the owner'],
  owner: ['the owner'],
};

const call = async (
  { path, type }: AppProcedure,
  team: TestTeam,
  person: Person,
  input: unknown,
  { hasFreshProof = true } = {},
): Promise<unknown> => {
  const ctx: PersonContext = {
    person,
    refusalOf: (need) => refusalFor(person, need),
    hasFreshProof,
    way: 'password',
    language: 'de',
    team: {
      ...(team === still ? actingInStill : await team.acting()),
      actor: { kind: 'person', userId: person.userId },
    },
  };
  return callTRPCProcedure({
    router: appRouter,
    path,
    type,
    ctx,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  });
};

/** The code of a refusal: a problem's code, or tRPC's own; undefined if the call succeeded. */
const refusalOf = (called: Promise<unknown>): Promise<unknown> =>
  called.then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof TRPCError)) throw error;
      return CodeOf.safeParse(error.cause).data?.code ?? error.code;
    },
  );
const CodeOf = z.object({ name: z.literal('Problem'), code: z.string() });

const idsOf = idMakers(service);

/** Ids of the customer that are no ids of this service. */
const foreignByNature = new Set(['client_id', 'persona_id']);

const namesIds = (name: string): boolean =>
  !foreignByNature.has(name) && (Object.hasOwn(idsOf, name) || /_ids?$/.test(name));

const makeOf = (name: string): MakeId => {
  const make = idsOf[name];
  if (!make) throw new Error(`add a way to make a ${name} to idsOf`);
  return make;
};

const idFieldsOf = ({ input }: AppProcedure): string[] => Object.keys(input.shape).filter(namesIds);

const Values = z.record(z.string(), z.unknown());

const kept = new Map<string, Promise<unknown>>();

/** An id of a team whose objects no call here changes. Such an object is made once, for all procedures. */
const lastingId = (name: string, team: TestTeam): Promise<unknown> => {
  const key = `${name} ${team.id}`;
  const made = kept.get(key) ?? makeOf(name)(team);
  kept.set(key, made);
  return made;
};

/** The minimal input of a procedure, with all fields of ids filled by `team`. */
const inputFor = async (procedure: AppProcedure, team: TestTeam): Promise<Record<string, unknown>> => {
  const { $schema: _dialect, ...schema } = jsonSchemaOf(procedure.input, 'input');
  const values = Values.parse(minOf(JsonSchema.parse(schema)));
  const idIn = (name: string) => (team === still ? lastingId(name, team) : makeOf(name)(team));
  for (const name of idFieldsOf(procedure)) values[name] = await idIn(name);
  return values;
};

const auditOf = (team: TestTeam) => service.database.prisma.auditEntry.count({ where: { tenantId: team.id } });

/**
 * The procedures that a thief of a session must not call, written down again. The password, the second factor and its backup codes are
 * missing here: their procedures require the password itself.
 */
const withFreshProof = [
  'account.addPasskey',
  'account.newPasskeyQuestion',
  'account.removePasskey',
  'assistants.connect',
  'companySignIn.addDomain',
  'companySignIn.demand',
  'companySignIn.proveDomain',
  'companySignIn.remove',
  'companySignIn.removeDomain',
  'companySignIn.save',
  'companySignIn.switch',
  'formerMembers.erase',
  'members.handOver',
];

describe('a fresh password or passkey', () => {
  it('is required by these procedures for every input, and by no other', () => {
    const routers: AnyRouter[] = [appRouter, entranceRouter, publicRouter];
    const Marked = z.object({ freshProof: z.literal(true) });
    const found = routers
      .flatMap(proceduresOf)
      .flatMap(([path, { _def }]) => (Marked.safeParse(_def.meta).success ? [path] : []));
    expect(found.toSorted()).toEqual(withFreshProof);
  });

  it.each(rows.filter(([, { row }]) => row.freshProof === true))(
    'is required by %s after the right, and before any look-up or change',
    async (_path, procedure) => {
      const team = await aTeam(service);
      const input = await inputFor(procedure, team);
      const member = await aColleague(team);
      const before = await auditOf(team);
      const late = { hasFreshProof: false };
      for (const wanted of [input, { unknown: 1 }]) {
        expect(await refusalOf(call(procedure, team, anOwner(team), wanted, late))).toBe('PRECONDITION_FAILED');
      }
      expect(await refusalOf(call(procedure, team, member, input, late))).toBe('FORBIDDEN');
      expect(await auditOf(team)).toBe(before);
    },
  );

  it.each([
    ['keys.create', ['users:read'], undefined],
    ['keys.create', ['users:read', 'users:write'], 'PRECONDITION_FAILED'],
    ['keys.rotate', ['users:read'], undefined],
    ['keys.rotate', ['users:write'], 'PRECONDITION_FAILED'],
  ] as const)('is required by %s of a key with %j: %s', async (path, scopes, refusal) => {
    const procedure = rows.find(([name]) => name === path)?.[1] ?? expect.fail(path);
    const team = await aTeam(service);
    const { id: key_id } = await team.aKey({ scopes: [...scopes] });
    const input = path === 'keys.create' ? { name: 'CRM', scopes: [...scopes] } : { key_id, grace_days: 0 };
    expect(await refusalOf(call(procedure, team, anOwner(team), input, { hasFreshProof: false }))).toBe(refusal);
  });
});

/** An empty list for unknown ids, or the results of an action on several unknown ids. */
const nothing = z.union([
  z.object({ data: z.array(z.unknown()).length(0) }),
  z.object({ count: z.literal(0), more: z.literal(false) }),
  z.object({ results: z.array(z.object({ code: z.enum(['not_found', 'kombination_ungueltig']) })) }),
]);

describe.each(rows)('%s', (_path, procedure) => {
  const { row } = procedure;

  it('is declared completely', () => {
    expect(allNeeds).toContain(row.needs);
    expect(['query', 'mutation']).toContain(procedure.type);
    expect(z.toJSONSchema(procedure.input, { io: 'input', unrepresentable: 'any' })).toMatchObject({
      additionalProperties: false,
    });
  });

  const itsTeam = async (): Promise<TestTeam> => (procedure.type === 'query' ? still : aTeam(service));

  it('admits or refuses each kind of person before it checks the input', async () => {
    const own = await itsTeam();
    // A refused call and a query leave the objects of their input as they were.
    const untouched = await inputFor(procedure, still);
    for (const [kind, make] of Object.entries(kinds)) {
      const isLetIn = letIn[row.needs].includes(kind);
      const team = isLetIn ? own : still;
      const person = (team === still ? stillPeople.get(kind) : undefined) ?? (await make(team));
      const used = team === still ? untouched : await inputFor(procedure, team);
      for (const input of [{ unknown: 1 }, used]) {
        const refusal = await refusalOf(call(procedure, team, person, input));
        if (isLetIn) expect(refusal, kind).not.toBe('FORBIDDEN');
        else expect(refusal, kind).toBe('FORBIDDEN');
      }
    }
  });

  const idFields = idFieldsOf(procedure);

  it.runIf(idFields.length > 0)(
    'finds nothing by an id of another team or a text that is no id, and changes nothing',
    async () => {
      const team = await itsTeam();
      const own = await inputFor(procedure, team);
      for (const name of idFields) {
        const foreign = await lastingId(name, other);
        const list = Array.isArray(foreign);
        for (const strange of [foreign, list ? ["'; --"] : "'; --"]) {
          const input = { ...own, [name]: strange };
          const before = [await auditOf(team), await auditOf(other)];
          let found: unknown;
          const refusal = await refusalOf(
            call(procedure, team, anOwner(team), input).then((answer) => (found = answer)),
          );
          if (refusal === undefined)
            expect(nothing.safeParse(found).success, `${name}: ${JSON.stringify(found)}`).toBe(true);
          else expect(refusal, name).toBeOneOf(['not_found', 'kombination_ungueltig']);
          expect([await auditOf(team), await auditOf(other)], name).toEqual(before);
        }
      }
      // Nor does it if no statement names its team, except in a distributed database, which has no policies.
      for (const name of isDistributed() ? [] : idFields) {
        const input = { ...own, [name]: await lastingId(name, other) };
        const before = [await auditOf(team), await auditOf(other)];
        const called = withoutTenantFilters(() => call(procedure, team, anOwner(team), input));
        const answer = await called.catch(() => ({ data: [] }));
        expect(nothing.safeParse(answer).success, `${name}: ${JSON.stringify(answer)}`).toBe(true);
        expect([await auditOf(team), await auditOf(other)], name).toEqual(before);
      }
      // An object of the own team is found, even if the call is then refused for another reason.
      expect(await refusalOf(call(procedure, team, anOwner(team), own))).not.toBeOneOf([
        'not_found',
        'BAD_REQUEST',
        'INTERNAL_SERVER_ERROR',
      ]);
    },
  );
});

// The schemas of all others are as strict: see "is declared completely".
it.each(['query', 'mutation'])(
  'the first %s refuses an input with an unknown key, and changes nothing',
  async (type) => {
    const [, procedure] = rows.find(([, row]) => row.type === type) ?? expect.fail(type);
    const input = await inputFor(procedure, still);
    const before = await auditOf(still);
    for (const key of ['unknown', 'tenant_id', 'constructor']) {
      expect(await refusalOf(call(procedure, still, anOwner(still), { ...input, [key]: 'x' }))).toBe('BAD_REQUEST');
    }
    expect(await auditOf(still)).toBe(before);
  },
);
