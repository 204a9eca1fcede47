import { resourcesOf, type Api } from './generated/resources.ts';
import { Sender, type ClientOptions } from './send.ts';

/** A client of the Team Customer API, with a key of a team. */
export const createClient = (options: ClientOptions): Api => resourcesOf(new Sender(options));

// Everything else that the package offers. An application's bundler takes only the parts that the application uses.

export { ApiError, ConnectionError, isProblem } from './errors.ts';
export type { ApiErrorOf, ProblemMembers, UnknownCode } from './errors.ts';
export { Call } from './call.ts';
export type { Answer, RateLimit } from './call.ts';
export { EventStream } from './event-stream.ts';
export type { FeedPage, StreamOptions } from './event-stream.ts';
export { Export } from './export.ts';
export type { ExportOptions } from './export.ts';
export { List } from './list.ts';
export type { Page } from './list.ts';
export type { CallOptions, ClientOptions, Fetch, JsonFormat, PostOptions } from './send.ts';
export { WebhookError, verifyWebhook } from './webhooks.ts';
export type { UnknownEvent, WebhookErrorReason, WebhookEvent, WebhookRequest } from './webhooks.ts';
export type * from './generated/resources.ts';
export type * from './generated/types.ts';
