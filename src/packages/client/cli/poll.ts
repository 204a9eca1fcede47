import { createClient } from '../index.ts';
import { ApiError } from '../errors.ts';
import type { EventsListQuery } from '../generated/resources.ts';
import type { WebhookEvent } from '../webhooks.ts';
import { signedHeaders, type Forward } from './forward.ts';
import type { Print } from './print.ts';

interface PollOptions {
  key: string;
  baseUrl: string | undefined;
  type: string | undefined;
  cursor: string | undefined;
  start: 'oldest' | 'now';
  /** The secret with which forwarded events are signed in the way of the service. */
  secret: string | undefined;
  forward: Forward | undefined;
  print: Print;
  signal: AbortSignal;
}

type EventType = NonNullable<EventsListQuery['type']>;
/** The service refuses types that it does not have; it may have more types than this version of the client. */
const isEventType = (_text: string): _text is EventType => true;

const handle = async (event: WebhookEvent, { secret, forward, print }: PollOptions): Promise<void> => {
  if (!forward) {
    print({ event });
    return;
  }
  const body = JSON.stringify(event);
  const headers = secret === undefined ? { 'Svc-Event-Id': event.id } : signedHeaders(event.id, body, secret);
  const forwarded = await forward(body, headers);
  print({ event, forwarded: 'error' in forwarded ? forwarded : { status: forwarded.status } });
};

/** Reads events until the signal is aborted; the result is the exit code. */
export const poll = async (options: PollOptions): Promise<number> => {
  const { key, baseUrl, type, cursor, start, signal } = options;
  const query: EventsListQuery = { cursor, start };
  if (type !== undefined && isEventType(type)) query.type = type;
  const stream = createClient({ key, baseUrl, language: 'en' }).events.stream(query, {
    signal,
    onRetry: ({ message }, waitMs) => console.error(`${message} Trying again in ${Math.ceil(waitMs / 1000)} s.`),
  });
  try {
    for await (const page of stream.pages()) {
      if (page.has_gap) console.error('Events after the cursor were deleted because of their age.');
      for (const event of page.data) {
        if (signal.aborted) break;
        await handle(event, options);
      }
      if (signal.aborted) break;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    console.error(error.message);
    return 1;
  }
  if (stream.cursor !== undefined) console.error(`Go on with --cursor ${stream.cursor}`);
  return 0;
};
