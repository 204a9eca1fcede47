import { connect } from 'node:net';
import { readAnswer, type Answer } from '../support/client.ts';

/** A connection on which a test sends any bytes, and reads the answers. */
export interface RawConnection {
  send(bytes: string | Uint8Array): void;
  /** The next answer, once it is complete. */
  next(): Promise<Answer>;
  /** All remaining answers, after the server has closed the connection. */
  untilClosed(): Promise<Answer[]>;
  isClosed(): boolean;
  /** Pauses and resumes reading, like a client that doesn't read its answer. */
  pause(): void;
  resume(): void;
  hangUp(): void;
  /** Closes the connection with a reset, like a client that crashes. */
  reset(): void;
}

const endOfHeader = '\r\n\r\n';

const unchunked = (bytes: string): { text: string; size: number } | undefined => {
  let text = '';
  let at = 0;
  for (;;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.slice(at, line), 16);
    if (bytes.length < line + 4 + size) return undefined;
    text += bytes.slice(line + 2, line + 2 + size);
    at = line + 4 + size;
    if (size === 0) return { text, size: at };
  }
};

/**
 * The first answer in the received data (one character per byte) and its length, or the minimum length that it will
 * have.
 */
const firstAnswer = (bytes: string): { answer: Answer; size: number } | { wanted: number } => {
  const headerEnd = bytes.indexOf(endOfHeader);
  if (headerEnd < 0) return { wanted: bytes.length + 1 };
  const [statusLine = '', ...lines] = bytes.slice(0, headerEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]*$/.exec(statusLine)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error(`not an answer: ${bytes.slice(0, 200)}`);
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const start = headerEnd + endOfHeader.length;
  const rest = bytes.slice(start);
  const length = status < 200 || status === 204 || status === 304 ? 0 : Number(headers.get('content-length') ?? 0);
  const body =
    headers.get('transfer-encoding') === 'chunked' ? unchunked(rest) : { text: rest.slice(0, length), size: length };
  if (!body || rest.length < body.size) return { wanted: body ? start + body.size : bytes.length + 1 };
  return { answer: readAnswer(status, headers, Buffer.from(body.text, 'latin1').toString()), size: start + body.size };
};

const timeoutMs = 15_000;

/** From `localAddress` (any of 127.0.0.0/8), which the service treats as a different client. */
export const rawConnection = (origin: string, localAddress?: string): RawConnection => {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, ...(localAddress && { localAddress }) });
  let received = '';
  let wanted = 0;
  // Joined only when it may be complete: a long answer arrives in a thousand pieces.
  let pieces: string[] = [];
  let size = 0;
  let closed = false;
  const waiting = new Set<() => void>();
  const changed = () => {
    for (const look of waiting) look();
  };
  socket.on('data', (chunk: Buffer) => {
    pieces.push(chunk.toString('latin1'));
    size += chunk.length;
    if (size >= wanted) changed();
  });
  socket.on('error', () => {}); // after a reset, the missing data shows it
  socket.on('close', () => {
    closed = true;
    changed();
  });

  const take = (): Answer | undefined => {
    received += pieces.join('');
    pieces = [];
    const first = firstAnswer(received);
    wanted = 'wanted' in first ? first.wanted : 0;
    if ('wanted' in first) return undefined;
    received = received.slice(first.size);
    size = received.length;
    return first.answer;
  };

  const until = <T>(get: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        waiting.delete(look);
        clearTimeout(timer);
        settle();
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`waited in vain; got ${JSON.stringify(received.slice(0, 500))}`))),
        timeoutMs,
      );
      const look = () => {
        try {
          const got = get();
          if (got !== undefined) end(() => resolve(got));
          else if (closed) end(() => reject(new Error(`closed after ${JSON.stringify(received.slice(0, 500))}`)));
        } catch (error) {
          end(() => reject(error instanceof Error ? error : new Error(String(error))));
        }
      };
      waiting.add(look);
      look();
    });

  return {
    send: (bytes) => void socket.write(bytes),
    next: () => until(take),
    untilClosed: () =>
      until(() => {
        if (!closed) return undefined;
        const answers: Answer[] = [];
        for (let answer = take(); answer; answer = take()) answers.push(answer);
        if (received !== '') throw new Error(`left over: ${JSON.stringify(received.slice(0, 500))}`);
        return answers;
      }),
    isClosed: () => closed,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    hangUp: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
};

/** Sends data on a new connection and reads every answer until the server closes it. */
export const say = (origin: string, bytes: string | Uint8Array): Promise<Answer[]> => {
  const connection = rawConnection(origin);
  connection.send(bytes);
  return connection.untilClosed();
};

/** Sends a request on a new connection, reads its answer, and disconnects. */
export const askOnce = async (origin: string, bytes: string | Uint8Array): Promise<Answer> => {
  const connection = rawConnection(origin);
  connection.send(bytes);
  const answer = await connection.next();
  connection.hangUp();
  return answer;
};

/** A serialized request. */
export const wire = (
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string =>
  `${method} ${target} HTTP/1.1\r\n${Object.entries({ Host: 'localhost', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;
