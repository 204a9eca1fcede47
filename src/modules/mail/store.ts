import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { Plan } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { bool, bytes, day, int, listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `mail` and `mail_count`.

// Teams take turns: the n-th mail of a team within an hour has the same priority as the n-th mails of other teams. Mails without a team,
// which are links for a new password, go first.
const addJobs = query({
  name: 'mail.addJobs',
  why: 'adds jobs of graphile-worker, with a priority that counts the mails of the last hour',
  sql: `select graphile_worker.add_job(:task, json_build_object('mailId', id), job_key => 'mail ' || id,
                                       priority => least(recent + n, 30000)::int, flags => string_to_array(flags, ' ')) is not null as added
          from unnest(:ids::text[], :flags::text[]) with ordinality as queued (id, flags, n),
               (select count(*) - cardinality(:ids::text[]) as recent from mail
                 where tenant_id = :tenantId::uuid and created_at >= :since) as sent`,
  parameters: { task: text, ids: listOf(text), flags: listOf(text), tenantId: uuid.orNull, since: time },
  row: { added: bool.checked },
});

// For a moment only: while it waits, mails that were queued later go first. If no other job makes the queue look, it does so within a second.
const postponeJob = query({
  name: 'mail.postponeJob',
  why: 'replaces a job of graphile-worker',
  sql: `select graphile_worker.add_job(:task, json_build_object('mailId', :id::text), job_key => 'mail ' || :id::text,
                                       run_at => now() + interval '100 milliseconds', flags => :flags::text[],
                                       priority => coalesce((select priority from graphile_worker.jobs where key = 'mail ' || :id::text), 0)::int)
               is not null as added`,
  parameters: { task: text, id: text, flags: listOf(text) },
  row: { added: bool.checked },
});

// A job that has used up its tries is replaced by a new one.
const addJobAgain = query({
  name: 'mail.addJobAgain',
  why: 'replaces a job of graphile-worker',
  sql: `select graphile_worker.add_job(:task, json_build_object('mailId', :id::text), job_key => 'mail ' || :id::text,
                                       flags => :flags::text[]) is not null as added`,
  parameters: { task: text, id: text, flags: listOf(text) },
  row: { added: bool.checked },
});

const nextTries = query({
  name: 'mail.nextTries',
  why: 'reads a table of graphile-worker',
  sql: `select substr(key, 6) as id, greatest(run_at, now()) as at from graphile_worker.jobs
         where key = any (array(select 'mail ' || id from unnest(:ids::text[]) as mail (id))) and attempts < max_attempts`,
  parameters: { ids: listOf(text) },
  row: { id: text.checked, at: time.checked },
});

const batch = 500;

const waitingAfter = query({
  name: 'mail.waitingAfter',
  why: 'compares two columns as a pair, so that the index gives the position',
  sql: `select id, created_at, body from mail
         where sent_at is null and (created_at, id) > (:createdAt, :id) order by created_at, id limit ${batch}`,
  parameters: { createdAt: time, id: uuid },
  row: { id: uuid, created_at: time, body: bytes },
});

export const mails = {
  get: (tx: Tx, id: string) => tx.mail.findUnique({ where: { id } }),

  newest: (tx: Tx, count: number) =>
    tx.mail.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: count }),

  /** Mails that could not be sent, newest first: at most `count`, or all. */
  failed: (tx: Tx, count?: number) =>
    tx.mail.findMany({
      where: { sentAt: null, error: { not: null } },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      ...(count !== undefined && { take: count }),
    }),

  /** When mails are tried next. Mails that are not tried again are left out. */
  nextTries: (database: Database, ids: string[]) => database.run(nextTries, { ids }),

  /** Adds a mail's job again, with all its tries. */
  addJobAgain: (database: Database, job: { task: string; id: string; flags: string[] }) =>
    database.run(addJobAgain, job),

  insert: (tx: Tx, data: Prisma.MailCreateManyInput[]) => tx.mail.createMany({ data }),

  update: (tx: Tx, id: string, data: Prisma.MailUncheckedUpdateInput) => tx.mail.update({ where: { id }, data }),

  /** Adds the jobs that send mails, each with its flags as one text. */
  addJobs: (tx: Tx, jobs: { task: string; ids: string[]; flags: string[]; tenantId: string | null; since: Date }) =>
    runIn(tx, addJobs, jobs),

  /** Postpones a mail's job by a second. A job that is running is not changed. */
  postponeJob: (database: Database, job: { task: string; id: string; flags: string[] }) =>
    database.run(postponeJob, job),

  /** A batch of unsent mails after a position. */
  waitingAfter: (database: Database, position: { createdAt: string; id: string }) =>
    database.run(waitingAfter, position),

  /** Replaces a body, unless it was changed meanwhile. Returns whether it did. */
  replaceBody: async (tx: Tx, id: string, { former, body }: Record<'former' | 'body', Uint8Array<ArrayBuffer>>) =>
    (await tx.mail.updateMany({ where: { id, body: former }, data: { body } })).count > 0,
};

// Every transaction locks in the order of the subjects, so that two can't deadlock.
const addCounts = query({
  name: 'mail.addCounts',
  why: 'adds to many counters at once, starts each anew on a new day, and locks them in one order',
  sql: `insert into mail_count as known (subject, day, used)
        select subject, :day::date, count from unnest(:subjects::text[], :counts::integer[]) as wanted (subject, count)
         order by subject collate "C"
        on conflict (subject) do update
           set used = excluded.used + case when known.day < excluded.day then 0 else known.used end,
               day = greatest(known.day, excluded.day)
        returning subject, used, (select plan from team where id = :teamId::uuid) as plan`,
  parameters: { subjects: listOf(text), counts: listOf(int), day, teamId: uuid.orNull },
  row: { subject: text, used: int, plan: oneOf('plan', Plan).orNull },
});

const takeBack = query({
  name: 'mail.takeBack',
  why: 'takes a number of its own off each of many counters',
  sql: `update mail_count set used = used - refused.count
          from unnest(:subjects::text[], :counts::integer[]) as refused (subject, count)
         where mail_count.subject = refused.subject`,
  parameters: { subjects: listOf(text), counts: listOf(int) },
  row: {},
});

const usage = query({
  name: 'mail.usage',
  why: 'reads the plan and the counter of one moment',
  sql: `select plan, coalesce((select used from mail_count where subject = :subject and day >= :day::date), 0) as used
          from team where id = :teamId::uuid`,
  parameters: { teamId: uuid, subject: text, day },
  row: { plan: oneOf('plan', Plan), used: int.checked },
});

const forget = query({
  name: 'mail.forgetCounts',
  why: 'skips counters that are locked',
  sql: `delete from mail_count
         where subject in (select subject from mail_count where day < :day::date - 1 for update skip locked)`,
  parameters: { day },
  row: {},
});

type Counts = { subjects: string[]; counts: number[] };

export const mailCounts = {
  /** Adds to counters of a day, and returns their new values with the team's plan. */
  add: (tx: Tx, counts: Counts & { day: string; teamId: string | null }) => runIn(tx, addCounts, counts),

  takeBack: (tx: Tx, counts: Counts) => runIn(tx, takeBack, counts),

  usage: async (database: Database, wanted: { teamId: string; subject: string; day: string }) =>
    (await database.run(usage, wanted))[0],

  /** Deletes the counters of past days. */
  forget: (database: Database, today: string) => database.run(forget, { day: today }),
};

/** Mails in the team's export and in the erasure of a person. */
export const mailData = teamTable({
  module: 'mail',
  rows: 'from mail',
  file: 'mails.json',
  key: { created_at: 'timestamptz', id: 'uuid' },
  values: ['id', 'recipient', 'language', 'kind', 'tries'],
  times: ['created_at', 'sent_at', 'failed_at'],
  texts: ['error'],
  leftOut: { body: 'It is encrypted, since links in it let their bearer in.' },
});

/** Deletes the mails of a team, or of none, to these addresses, and returns how many. Their jobs then find nothing to send. */
export const removeMailsTo = async (tx: Tx, tenantId: string | null, emails: string[]): Promise<number> =>
  (await tx.mail.deleteMany({ where: { tenantId, recipient: { in: emails } } })).count;
