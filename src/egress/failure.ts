import { errors } from 'undici';

/** The side that caused a failure. */
export type Fault = 'receiver' | 'service';

/** The reason why a request failed, in a sentence for the owner of the receiver. It contains no address and nothing internal. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly fault: Fault;

  constructor(sentence: string, fault: Fault = 'receiver') {
    super(sentence);
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

  constructor(mostBytes: number) {
    super(`The answer is larger than ${mostBytes / bytesPerMiB} MiB.`);
  }
}

export const inSeconds = (milliseconds: number): string =>
  milliseconds === 1000 ? '1 second' : `${milliseconds / 1000} seconds`;

const certificateFlaws: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is not for this host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is signed by itself, not by a known authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'comes with an incomplete chain or from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes with an incomplete chain or from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes with an incomplete chain or from an unknown authority',
  CERT_UNTRUSTED: 'comes from an unknown authority',
  INVALID_PURPOSE: 'is not for servers',
};

const stopped = 'The service was stopped during the attempt.';

const cut = 'The receiver closed the connection before its answer was complete.';

const sentences: Record<string, string> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: cut,
  ECONNABORTED: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  EHOSTUNREACH: 'The receiver’s address can’t be reached.',
  ENETUNREACH: 'The receiver’s address can’t be reached.',
  EADDRNOTAVAIL: 'The receiver’s address can’t be reached.',
  EAFNOSUPPORT: 'The receiver’s address can’t be reached.',
  ETIMEDOUT: 'The receiver’s address can’t be reached.',
  UND_ERR_CONNECT_TIMEOUT: 'The receiver accepted no connection in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are larger than 16 KiB.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The answer does not fit its Content-Length.',
  UND_ERR_DESTROYED: stopped,
  UND_ERR_CLOSED: stopped,
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Whether the error means that the connection ended during the request. */
export const isCut = (error: unknown): boolean => sentences[codeOf(error)] === cut;

/** The failure of a request that the service itself ended. */
export const stoppedByService = (): Failure => new Failure(stopped, 'service');

/** The failure for an error during a request. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  if (error instanceof errors.HTTPParserError) return new Failure('The answer is not valid HTTP/1.1.');
  const sentence = sentences[codeOf(error)] ?? 'The request to the receiver failed.';
  return sentence === stopped ? stoppedByService() : new Failure(sentence);
};

/** The failure for an error while the connection was opened. */
export const connectionFailure = (error: unknown): Failure => {
  const code = codeOf(error);
  const flaw = certificateFlaws[code];
  if (flaw !== undefined) return new Failure(`The receiver’s certificate ${flaw}.`);
  if (isCut(error)) return new Failure('The receiver closed the connection during the TLS handshake.');
  if (code in sentences) return failureOf(error);
  const reason = error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : code;
  return new Failure(reason === '' ? 'The TLS handshake failed.' : `The TLS handshake failed: ${reason}.`);
};
