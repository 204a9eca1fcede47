import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { z } from 'zod';
import { fieldMessages } from '../../core/messages/fields.ts';
import { english } from '../../core/language.ts';
import { isScope } from '../../core/scopes.ts';
import { fail, Problem, problems } from '../../core/problem.ts';
import { failureOf } from '../../cli/failure.ts';
import { sha256 } from '../../core/crypto.ts';
import type { Sandbox } from './sandbox.ts';
import { maxDays, readSpan } from './span.ts';
import { TriggerOptions } from './triggers.ts';

// The control channel of a sandbox: HTTP on loopback, on its own port, with a token. The service's own port has none of
// its routes.

const Span = z.string().transform((given, context): number => {
  const span = readSpan(given);
  if (span !== undefined) return span;
  const message = `It is a span like +3d, +2h or +1d12h, at most ${maxDays} days. The clock never goes back; a reset starts again.`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const ClockBody = z.strictObject({ move: Span.optional() });
const TriggerBody = TriggerOptions.extend({ event: z.string() });
const KeyBody = z.strictObject({
  name: z.string().min(1).max(100).default('Made in the sandbox'),
  scopes: z.array(z.string().refine(isScope, 'There is no such scope.')).min(1).optional(),
  /** The time until the key expires. */
  expires: Span.optional(),
});
const NoBody = z.strictObject({});

export interface Control {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

interface ControlParts {
  sandbox: Sandbox;
  /** Stops the whole sandbox. */
  stop: () => void;
}

const operation = <Body>(schema: z.ZodType<Body>, run: (body: Body) => Promise<object> | object) => ({
  run: async (given: unknown): Promise<object> => run(schema.parse(given)),
});

const stopping = 'POST /stop';

const operationsOf = (sandbox: Sandbox) => ({
  'GET /clock': operation(NoBody, () => sandbox.clock()),
  'POST /clock': operation(ClockBody, async ({ move }) => {
    const passed = move === undefined ? undefined : await sandbox.pass(move);
    return { ...sandbox.clock(), ...(passed && { steps: passed.steps, settled: passed.settled }) };
  }),
  'POST /trigger': operation(TriggerBody, ({ event, ...options }) => sandbox.trigger(event, options)),
  'POST /reset': operation(NoBody, async () => {
    await sandbox.reset();
    return sandbox.clock();
  }),
  'POST /keys': operation(KeyBody, (wanted) => sandbox.createKey(wanted)),
  [stopping]: operation(NoBody, () => ({ stopping: true })),
});

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
};

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const given = await readText(request);
  try {
    return given === '' ? {} : JSON.parse(given);
  } catch {
    return fail('validation_error', { field: 'body', detail: fieldMessages.notJson });
  }
};

/** The message names the place of a wrong value. */
const failureWith = (error: unknown): { status: number; code: string; message: string } => {
  if (error instanceof z.ZodError) {
    const message = error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join(' ');
    return { status: 422, code: 'validation_error', message };
  }
  const { code, message } = failureOf(error);
  return { status: error instanceof Problem ? problems[error.code].status : 500, code, message };
};

const tokenIs = (token: string, { headers: { authorization = '' } }: IncomingMessage): boolean =>
  timingSafeEqual(sha256(authorization), sha256(`Bearer ${token}`));

/** Opens the control channel on a free port of this machine. */
export const openControl = async ({ sandbox, stop }: ControlParts): Promise<Control> => {
  const token = randomBytes(24).toString('base64url');
  const operations = new Map(Object.entries(operationsOf(sandbox)));
  const server = createServer((request, response) => {
    const respond = async () => {
      if (!tokenIs(token, request)) {
        answer(response, 401, { error: { code: 'unauthorized', message: 'The control token is missing or wrong.' } });
        return;
      }
      const name = `${request.method} ${request.url}`;
      const wanted = operations.get(name);
      if (!wanted) fail('not_found', { detail: english(`There are: ${[...operations.keys()].join(', ')}.`) });
      // `stop` is called only after the answer was sent, because it closes the connection.
      if (name === stopping) response.once('close', stop);
      answer(response, 200, await wanted.run(await readBody(request)));
    };
    respond().catch((error: unknown) => {
      const { status, ...failure } = failureWith(error);
      answer(response, status, { error: failure });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
};
