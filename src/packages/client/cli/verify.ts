import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { WebhookError, verifyWebhook } from '../webhooks.ts';
import { headerLines, numberOption, readOptions, secretsOf, UsageError } from './options.ts';

const help = `Says whether a webhook that you saved is genuine, or why it is refused.

Usage: npx team-customer-api-client verify --secret whsec_… --request-file request.txt
       npx team-customer-api-client verify --secret whsec_… --body-file body.json --header 'Svc-Signature: t=…,v1=…'

  --secret <whsec_…>      The endpoint's secret; may be repeated. By default the variable WEBHOOK_SECRET
  --request-file <file>   The whole request as text: headers, an empty line, the body; - reads it from the input
  --body-file <file>      The body alone, byte for byte; - reads it from the input
  --header <name: value>  A header of the request, with --body-file; may be repeated
  --tolerance <seconds>   How old the signature may be, by default 300
  --json                  One line of JSON, for programs

The exit code is 0 for a genuine request and 1 for another one.`;

const options = {
  secret: { type: 'string', multiple: true },
  'request-file': { type: 'string' },
  'body-file': { type: 'string' },
  header: { type: 'string', multiple: true },
  tolerance: { type: 'string', default: '300' },
  json: { type: 'boolean', default: false },
} as const;

interface SavedRequest {
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Reads a request from a text: header lines, an empty line and the body. The marks that `curl -v` puts before lines,
 * and the line break that an editor adds at the end, are removed: a body of the service has neither.
 */
const readSavedRequest = (text: Buffer): SavedRequest => {
  // Each byte is one character, so that the bytes of the body stay the same.
  const [, head = '', body = ''] = /^(.*?)(?:\r?\n[<>]? ?\r?\n|$)(.*)$/s.exec(text.toString('latin1')) ?? [];
  const headers: Record<string, string> = {};
  for (const line of head.split(/\r?\n/)) {
    const [, name, value] = /^(?:[<>] )?([\w-]+):(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value.trim();
  }
  return { headers, body: Buffer.from(body.replace(/\r?\n$/, ''), 'latin1') };
};

const readBytes = async (file: string): Promise<Buffer> => {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const requestOf = async (given: {
  'request-file'?: string | undefined;
  'body-file'?: string | undefined;
  header?: string[] | undefined;
}): Promise<SavedRequest> => {
  const { 'request-file': requestFile, 'body-file': bodyFile, header } = given;
  if (requestFile !== undefined) return readSavedRequest(await readBytes(requestFile));
  if (bodyFile === undefined) throw new UsageError('--request-file or --body-file is needed.');
  const fields = headerLines(header).map(([name, value]) => [name.toLowerCase(), value]);
  return { headers: Object.fromEntries(fields), body: await readBytes(bodyFile) };
};

/** Advice on a refusal, in addition to the library's message. */
const hints: Partial<Record<WebhookError['reason'], string>> = {
  timestamp_too_old: 'The signature matches. With --tolerance 100000000 its age does not count.',
};

const run = async (args: string[]): Promise<number> => {
  const { tolerance, secret, json, ...given } = readOptions(args, options);
  const secrets = secretsOf(secret);
  if (secrets.length === 0) throw new UsageError('--secret is needed.');
  const toleranceSeconds = numberOption('tolerance', tolerance, { min: 0, max: 10 ** 9 });
  const { headers, body } = await requestOf(given);
  try {
    const event = await verifyWebhook({ secret: secrets, headers, body, toleranceSeconds });
    console.log(
      json ? JSON.stringify({ valid: true, event }) : `Valid: ${event.type} ${event.id}, ${event.created_at}`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const { reason, message } = error;
    const hint = hints[reason];
    console.log(
      json
        ? JSON.stringify({ valid: false, reason, message })
        : `Refused: ${reason}\n${message}${hint === undefined ? '' : `\n${hint}`}`,
    );
    return 1;
  }
};

export const verifyCommand = { help, run };
