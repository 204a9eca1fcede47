import { setTimeout as sleep } from 'node:timers/promises';

interface Session {
  id: string;
  status: string;
  /** Only in `GET /evaluations?include=evaluation`. */
  evaluation?: object | null;
}

interface Page {
  data: Session[];
  next_cursor: string | null;
}

/** Your database: the rows by their ids, and the watermarks. */
export interface LocalCopy {
  sessions: Map<string, Session>;
  evaluations: Map<string, object>;
  watermarks: Map<string, Date>;
}

/** Sends requests to the API. After 429 or 503 it waits for as long as `Retry-After` says, and repeats the request. */
export const apiOf = (baseUrl: string, key: string) => {
  const ask = async (path: string): Promise<Response> => {
    const answer = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    if (answer.status !== 429 && answer.status !== 503) return answer;
    const seconds = Number(answer.headers.get('retry-after'));
    await sleep(seconds > 0 ? seconds * 1000 : 5000); // without a number, as from a proxy: five seconds
    return ask(path);
  };
  return ask;
};

/** Updates your data. Call it every minute or so, and when a webhook arrives. */
export const follow = async (ask: (path: string) => Promise<Response>, kept: LocalCopy, overlap = 5 * 60_000) => {
  const readSince = async (list: string, parameter: string, more = '') => {
    const watermark = kept.watermarks.get(list);
    const since = watermark ? `&${parameter}=${new Date(watermark.getTime() - overlap).toISOString()}` : '';
    const sessions: Session[] = [];
    let readAt: Date | undefined;
    let cursor: string | null = '';
    while (cursor !== null) {
      const answer = await ask(`${list}?limit=200${more}${since}${cursor && `&cursor=${cursor}`}`);
      if (!answer.ok) throw new Error(`${list}: ${answer.status} ${await answer.text()}`);
      // The time of the first page by the clock of the API, not by yours.
      readAt ??= new Date(answer.headers.get('date') ?? 0);
      const page: Page = JSON.parse(await answer.text());
      sessions.push(...page.data);
      cursor = page.next_cursor;
    }
    return { sessions, done: () => kept.watermarks.set(list, readAt ?? new Date(0)) };
  };

  const started = await readSince('/trainings', 'since');
  for (const session of started.sessions) kept.sessions.set(session.id, session);
  started.done();

  const scored = await readSince('/evaluations', 'updated_since', '&include=evaluation');
  for (const { evaluation, ...session } of scored.sessions) {
    kept.sessions.set(session.id, session);
    if (evaluation) kept.evaluations.set(session.id, evaluation);
  }
  scored.done();

  // No list shows that a training was `ended` or `aborted`. One that was `scored` was among the evaluations.
  for (const { id } of [...kept.sessions.values()].filter(({ status }) => status === 'running')) {
    const answer = await ask(`/trainings/${id}`);
    if (answer.status === 404) kept.sessions.delete(id);
    else if (answer.ok) kept.sessions.set(id, JSON.parse(await answer.text()));
    else throw new Error(`training: ${answer.status} ${await answer.text()}`);
  }
};
