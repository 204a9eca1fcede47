import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { appRouter } from '../../src/modules/app-router.ts';
import { jsonSchemaOf } from '../../src/core/json-schema.ts';
import { keyRight } from '../../src/modules/keys/schema.ts';
import { proceduresOf, schemasOf } from '../../src/platform/trpc/procedures.ts';
import { JsonSchema } from '../conformance/described-api.ts';
import { makeBrowser, type AppAnswer, type BrowserSession, aSignedInPerson, testPassword } from '../support/people.ts';
import { appIdMakers, type MakeId } from '../support/id-makers.ts';
import { calledOperations } from '../support/operations.ts';
import { minOf } from '../conformance/schema-texts.ts';
import { onEachNode } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { withoutTenantFilters } from '../support/without-tenant-filters.ts';
import { appProcedures } from './rows/app.ts';
import type { AppRow, Audience } from './rows/kinds.ts';

// Who may call the procedures of the app: the tables in rows against the running service. Every procedure is called
// over HTTP by people who are signed in. A procedure without a row fails in access.test.ts.

interface AppProcedure {
  /** Such as `ownCases.list`. */
  path: string;
  type: 'query' | 'mutation' | 'subscription';
  row: AppRow;
  input: z.ZodObject;
}

const rows = proceduresOf(appRouter).flatMap(([path, procedure]): (readonly [string, AppProcedure])[] => {
  const row = appProcedures[path];
  return row ? [[path, { path, type: procedure._def.type, row, input: schemasOf([path, procedure]).input }]] : [];
});

const service = await useTestService({
  environment: { SIGN_IN_RATE_PER_MIN: '100000' },
  signIn: { callsPerSessionPerMinute: 100_000 },
});

/** All kinds of people in a team. */
const kinds = ['a member', 'a member with the right', 'an admin', 'an admin with the right', 'the owner'] as const;
type Kind = (typeof kinds)[number];

const letIn: Readonly<Record<Audience, readonly Kind[]>> = {
  member: kinds,
  admin: ['an admin', 'an admin with the right', 'the owner'],
  keys: ['an admin with the right', 'the owner'],
  owner: ['the owner'],
};

/** A team whose people sign in when they are needed. */
interface Peopled {
  readonly team: TestTeam;
  readonly browserOf: (kind: Kind) => Promise<BrowserSession>;
}

const signedIn = async (team: TestTeam, kind: Kind): Promise<BrowserSession> => {
  if (kind !== 'the owner') {
    const role = kind.startsWith('an admin') ? 'admin' : 'member';
    const rights = kind.endsWith('right') ? [keyRight] : [];
    return (await aSignedInPerson(service, team, { role, rights })).browser;
  }
  const browser = makeBrowser(service);
  expect((await browser.signIn(team.owner.email, testPassword)).status).toBe(200);
  return browser;
};

const aPeopledTeam = async (): Promise<Peopled> => {
  const team = await aTeam(service, { seats: 5_000, ownerPassword: testPassword });
  const browsers = new Map<Kind, Promise<BrowserSession>>();
  const browserOf = (kind: Kind) => {
    const browser = browsers.get(kind) ?? signedIn(team, kind);
    browsers.set(kind, browser);
    return browser;
  };
  return { team, browserOf };
};

/** A team in which nothing changes: for queries, and for calls that are refused. */
const still = await aPeopledTeam();
/** A team for changes. */
const moving = await aPeopledTeam();
/** The team to which foreign ids belong. */
const other = await aPeopledTeam();
const hiding = await aPeopledTeam();
await hiding.team.change({ memberDetail: false });
const suspended = await aPeopledTeam();
await suspended.team.change({ status: 'suspended' });

// All these calls would use up the changes that a team may make in a minute.
beforeEach(async () => {
  await onEachNode(service.database, async () => service.database.prisma.rateWindow.deleteMany());
});

/** A procedure of the owner may change who that is, so it gets a team of its own. */
const isOfOwner = ({ type, row }: AppProcedure): boolean => type === 'mutation' && row.who === 'owner';

/** The people who may call it with the fewest rights. */
const leastOf = ({ row }: AppProcedure): Kind => letIn[row.who][0] ?? 'the owner';

const teamFor = async (procedure: AppProcedure): Promise<Peopled> => {
  if (procedure.type === 'query') return still;
  return isOfOwner(procedure) ? aPeopledTeam() : moving;
};

const call = (
  browser: BrowserSession,
  { path, type }: Pick<AppProcedure, 'path' | 'type'>,
  team: { id: string },
  input: unknown,
): Promise<AppAnswer> => browser[type === 'query' ? 'query' : 'mutate'](`app/${path}`, input, { team: team.id });

/** The code of a refusal; undefined if the call succeeded. */
const codeOf = (answer: AppAnswer): unknown => (answer.status === 200 ? undefined : answer.problem['code']);

/** A team whose people showed their passwords an hour ago. */
const late = await aPeopledTeam();
for (const kind of ['the owner', 'a member'] as const) await late.browserOf(kind);
const lateUsers = await service.database.prisma.teamUser.findMany({ where: { tenantId: late.team.id } });
await service.database.prisma.session.updateMany({
  where: { personId: { in: lateUsers.flatMap(({ personId }) => personId ?? []) } },
  data: { createdAt: new Date(Date.now() - 3_600_000), provedAt: null },
});

const idsOf = appIdMakers(service);

/** Ids of the customer that are no ids of this service. */
const foreignByNature = new Set(['client_id', 'external_id', 'persona_id']);

const namesIds = (name: string): boolean =>
  !foreignByNature.has(name) && (Object.hasOwn(idsOf, name) || /_ids?$/.test(name));

const makeOf = ({ row }: AppProcedure, name: string): MakeId => {
  const own = row.ids?.[name];
  const make = own ? (team: TestTeam) => own(service, team) : idsOf[name];
  if (!make) throw new Error(`add a way to make a ${name} to idMakers, or to the row of the procedure`);
  return make;
};

const idFieldsOf = ({ input }: AppProcedure): string[] => Object.keys(input.shape).filter(namesIds);

const Values = z.record(z.string(), z.unknown());

const kept = new Map<string, Promise<unknown>>();

/** An id of a team whose objects no call here changes. Such an object is made once, for all procedures. */
const lastingId = (procedure: AppProcedure, name: string, team: TestTeam): Promise<unknown> => {
  const key = `${procedure.row.ids?.[name] ? procedure.path : ''} ${name} ${team.id}`;
  const made = kept.get(key) ?? makeOf(procedure, name)(team);
  kept.set(key, made);
  return made;
};

/** The minimal input of a procedure, with all fields of ids filled by `team`. */
const inputFor = async (procedure: AppProcedure, team: TestTeam): Promise<Record<string, unknown>> => {
  const { $schema: _dialect, ...schema } = jsonSchemaOf(procedure.input, 'input');
  const values = Values.parse(minOf(JsonSchema.parse(schema)));
  const idIn = (name: string) =>
    team === still.team ? lastingId(procedure, name, team) : makeOf(procedure, name)(team);
  for (const name of idFieldsOf(procedure)) values[name] = await idIn(name);
  return values;
};

const auditOf = (team: TestTeam) => service.database.prisma.auditEntry.count({ where: { tenantId: team.id } });

/** An input that no procedure takes. A refusal that comes before the check of the input can't depend on it. */
const flawed = { unknown: 1 };

/** A call of the app that may be refused before its input is checked. */
interface Admitting {
  title: string;
  who: Audience;
  /** The code for people who may not call it. */
  refusal: string;
  ask: (browser: BrowserSession, team: TestTeam) => Promise<AppAnswer>;
}

const procedures = rows.map(([path, procedure]): Admitting & AppProcedure => ({
  ...procedure,
  title: path,
  who: procedure.row.who,
  refusal: 'forbidden',
  ask: (browser, team) => call(browser, procedure, team, flawed),
}));

const operations = calledOperations().map(({ title, people, name, openapi, query }): Admitting => ({
  title,
  who: people,
  refusal: 'insufficient_scope',
  ask: (browser, team) =>
    browser[openapi.method === 'GET' ? 'query' : 'mutate'](`api/${name}`, { ...query, ...flawed }, { team: team.id }),
}));

/** The codes of the answers by title, or those that a rule expects. */
const codesBy = <Row extends Admitting>(asked: readonly Row[], codeFor: (row: Row) => unknown) =>
  Object.fromEntries(asked.map((row) => [row.title, codeFor(row)]));

/** Calls several at a time, with a flawed input. */
const answersTo = async (asked: readonly Admitting[], browser: BrowserSession, team: TestTeam) => {
  const codes = new Map<Admitting, unknown>();
  const left = [...asked];
  const work = async () => {
    for (let row = left.shift(); row; row = left.shift()) codes.set(row, codeOf(await row.ask(browser, team)));
  };
  await Promise.all([work(), work(), work(), work(), work(), work()]);
  return codesBy(asked, (row) => codes.get(row));
};

/** An empty list for unknown ids, or the results of an action on several unknown ids. */
const nothing = z.union([
  z.object({ data: z.array(z.unknown()).length(0) }),
  z.object({ count: z.literal(0), more: z.literal(false) }),
  z.object({ results: z.array(z.object({ code: z.enum(['not_found', 'kombination_ungueltig']) })) }),
]);

describe('before they check the input, all procedures', () => {
  const all = [...procedures, ...operations];

  it.each(kinds)('and operations admit or refuse %s as the table says', async (kind) => {
    expect(await answersTo(all, await still.browserOf(kind), still.team)).toEqual(
      codesBy(all, ({ who, refusal }) => (letIn[who].includes(kind) ? 'validation_error' : refusal)),
    );
  });

  it('and operations refuse the owner of another team and anybody who is not signed in', async () => {
    const refused = codesBy(all, () => 'unauthorized');
    expect(await answersTo(all, await other.browserOf('the owner'), still.team)).toEqual(refused);
    expect(await answersTo(all, makeBrowser(service), still.team)).toEqual(refused);
  });

  it('are refused while the team is suspended, unless the table says otherwise', async () => {
    const refused = procedures.filter(({ row }) => !row.whileInactive);
    const browser = await suspended.browserOf('the owner');
    expect(await answersTo(refused, browser, suspended.team)).toEqual(codesBy(refused, () => 'api_disabled'));
    for (const procedure of procedures.filter(({ row }) => row.whileInactive)) {
      const answer = await call(browser, procedure, suspended.team, await inputFor(procedure, still.team));
      expect(codeOf(answer), procedure.path).toBe(undefined);
    }
  });

  it('require a fresh proof if the table says so, and no one else is asked for it', async () => {
    expect(await answersTo(procedures, await late.browserOf('the owner'), late.team)).toEqual(
      codesBy(procedures, ({ row }) => (row.freshProof === 'always' ? 'proof_required' : 'validation_error')),
    );
    const notOfMembers = procedures.filter(({ who }) => who !== 'member');
    expect(await answersTo(notOfMembers, await late.browserOf('a member'), late.team)).toEqual(
      codesBy(notOfMembers, ({ refusal }) => refusal),
    );
  });
});

describe.each(rows)('%s', (_path, procedure) => {
  const { row } = procedure;

  it('is not refused by its action to those whom the table admits', async () => {
    const { team, browserOf } = await teamFor(procedure);
    const browser = await browserOf(leastOf(procedure));
    const code = codeOf(await call(browser, procedure, team, await inputFor(procedure, team)));
    expect(code).not.toBeOneOf(['forbidden', 'proof_required', 'unauthorized', 'internal']);
  });

  it(`${row.refusedWhileHidden ? 'is refused' : 'is answered'} while the team hides member-level data`, async () => {
    const { team, browserOf } = isOfOwner(procedure) ? await aPeopledTeam() : hiding;
    if (team !== hiding.team) await team.change({ memberDetail: false });
    const browser = await browserOf(leastOf(procedure));
    const code = codeOf(await call(browser, procedure, team, await inputFor(procedure, team)));
    if (row.refusedWhileHidden) expect(code).toBe('privacy_restricted');
    else expect(code).not.toBe('privacy_restricted');
  });

  const idFields = idFieldsOf(procedure);

  it.runIf(idFields.length > 0)(
    'finds nothing by an id of another team or a text that is no id, and changes nothing',
    async () => {
      const { team, browserOf } = await teamFor(procedure);
      const browser = await browserOf('the owner');
      const own = await inputFor(procedure, team);
      const foreignIds = new Map<string, unknown>();
      for (const name of idFields) foreignIds.set(name, await lastingId(procedure, name, other.team));
      const audits = () => Promise.all([auditOf(team), auditOf(other.team)]);
      const before = await audits();
      const expectNothing = async (name: string, answer: AppAnswer) => {
        if (answer.status === 200) expect(nothing.safeParse(answer.data).success, `${name}: ${answer.text}`).toBe(true);
        expect(await audits(), name).toEqual(before);
      };
      for (const [name, foreign] of foreignIds) {
        const list = Array.isArray(foreign);
        for (const strange of [foreign, list ? ["'; --"] : "'; --"]) {
          const answer = await call(browser, procedure, team, { ...own, [name]: strange });
          if (answer.status !== 200) expect(codeOf(answer), name).toBeOneOf(['not_found', 'kombination_ungueltig']);
          await expectNothing(name, answer);
        }
        // Nor does it if no statement names its team.
        const input = { ...own, [name]: foreign };
        await expectNothing(name, await withoutTenantFilters(() => call(browser, procedure, team, input)));
      }
      // An object of the own team is found, even if the call is then refused for another reason.
      const answer = await call(browser, procedure, team, own);
      expect(codeOf(answer)).not.toBeOneOf(['not_found', 'internal']);
      if (codeOf(answer) === 'validation_error') expect(answer.problem).not.toHaveProperty('errors');
    },
  );
});

it.each([
  ['keys.create', ['users:read'], undefined],
  ['keys.create', ['users:read', 'users:write'], 'proof_required'],
  ['keys.create', ['directory:manage'], 'proof_required'],
  ['keys.rotate', ['users:read'], undefined],
  ['keys.rotate', ['users:write'], 'proof_required'],
  ['keys.rotate', ['directory:manage'], 'proof_required'],
] as const)('%s of a key with %j without a fresh proof: %s', async (path, scopes, code) => {
  expect(appProcedures[path]?.freshProof).toBe('some');
  const { id: key_id } = await late.team.aKey({ scopes: [...scopes] });
  const input = path === 'keys.create' ? { name: 'CRM', scopes: [...scopes] } : { key_id, grace_days: 0 };
  const owner = await late.browserOf('the owner');
  expect(codeOf(await call(owner, { path, type: 'mutation' }, late.team, input))).toBe(code);
});
