import type * as Package from '../../src/packages/client/index.ts';

// Tests that the client must pass in every runtime. They use only the client and standard web functions, so that the
// file runs as JavaScript in Node, Bun, Deno and edge runtimes.

/** The team that the suite works in, and requests that were signed for it. */
export interface World {
  baseUrl: string;
  key: string;
  teamId: string;
  /** Active members besides the owner; each has one scored training. */
  members: { id: string; user_id: string }[];
  combination: { situation_id: string; personality_id: string; industry_id: string };
  webhook: { secret: string; body: string; headers: Record<string, string> };
  /**
   * A proxy before the service. Below `/lose/<any id>` it loses the first answer, after the service has acted; below
   * `/wait/<any id>` it does not answer.
   */
  proxyUrl: string;
}

const check = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};

const same = (actual: unknown, expected: unknown): void =>
  check(
    JSON.stringify(actual) === JSON.stringify(expected),
    `${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
  );

const errorOf = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
};

/** What the client of a language offers. */
interface Abilities {
  /** Whether a signal ends a call. */
  aborts: boolean;
}

export const suite = (
  client: typeof Package,
  world: World,
  { aborts }: Abilities = { aborts: true },
): Record<string, () => Promise<void>> => {
  const { createClient, verifyWebhook, isProblem, ApiError, WebhookError } = client;
  const { baseUrl, key, members, combination, webhook } = world;
  /** A client whose first answer is lost, or that gets none. */
  const through = (what: 'lose' | 'wait') => {
    const { pathname } = new URL(baseUrl);
    return createClient({
      baseUrl: `${world.proxyUrl}/${what}/${crypto.randomUUID()}${pathname}`,
      key,
      language: 'en',
    });
  };
  const api = createClient({ baseUrl, key, language: 'en' });
  const newCase = { user_id: members[0]?.user_id ?? '', title: 'Grüße 🔑', external_ref: { crm: 7 } };

  return {
    'reads what the key is': async () => {
      same((await api.me()).tenant_id, world.teamId);
    },
    'finds the service by its origin alone': async () => {
      const { origin } = new URL(baseUrl);
      same((await createClient({ baseUrl: origin, key }).me()).tenant_id, world.teamId);
    },
    'gives status, headers and budget with an answer': async () => {
      const { data, status, requestId, rateLimit, replayed, attempts, text } = await api.users
        .get(members[0]?.id ?? '')
        .withResponse();
      same([data.id, status, replayed, attempts], [members[0]?.id, 200, false, 1]);
      check(/^[0-9a-f-]{36}$/.test(requestId ?? ''), 'no request id');
      check((rateLimit?.remaining ?? 0) > 0 && (rateLimit?.resetSeconds ?? 0) > 0, 'no budget');
      same(JSON.parse(text), data);
    },
    'reads a list entry by entry, over all pages': async () => {
      const ids: string[] = [];
      for await (const user of api.users.list({ limit: 2 })) ids.push(user.id);
      same([ids.length, new Set(ids).size], [members.length + 1, members.length + 1]);
      for (const { id } of members) check(ids.includes(id), 'somebody is missing');
    },
    'reads a list page by page, its first page, and all of it': async () => {
      const sizes: number[] = [];
      for await (const page of api.users.list({ limit: 2 }).pages()) sizes.push(page.data.length);
      same(sizes, [2, 2]);
      const { data, next_cursor } = await api.users.list({ limit: 2 });
      check(data.length === 2 && typeof next_cursor === 'string', 'not the first page');
      same((await api.users.list({ limit: 2, cursor: next_cursor ?? '' })).data.length, 2);
      same((await api.users.list({ limit: 1 }).all(3)).length, 3);
    },
    'sends filters with every page': async () => {
      const user_id = members[0]?.user_id ?? '';
      const found = await api.trainings.list({ user_id, limit: 1, since: new Date(0) }).all();
      same([...new Set(found.map((training) => training.user_id))], [user_id]);
      same(found.length, 2);
      same((await api.evaluations.list({ limit: 1 }).all()).length, members.length);
      same((await api.evaluations.list({ user_id, since: new Date(0), limit: 1 }).all()).length, 1);
      same(await api.evaluations.list({ user_id, until: new Date(0) }).all(), []);
      same((await api.evaluations.get((await api.evaluations.list()).data[0]?.id ?? '')).score.total, 63);
    },
    'finds a member by an id of one’s own, and by the address': async () => {
      const id = members[0]?.id ?? '';
      const { email = '' } = await api.users.get(id);
      const external_id = crypto.randomUUID();
      same((await api.users.update(id, { role: 'member', external_id })).external_id, external_id);
      const byId = await api.users.list({ external_id }).all();
      const byAddress = await api.users.list({ email: email.toUpperCase(), status: 'active' }).all();
      same(
        [...byId, ...byAddress].map((user) => user.id),
        [id, id],
      );
    },
    'creates, changes and deletes': async () => {
      const made = await api.cases.create(newCase);
      same([made.title, made.external_ref], [newCase.title, newCase.external_ref]);
      same((await api.cases.update(made.id, { title: null })).title, null);
      same(await api.cases.delete(made.id), { ok: true });
      check(isProblem(await errorOf(api.cases.get(made.id)), 'not_found'), 'it is still there');
    },
    'creates once, also if the answer is lost': async () => {
      const { data, replayed, attempts } = await through('lose')
        .cases.create({ ...newCase, title: 'once' })
        .withResponse();
      same([replayed, attempts], [true, 2]);
      const made = (await api.cases.list({ user_id: newCase.user_id }).all()).filter(({ title }) => title === 'once');
      same(
        made.map(({ id }) => id),
        [data.id],
      );
    },
    'deletes, also if the answer is lost': async () => {
      const made = await api.cases.create(newCase);
      same(await through('lose').cases.delete(made.id), { ok: true });
      check(isProblem(await errorOf(api.cases.delete(made.id)), 'not_found'), 'a second call deletes nothing');
    },
    'has one idempotency key for a call, and takes one that is given': async () => {
      const idempotencyKey = crypto.randomUUID();
      const first = await through('lose').cases.create(newCase, { idempotencyKey });
      same((await api.cases.create(newCase, { idempotencyKey })).id, first.id);
      check((await api.cases.create(newCase)).id !== first.id, 'another call has the same key');
    },
    'throws problems, which their code narrows': async () => {
      const [member] = members;
      const unknown = { ...combination, situation_id: '01990c1e-7a00-7000-8000-000000000099' };
      const error = await errorOf(
        api.assignments.create({ member_id: member?.id ?? '', title: 'Practise', ...unknown }),
      );
      if (!(error instanceof ApiError) || error.code !== 'kombination_ungueltig') throw error;
      same([error.status, error.dimension, error.id], [422, 'situation', unknown.situation_id]);
      same(error.title, 'Combination not possible');
      const german = await errorOf(api.cases.get('none', { language: 'de' }));
      check(isProblem(german, 'not_found') && german.title === 'Nicht gefunden', 'not in German');
      const refused = await errorOf(api.users.list({ limit: 0 }));
      check(isProblem(refused, 'validation_error') && refused.errors?.[0]?.path.includes('limit') === true, 'no path');
      const stranger = await errorOf(createClient({ baseUrl, key: 'svck_live_nobody' }).me());
      check(isProblem(stranger, 'unauthorized') && /^[0-9a-f-]{36}$/.test(stranger.requestId ?? ''), 'no request id');
    },
    'ends when it takes too long': async () => {
      const late = await errorOf(through('wait').me({ timeoutMs: 50, retries: 0 }));
      check(late instanceof client.ConnectionError && late.reason === 'timeout', String(late));
    },
    ...(aborts && {
      'ends when it is aborted': async () => {
        const controller = new AbortController();
        const aborted = errorOf(through('wait').me({ signal: controller.signal }));
        controller.abort(new Error('no longer wanted'));
        same(String(await aborted), 'Error: no longer wanted');
      },
    }),
    'reads the feed of events to its end, and follows it': async () => {
      const [member] = members;
      const wanted = { member_id: member?.id ?? '', title: 'Practise', ...combination };
      const made = [await api.assignments.create(wanted), await api.assignments.create(wanted)];
      const query = { type: 'assignment.created', limit: 1 } as const;
      const read = async (events: AsyncIterable<Package.WebhookEvent>, max: number) => {
        const ids: string[] = [];
        for await (const event of events) {
          if (event.type !== 'assignment.created') throw new Error(event.type);
          ids.push(event.data.assignment_id);
          if (ids.length === max) break;
        }
        return ids;
      };
      const all = made.map(({ id }) => id);
      same((await read(api.events.list(query), 100)).slice(-2), all);

      const controller = new AbortController();
      const stream = api.events.stream({ ...query, start: 'now' }, { signal: controller.signal });
      const next = read(stream, 1);
      // The first request of the stream may come after an event that is created at once.
      const creating = setInterval(() => {
        void api.assignments.create(wanted);
      }, 200);
      const [seen] = await next;
      clearInterval(creating);
      check(seen !== undefined && !all.includes(seen), 'the stream began with an old event');
      controller.abort();
      same(await read(stream, 1), []);
    },
    'exports whole lists, and then what has changed': async () => {
      const read = async (rows: AsyncIterable<{ id: string }>) => {
        const ids: string[] = [];
        for await (const { id } of rows) ids.push(id);
        return ids;
      };
      const rows = api.exports.members();
      const all = await api.users.list().all();
      same((await read(rows)).toSorted(), all.map(({ id }) => id).toSorted());
      check(typeof rows.cursor === 'string', 'no cursor');
      const next = api.exports.members({ cursor: rows.cursor, updated_since: new Date(Date.now() + 3_600_000) });
      same(await read(next), []);
      for await (const { evaluation } of api.exports.trainings({ include: 'evaluation' }))
        if (evaluation) same(evaluation.score.total, 63);
    },
    'creates any number of assignments, each by itself, and once if the answer is lost': async () => {
      const [member] = members;
      const item = { member_id: member?.id ?? '', title: 'Many', ...combination };
      const items = Array.from({ length: 103 }, (_, at) => (at === 101 ? { ...item, title: '' } : item));
      const results = await through('lose').assignments.createMany(items);
      same(results.length, 103);
      for (const [at, { status, assignment, problem }] of results.entries()) {
        if (at !== 101) same([status, assignment?.title, problem], [201, 'Many', undefined]);
        else
          same(
            [status, assignment, problem?.code, problem?.title],
            [422, undefined, 'validation_error', 'Invalid values'],
          );
      }
      const made = (await api.assignments.list({ limit: 200 }).all()).filter(({ title }) => title === 'Many');
      same(made.length, 102);
      same(await api.assignments.createMany([]), []);
    },
    'verifies webhooks and names why one is refused': async () => {
      const event = await verifyWebhook(webhook);
      if (event.type !== 'evaluation.completed') throw new Error(event.type);
      same(event.data.score, 72);
      const bytes = new TextEncoder().encode(webhook.body);
      same((await verifyWebhook({ ...webhook, body: bytes, headers: new Headers(webhook.headers) })).id, event.id);
      const refused = async (changes: Partial<Package.WebhookRequest>) => {
        const error = await errorOf(verifyWebhook({ ...webhook, ...changes }));
        return error instanceof WebhookError ? error.reason : String(error);
      };
      same(await refused({ headers: {} }), 'missing_header');
      same(await refused({ body: JSON.stringify(JSON.parse(webhook.body), null, 2) }), 'body_changed');
      same(await refused({ secret: `whsec_${'A'.repeat(44)}` }), 'wrong_secret');
      same(await refused({ now: new Date(Date.now() + 3_600_000) }), 'timestamp_too_old');
    },
  };
};

/** Runs the suite and returns each name, with the error if it failed. */
export const run = async (
  client: typeof Package,
  world: World,
  abilities?: Abilities,
): Promise<[name: string, error: string | null][]> => {
  const results: [string, string | null][] = [];
  for (const [name, one] of Object.entries(suite(client, world, abilities))) {
    const error = await one().then(
      () => null,
      (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
    results.push([name, error]);
  }
  return results;
};
