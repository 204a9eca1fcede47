import { errors } from 'undici';
import type { Message } from '../core/language.ts';
import { certificateFailures, failureMessages } from '../core/messages/requests.ts';

/** The side that caused a failure. */
export type Fault = 'receiver' | 'service';

/**
 * The reason why a request failed, in a sentence for the owner of the receiver. It contains no address and nothing
 * internal.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly told: Message;
  readonly fault: Fault;

  constructor(told: Message, fault: Fault = 'receiver') {
    super(told.en);
    this.told = told;
    this.fault = fault;
  }
}

/** A rule forbids requests to this target, so nothing was sent. */
export class Forbidden extends Failure {
  override readonly name = 'Forbidden';
}

const bytesPerMiB = 1024 ** 2;

/** The answer is larger than the caller accepts. */
export class TooLarge extends Failure {
  override readonly name = 'TooLarge';

  constructor(maxBytes: number) {
    super(failureMessages.tooLarge(maxBytes / bytesPerMiB));
  }
}

/** The messages, by the error codes of Node and undici. */
const byCode: Readonly<Record<string, Message>> = {
  ECONNREFUSED: failureMessages.refused,
  ECONNRESET: failureMessages.closedEarly,
  ECONNABORTED: failureMessages.closedEarly,
  EPIPE: failureMessages.closedEarly,
  UND_ERR_SOCKET: failureMessages.closedEarly,
  EHOSTUNREACH: failureMessages.unreachable,
  ENETUNREACH: failureMessages.unreachable,
  EADDRNOTAVAIL: failureMessages.unreachable,
  EAFNOSUPPORT: failureMessages.unreachable,
  ETIMEDOUT: failureMessages.unreachable,
  UND_ERR_CONNECT_TIMEOUT: failureMessages.notConnectedInTime,
  UND_ERR_HEADERS_OVERFLOW: failureMessages.headersTooLarge,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: failureMessages.wrongContentLength,
  UND_ERR_DESTROYED: failureMessages.serviceStopped,
  UND_ERR_CLOSED: failureMessages.serviceStopped,
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Whether the error means that the connection ended during the request. */
export const isCut = (error: unknown): boolean => byCode[codeOf(error)] === failureMessages.closedEarly;

/** The failure of a request that the service itself ended. */
export const stoppedByService = (): Failure => new Failure(failureMessages.serviceStopped, 'service');

/** The failure for an error during a request. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  if (error instanceof errors.HTTPParserError) return new Failure(failureMessages.notHttp);
  const told = byCode[codeOf(error)] ?? failureMessages.failed;
  return told === failureMessages.serviceStopped ? stoppedByService() : new Failure(told);
};

/** The failure for an error while the connection was opened. */
export const connectionFailure = (error: unknown): Failure => {
  const code = codeOf(error);
  const flaw = certificateFailures[code];
  if (flaw) return new Failure(flaw);
  if (isCut(error)) return new Failure(failureMessages.tlsClosed);
  if (code in byCode) return failureOf(error);
  const reason = error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : code;
  return new Failure(failureMessages.tlsFailed(reason));
};
