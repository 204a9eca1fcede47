import {
  ApiError,
  ConnectionError,
  createClient,
  isProblem,
  verifyWebhook,
  type ApiErrorOf,
  type Call,
  type List,
  type Member,
  type Training,
  type WebhookErrorReason,
} from 'team-customer-api-client';
import { WebhookError } from 'team-customer-api-client/webhooks';

// Code that a customer's compiler must accept or refuse. It is never run.

type Same<A, B> = [A, B] extends [B, A] ? true : false;
const holds = (_same: true): void => {};
const show = (_value: unknown): void => {};

const api = createClient({ key: 'svck_live_k' });

const lists = api.trainings.list({ since: new Date(), status: 'scored', user_id: undefined });
holds(true satisfies Same<typeof lists, List<Training>>);
const found = api.users.get('id');
holds(true satisfies Same<typeof found, Call<Member>>);
const promised: Promise<Member> = found;

export const uses = async (): Promise<void> => {
  for await (const training of api.trainings.list()) {
    // A status that is added later is a text too.
    if (training.status === 'scored' || training.status === 'archived') training.id.toUpperCase();
    // @ts-expect-error -- there is no such field
    show(training.score);
  }
  const member = await promised;
  member.email?.toLowerCase();
  const answer = await api.cases.create({ user_id: 'u', fields: { any: [1] } }, { idempotencyKey: 'k' }).withResponse();
  answer.data.title?.trim();
  answer.rateLimit?.remaining.toFixed();
  // @ts-expect-error -- a request has only values that the service takes
  api.trainings.list({ status: 'archived' });
  // @ts-expect-error -- and only fields that it knows
  await api.users.invite({ email: 'a@example.com', name: 'Mia' });
  // @ts-expect-error -- only a POST has an idempotency key
  await api.users.get('id', { idempotencyKey: 'k' });

  try {
    await api.me();
  } catch (error) {
    if (error instanceof ApiError) {
      if (error.code === 'kombination_ungueltig') error.dimension.trim();
      else if (error.code === 'rate_limited') error.retry_after.toFixed();
      // @ts-expect-error -- the others have none
      else show(error.dimension);
      const code: string = error.code;
      code.trim();
    }
    if (isProblem(error, 'insufficient_scope')) error.required_scope.trim();
    if (isProblem(error, 'not_found', 'conflict'))
      holds(true satisfies Same<typeof error.code, 'not_found' | 'conflict'>);
    if (isProblem(error, 'a_code_of_tomorrow')) error.requestId?.trim();
    if (error instanceof ConnectionError) holds(true satisfies Same<typeof error.reason, 'network' | 'timeout'>);
    if (error instanceof WebhookError) holds(true satisfies Same<typeof error.reason, WebhookErrorReason>);
  }

  const event = await verifyWebhook({ secret: ['a', 'b'], headers: new Headers(), body: new Uint8Array() });
  event.tenant_id.trim();
  if (event.type === 'evaluation.completed') event.data.score?.toFixed();
  else if (event.type === 'member.removed') event.data.member_id.trim();
  else {
    const type: string = event.type;
    type.trim();
  }
};

/** The members that the API's document describes as those of one code. */
export const members = (
  combination: ApiErrorOf<'kombination_ungueltig'>,
  invalid: ApiErrorOf<'validation_error'>,
): unknown[] => [combination.dimension, combination.id, invalid.field, invalid.errors?.[0]?.path];
