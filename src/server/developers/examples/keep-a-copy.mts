import { DatabaseSync } from 'node:sqlite';
import { createClient, isProblem } from 'team-customer-api-client';

const { BASE_URL, API_KEY = '', COPY_FILE = 'copy.sqlite', OVERLAP_SECONDS = '300' } = process.env;
const api = createClient({ baseUrl: BASE_URL, key: API_KEY });
const copy = new DatabaseSync(COPY_FILE);
const run = (sql: string, ...values: (string | null)[]) => copy.prepare(sql).all(...values);
copy.exec(`
  create table if not exists row (list text, id text, user_id text, json text, primary key (list, id));
  create table if not exists progress (list text primary key, json text);
  -- The people whose trainings are all in the copy.
  create table if not exists complete (user_id text primary key, joined_at text);
  create view if not exists active as
    select user_id, json ->> '$.joined_at' as joined_at from row where list = 'users' and user_id is not null;`);

type Query = { limit: number; updated_since?: string | undefined; cursor?: string | undefined };
const lists = {
  users: (query: Query) => api.users.list(query),
  trainings: (query: Query) => api.trainings.list({ ...query, include: 'evaluation' }),
  assignments: (query: Query) => api.assignments.list(query),
  cases: (query: Query) => api.cases.list(query),
  deals: (query: Query) => api.crm.deals.list(query),
  objections: (query: Query) => api.crm.objections.list(query),
};
type ListName = keyof typeof lists;
type Row = { id: string; user_id?: string | null; email?: string; owner_user_id?: string | null };
/** A field that the rows of a list have only while member details are on. */
const detailOf: Partial<Record<ListName, keyof Row>> = { users: 'email', deals: 'owner_user_id' };
/** `since`: where the next read begins. The others are of an unfinished read: when it began, and where it goes on. */
type Progress = { since?: string | undefined; startedAt?: string; cursor?: string | undefined };

/** Stores rows and how far they were read: both, or neither if the program is killed meanwhile. */
const store = (name: ListName, rows: readonly Row[], progress?: Progress) => {
  copy.exec('begin');
  for (const row of rows) {
    const detail = detailOf[name];
    if (detail && !(detail in row)) throw new Error('Member details are off. The copy stays as it is.');
    run('insert or replace into row values (?, ?, ?, ?)', name, row.id, row.user_id ?? null, JSON.stringify(row));
  }
  if (progress) run('insert or replace into progress values (?, ?)', name, JSON.stringify(progress));
  copy.exec('commit');
};

const read = async (name: ListName) => {
  const [stored] = run('select json from progress where list = ?', name);
  const progress: Progress = stored ? JSON.parse(String(stored['json'])) : {};
  const { since } = progress;
  const list = lists[name];
  do {
    const answer = await list({ limit: 200, updated_since: since, cursor: progress.cursor }).withResponse();
    progress.startedAt ??= answer.headers.get('date') ?? ''; // by the clock of the service
    progress.cursor = answer.data.next_cursor ?? undefined;
    store(name, answer.data.data, progress);
  } while (progress.cursor);
  if (since && run('select id from row where list = ? limit 1', name).length > 0)
    for await (const { id } of api.deletions.list({ resource: name, since, limit: 200 }))
      run('delete from row where list = ? and id = ?', name, id);
  const next = Date.parse(progress.startedAt) - Number(OVERLAP_SECONDS) * 1000;
  store(name, [], { since: new Date(next).toISOString() });
};

/**
 * Trainings are listed while their person is in the team. They keep their times when the person leaves or comes back.
 */
const followPeople = async () => {
  copy.exec(`delete from row where list = 'trainings' and user_id not in (select user_id from active);
    delete from complete where (user_id, joined_at) not in (select user_id, joined_at from active)`);
  for (const person of run('select * from active where user_id not in (select user_id from complete)')) {
    const user_id = String(person['user_id']);
    const theirs = api.trainings.list({ user_id, include: 'evaluation', limit: 200 });
    for await (const page of theirs.pages()) store('trainings', page.data);
    run('insert into complete values (?, ?)', user_id, String(person['joined_at']));
  }
};

try {
  await read('users');
  // The first copy has all trainings of these people.
  run(`insert or replace into complete select * from active where 'trainings' not in (select list from progress)`);
  for (const name of ['trainings', 'assignments', 'cases', 'deals', 'objections'] as const) await read(name);
  await followPeople();
} catch (error) {
  // The last read is longer ago than deletions are kept: the next run copies everything anew.
  if (isProblem(error, 'validation_error') && error.field === 'since')
    copy.exec('delete from row; delete from progress; delete from complete');
  throw error;
}
