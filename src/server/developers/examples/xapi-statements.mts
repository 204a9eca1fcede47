import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createClient, isProblem, type Member, type WebhookEvent } from 'team-customer-api-client';

const { BASE_URL = '', API_KEY = '', LRS_URL = '', LRS_USER = '', LRS_PASSWORD = '' } = process.env;
const { ACCOUNT_HOME_PAGE = '', PRACTICE_URL, CURSOR_FILE = 'xapi.cursor' } = process.env;
const api = createClient({ baseUrl: BASE_URL, key: API_KEY });
const { origin } = new URL(BASE_URL);

const verbs = {
  assigned: 'http://activitystrea.ms/schema/1.0/assign',
  completed: 'http://adlnet.gov/expapi/verbs/completed',
  scored: 'http://adlnet.gov/expapi/verbs/scored',
};

/** A UUID made of the event and of what it is about: an event that comes again makes the same statements. */
const uuidOf = (event: string, object: string) =>
  createHash('sha1')
    .update(`${event} ${object}`)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-a$4-$5');

let people = new Map<string, Member>();
let readAt = 0;
/** The member with this `user_id`. Members are read again after an hour, or for an unknown one who may be new. */
const memberOf = async (id: string, eventAt: string) => {
  const mayBeNew = !people.has(id) && Date.parse(eventAt) > readAt - 60_000; // the clocks may differ
  if (mayBeNew || Date.now() - readAt > 3_600_000) {
    readAt = Date.now();
    const all = await api.users.list({ limit: 200 }).all();
    people = new Map(all.map((member) => [member.user_id ?? '', member]));
  }
  return people.get(id);
};

/** Whom a statement is about, by one identifier: the id of your own system, or the address. */
const actorOf = async (userId: unknown, eventAt: string) => {
  const member = typeof userId === 'string' ? await memberOf(userId, eventAt) : undefined;
  const { name, email, external_id } = member ?? {};
  const named = { objectType: 'Agent', ...(name && { name }) };
  if (external_id && ACCOUNT_HOME_PAGE)
    return { ...named, account: { homePage: ACCOUNT_HOME_PAGE, name: external_id } };
  return email ? { ...named, mbox: `mailto:${email}` } : undefined;
};

/** What a statement is about. Its id is an address of this service. */
const activity = (path: string, name: string, moreInfo?: string) => ({
  id: `${origin}/${path}`,
  definition: { name: { en: name }, ...(moreInfo && { moreInfo }) },
});

/** What a statement says, besides its id and its actor. */
interface StatementContent {
  verb: keyof typeof verbs;
  object: ReturnType<typeof activity>;
  result?: object;
  context?: object;
  timestamp?: string;
}

const training = (id: string) => activity(`trainings/${id}`, 'A practised conversation');

const readAssignment = (id: string) =>
  api.assignments.get(id).catch((error: unknown) => {
    if (isProblem(error, 'not_found')) return undefined; // deleted since
    throw error;
  });

const assignment = (id: string, title: string | null | undefined) => {
  const link = PRACTICE_URL?.replaceAll('{assignment_id}', encodeURIComponent(id));
  return activity(`assignments/${id}`, title ?? 'An assignment', link);
};

/** What an event says of a person. Other events say nothing. */
const sayingsOf = async (event: WebhookEvent): Promise<StatementContent[]> => {
  if (event.type === 'assignment.created' || event.type === 'assignment.completed') {
    const { assignment_id: id } = event.data;
    const object = assignment(id, (await readAssignment(id))?.title);
    if (event.type === 'assignment.created') return [{ verb: 'assigned', object }];
    return [{ verb: 'completed', object, result: { completion: true } }];
  }
  if (event.type === 'training.completed') {
    const { training_id, assignment_id: id, finished_at: timestamp, duration_s } = event.data;
    const result = { completion: true, duration: `PT${duration_s}S` };
    const practised: StatementContent = { verb: 'completed', object: training(training_id), timestamp, result };
    if (id === null) return [practised];
    const found = await readAssignment(id);
    const object = assignment(id, found?.title);
    const inAssignment = { ...practised, context: { contextActivities: { parent: [object] } } };
    // Practising may complete the assignment, for which there is no event of its own.
    const isDone = found?.completed_training_id === training_id;
    return isDone
      ? [inAssignment, { verb: 'completed', object, timestamp, result: { completion: true } }]
      : [inAssignment];
  }
  if (event.type === 'evaluation.completed' && event.data.score !== undefined) {
    const { training_id, score } = event.data;
    const result = { score: { scaled: score / 100, raw: score, min: 0, max: 100 } };
    return [{ verb: 'scored', object: training(training_id), result }];
  }
  return [];
};

const store = async (id: string, statement: object) => {
  const answer = await fetch(`${LRS_URL}/statements?statementId=${id}`, {
    method: 'PUT',
    headers: {
      Authorization: `Basic ${Buffer.from(`${LRS_USER}:${LRS_PASSWORD}`).toString('base64')}`,
      'Content-Type': 'application/json',
      'X-Experience-API-Version': '1.0.3',
    },
    body: JSON.stringify({ id, ...statement }),
  });
  // 409: the store has it, with a former name of the person for instance.
  if (!answer.ok && answer.status !== 409)
    throw new Error(`The record store answered with ${answer.status}: ${await answer.text()}`);
};

const storeEvent = async (event: WebhookEvent) => {
  const actor = 'user_id' in event.data ? await actorOf(event.data.user_id, event.created_at) : undefined;
  if (!actor) return; // about nobody, or about somebody who has left
  for (const { verb, object, ...more } of await sayingsOf(event)) {
    const named = { id: verbs[verb], display: { en: verb } };
    const timestamp = event.created_at;
    await store(uuidOf(event.id, object.id), { actor, verb: named, object, timestamp, ...more });
  }
};

const cursor = await readFile(CURSOR_FILE, 'utf8').catch(() => undefined);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());

const stream = api.events.stream({ cursor, start: 'oldest' }, { signal: stopping.signal });
for await (const page of stream.pages()) {
  if (page.has_gap) console.error('Events were deleted before they were read.');
  for (const event of page.data) await storeEvent(event);
  await writeFile(`${CURSOR_FILE}.new`, page.next_cursor); // only after the store has them
  await rename(`${CURSOR_FILE}.new`, CURSOR_FILE);
}
