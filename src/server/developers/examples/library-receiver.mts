import { Webhook } from 'standardwebhooks';

/** Returns the event, or throws if the request is not from the service. `body` is the raw body. */
export const verified = (body: string, headers: Record<string, string>, secret: string): unknown =>
  new Webhook(secret).verify(body, headers);
