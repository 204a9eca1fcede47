import type { Dispatcher } from 'undici';
import { webhookLimits } from '../core/limits.ts';
import { failureMessages } from '../core/messages/requests.ts';
import { ConnectedRequest } from './connections.ts';
import type { RequestResult } from './egress.ts';
import { Failure, failureOf, isCut, TooLarge } from './failure.ts';

/** The maximum size of a character in UTF-8. */
const bytesPerCharacter = 4;

/**
 * Replaces characters that can't be stored: NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 can't
 * encode.
 */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

/** The first characters of a body that arrives in pieces, whatever its bytes are. */
export class Excerpt {
  readonly #max: number;
  #bytes = Buffer.alloc(0);
  /** Whether the excerpt is complete: further data would not change it. */
  complete = false;

  constructor(max: number) {
    this.#max = max;
  }

  add(chunk: Buffer): void {
    if (this.complete) return;
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(0, this.#max * bytesPerCharacter);
    if (this.#bytes.length < this.#max) return;
    // A character of which only some bytes have arrived does not count.
    const arrived = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#bytes, { stream: true });
    this.complete = Array.from(arrived).length >= this.#max;
  }

  /** The text so far; an incomplete character is replaced by U+FFFD. */
  end(): string {
    const text = this.#bytes.toString();
    return storable(text.length <= this.#max ? text : Array.from(text).slice(0, this.#max).join(''));
  }
}

export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

const maxHeaders = 50;

/** A receiver's headers as text, as many as fit into the limit. */
export const readHeaders = (headers: ReceivedHeaders): Record<string, string> => {
  const read: [string, string][] = [];
  let left: number = webhookLimits.responseHeaderBytes;
  for (const [name, value] of Object.entries(headers)) {
    const text = storable(Array.isArray(value) ? value.join(', ') : (value ?? ''));
    left -= Buffer.byteLength(name) + Buffer.byteLength(text);
    if (left < 0 || read.length === maxHeaders) break;
    read.push([name, text]);
  }
  return Object.fromEntries(read);
};

/**
 * How many bytes of a body are read at most so that the connection can serve the next request. A longer body ends the
 * connection.
 */
const maxBytesToKeepConnection = 64 * 1024;
/** The maximum number of interim answers (1xx) before the answer. */
const maxInterimAnswers = 20;

type RequestStage = 'look-up' | 'connection' | 'answer' | 'body';

const timeoutMessages = {
  'look-up': failureMessages.dnsTooSlow,
  connection: failureMessages.notConnectedWithin,
  answer: failureMessages.noAnswerWithin,
  body: failureMessages.notCompleteWithin,
} as const satisfies Record<RequestStage, unknown>;

/** Sends the request. It may use a kept connection unless `onNewConnection` is true. */
type Send = (onNewConnection: boolean) => void;

const atOnce = (report: () => void): void => report();

/**
 * Reports only after undici has taken the connection back, so that the next request uses it instead of opening another
 * one.
 */
const onceConnectionIsFree = (report: () => void): void => queueMicrotask(() => setImmediate(report));

export interface RequestParts {
  readonly startedAt: Date;
  readonly timeout: number;
  /** Set if the whole body is wanted: its maximum size in bytes. */
  readonly maxBytes?: number | undefined;
  /**
   * `failure`: the reason that is also the `error` of the result. `whole`: the answer, if the whole body was wanted and
   * has arrived.
   */
  settled(result: RequestResult, failure: Failure | null, whole: WholeAnswer | undefined): void;
}

export interface WholeAnswer {
  readonly code: number;
  readonly headers: ReceivedHeaders;
  readonly body: Buffer;
}

/**
 * One request to a receiver, from the look-up of its name to the end of the answer.
 *
 * It settles once: as soon as the answer is complete or enough of its body has arrived for the stored excerpt, or with
 * the reason why there is no complete answer. The rest of the body is read and discarded up to a limit; a longer body
 * ends the connection. If the whole body is wanted, the request settles at the end of the body.
 */
export class OutgoingRequest extends ConnectedRequest {
  readonly #parts: RequestParts;
  readonly #start = performance.now();
  readonly #timer: NodeJS.Timeout;
  #stage: RequestStage = 'look-up';
  #send: Send | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #mayBeStale = false;
  #resent = false;
  #responseBegan = false;
  #interim = 0;
  #bytes = 0;
  #code: number | null = null;
  #headers: Record<string, string> | null = null;
  #excerpt: Excerpt | undefined;
  #received: ReceivedHeaders = {};
  #chunks: Buffer[] = [];
  #settled = false;

  constructor(parts: RequestParts) {
    super();
    this.#parts = parts;
    this.#timer = setTimeout(() => this.#giveUp(), parts.timeout);
  }

  /** Sends the request after the look-up of its host name, unless it has settled before. */
  sendWith(send: Send): void {
    if (this.#settled) return;
    this.#stage = 'connection';
    this.#send = send;
    send(false);
  }

  fail(failure: Failure): void {
    this.#settle(failure);
    this.#end();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) {
      controller.abort(new Error('The request has been settled already'));
      return;
    }
    this.#controller = controller;
    this.#mayBeStale = this.connection?.beginRequest() ?? false;
    this.#stage = 'answer';
  }

  onResponseStarted(): void {
    this.#responseBegan = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, code: number, headers: ReceivedHeaders): void {
    if (code < 200) {
      this.#interim += 1;
      if (this.#interim > maxInterimAnswers) this.fail(new Failure(failureMessages.interimAnswers));
      return;
    }
    this.#stage = 'body';
    this.#code = code;
    this.#headers = readHeaders(headers);
    this.#received = headers;
    this.#excerpt = new Excerpt(webhookLimits.excerptCharacters);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    const { maxBytes } = this.#parts;
    if (maxBytes !== undefined) {
      if (this.#bytes <= maxBytes) this.#chunks.push(chunk);
      else this.fail(new TooLarge(maxBytes));
      return;
    }
    this.#excerpt?.add(chunk);
    if (this.#excerpt?.complete === true) this.#settle(null);
    if (this.#bytes > maxBytesToKeepConnection) this.#end();
  }

  onResponseEnd(): void {
    this.#controller = undefined;
    this.#settle(null, onceConnectionIsFree);
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#controller = undefined;
    if (this.#isStale(error)) {
      this.#resent = true;
      this.#stage = 'connection';
      this.#send?.(true);
      return;
    }
    this.fail(failureOf(error));
  }

  /** Whether the receiver had closed the kept connection before it saw the request. The receiver is not at fault. */
  #isStale(error: Error): boolean {
    return !this.#settled && this.#mayBeStale && !this.#resent && !this.#responseBegan && isCut(error);
  }

  #giveUp(): void {
    this.fail(new Failure(timeoutMessages[this.#stage](this.#parts.timeout)));
  }

  #settle(failure: Failure | null, when: (report: () => void) => void = atOnce): void {
    if (this.#settled) return;
    this.#settled = true;
    const result: RequestResult = {
      startedAt: this.#parts.startedAt,
      ms: Math.round(performance.now() - this.#start),
      code: this.#code,
      headers: this.#headers,
      excerpt: this.#excerpt?.end() ?? null,
      error: failure?.told.en ?? null,
      errorDe: failure?.told.de ?? null,
      fault: failure?.fault ?? null,
    };
    const isWhole = failure === null && this.#code !== null && this.#parts.maxBytes !== undefined;
    const whole = isWhole
      ? { code: this.#code ?? 0, headers: this.#received, body: Buffer.concat(this.#chunks) }
      : undefined;
    this.#chunks = [];
    when(() => this.#parts.settled(result, failure, whole));
  }

  /** Discards all further data. */
  #end(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort(new Error('What is left of the answer is not wanted'));
    this.#controller = undefined;
  }
}
