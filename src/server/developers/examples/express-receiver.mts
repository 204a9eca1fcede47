import express, { type Express } from 'express';
import { WebhookRefused, verifyWebhook, type WebhookEvent } from './verify-webhook.mts';

/** `keep` stores an event unless its id is already stored; your program processes it later. */
export const receiver = (secrets: readonly string[], keep: (event: WebhookEvent) => Promise<void>): Express => {
  const app = express();
  // Nothing is decompressed before the signature is checked: the service never sends a compressed body.
  const raw = express.raw({ type: () => true, inflate: false, limit: 65_536 });
  app.post('/webhooks', raw, (request, response, next) => {
    try {
      const event = verifyWebhook({ body: request.body ?? '', signature: request.headers['svc-signature'], secrets });
      keep(event).then(() => response.status(204).end(), next);
    } catch (error) {
      if (!(error instanceof WebhookRefused)) throw error;
      response.status(400).end(); // error.reason is for your log
    }
  });
  return app;
};
