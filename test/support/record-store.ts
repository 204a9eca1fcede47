import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { listen } from './ports.ts';

// A small record store of a learning system. It takes single statements by PUT, and refuses what xAPI 1.0.3 refuses: its
// parts “Data” and “Communication”, as far as actors that are people, activities and results go.

const Id = z.string().regex(/^[\da-f]{8}-[\da-f]{4}-[1-5][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i);
/** An IRI has a scheme. */
const Iri = z.string().regex(/^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`]+$/i);
const LanguageMap = z.record(z.string().regex(/^[a-z]{2,3}(-[A-Za-z\d]{2,8})*$/), z.string());
const Timestamp = z.iso.datetime({ offset: true });
const Duration = z.string().regex(/^P(?=[\dT])(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d{1,2})?S)?)?$/);

const identifiers = ['mbox', 'mbox_sha1sum', 'openid', 'account'] as const;

const Agent = z
  .strictObject({
    objectType: z.literal('Agent').optional(),
    name: z.string().optional(),
    mbox: z
      .string()
      .regex(/^mailto:[^\s@]+@[^\s@]+$/)
      .optional(),
    mbox_sha1sum: z
      .string()
      .regex(/^[\da-f]{40}$/)
      .optional(),
    openid: Iri.optional(),
    account: z.strictObject({ homePage: Iri, name: z.string().min(1) }).optional(),
  })
  .refine((agent) => identifiers.filter((name) => agent[name] !== undefined).length === 1, 'exactly one identifier');

const Activity = z.strictObject({
  objectType: z.literal('Activity').optional(),
  id: Iri,
  definition: z
    .strictObject({
      name: LanguageMap.optional(),
      description: LanguageMap.optional(),
      type: Iri.optional(),
      moreInfo: Iri.optional(),
    })
    .optional(),
});

const Score = z
  .strictObject({
    scaled: z.number().min(-1).max(1).optional(),
    raw: z.number().optional(),
    min: z.number().optional(),
    max: z.number().optional(),
  })
  .refine(({ raw = 0, min = raw, max = raw }) => min <= raw && raw <= max, 'raw is between min and max');

const Activities = z.union([Activity, z.array(Activity)]);

const Statement = z.strictObject({
  id: Id,
  actor: Agent,
  verb: z.strictObject({ id: Iri, display: LanguageMap.optional() }),
  object: Activity,
  result: z
    .strictObject({
      score: Score.optional(),
      success: z.boolean().optional(),
      completion: z.boolean().optional(),
      response: z.string().optional(),
      duration: Duration.optional(),
    })
    .optional(),
  context: z
    .strictObject({
      registration: Id.optional(),
      contextActivities: z
        .strictObject({
          parent: Activities.optional(),
          grouping: Activities.optional(),
          category: Activities.optional(),
          other: Activities.optional(),
        })
        .optional(),
    })
    .optional(),
  timestamp: Timestamp.optional(),
});
type Statement = z.output<typeof Statement>;

/** What is wrong with a statement; undefined if nothing is. */
export const flawIn = (statement: unknown): string | undefined => {
  const { error } = Statement.safeParse(statement);
  return error && z.prettifyError(error);
};

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

export const aRecordStore = async (user: string, password: string) => {
  const statements = new Map<string, Statement>();
  /** How often each id came. */
  const offered = new Map<string, number>();
  let down = false;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    const take = async () => {
      const body = await text(request);
      const version = request.headers['x-experience-api-version'];
      const reply = (status: number, said = '') =>
        void response.writeHead(status, { 'X-Experience-API-Version': '1.0.3' }).end(said);
      if (down) return reply(503);
      if (request.headers.authorization !== authorization) return reply(401);
      if (typeof version !== 'string' || !/^1\.0(\.\d+)?$/.test(version)) return reply(400, 'no version');
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      if (request.method !== 'PUT' || pathname !== '/xapi/statements') return reply(404);
      if (request.headers['content-type'] !== 'application/json') return reply(400, 'not JSON');
      const { data, error } = Statement.safeParse(parsed(body));
      if (!data) return reply(400, z.prettifyError(error));
      if (data.id !== searchParams.get('statementId')) return reply(400, 'another id');
      offered.set(data.id, (offered.get(data.id) ?? 0) + 1);
      const known = statements.get(data.id);
      if (known && !isDeepStrictEqual(known, data)) return reply(409);
      statements.set(data.id, data);
      return reply(204);
    };
    take().catch(() => response.destroy());
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${port}/xapi`,
    statements,
    offered,
    setDown: (is: boolean) => void (down = is),
  };
};
