import { z } from 'zod';
import { ConfigError } from '../../core/config-error.ts';
import type { Announcement } from './announcement.ts';

const Failed = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Sends a request to the control channel of a running sandbox, for example `POST /clock`. */
export const ask = async (
  { app_url, control_url, control_token }: Announcement,
  operation: string,
  body?: object,
): Promise<object> => {
  const [method = '', path = ''] = operation.split(' ');
  const response = await fetch(`${control_url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${control_token}` },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ConfigError(`The sandbox at ${app_url} does not answer.`);
  });
  const answer = z.looseObject({}).parse(await response.json());
  if (response.ok) return answer;
  throw new ConfigError(Failed.parse(answer).error.message);
};
