// Shared by the senders that the service is compared with: settings, and how they sign and post a body.

import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { openVault } from '../../../src/core/crypto.ts';
import { openSecret, publicEventId, signatureOf } from '../../../src/webhooks/message.ts';

const Environment = z.object({ DATABASE_URL: z.string(), APP_SECRET: z.string(), WEBHOOK_CA_FILE: z.string() });
const environment = Environment.parse(process.env);

export const databaseUrl = environment.DATABASE_URL;

const vault = openVault([environment.APP_SECRET]);
export const secretOf = (endpointId: string, sealed: Uint8Array): string => openSecret(vault, endpointId, sealed);

const dispatcher = new Agent({ allowH2: false, connect: { ca: readFileSync(environment.WEBHOOK_CA_FILE, 'utf8') } });

interface Message {
  url: string;
  eventId: string;
  secret: string;
  body: string;
}

/** Returns the answer's body. Throws unless the status is 200, because another answer would falsify the measurement. */
export const post = async ({ url, eventId, secret, body }: Message, timeout?: AbortSignal): Promise<string> => {
  const answer = await request(url, {
    dispatcher,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Svc-Event-Id': publicEventId(eventId),
      'Svc-Signature': signatureOf(secret, body, new Date()),
    },
    body,
    ...(timeout && { signal: timeout }),
  });
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  return answer.body.text();
};
