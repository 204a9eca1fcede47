import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Vault } from '../../core/crypto.ts';
import { limits } from '../../core/limits.ts';

/** What a kept answer is sealed for, with its team and key. */
export const answerPurpose = 'idempotency';

export const contextOf = (tenantId: string, key: string): string => `${tenantId} ${key}`;

/** The first byte of what is compressed. What is not compressed is JSON text, which never begins with it. */
const compressedMark = 1;

/** An answer's JSON text as it is kept: encrypted, and compressed before where it is large. */
export const sealAnswer = (vault: Vault, context: string, text: string): Buffer<ArrayBuffer> => {
  const plain = Buffer.from(text);
  if (plain.length <= limits.idempotencyPlainBytes) return vault.seal(answerPurpose, context, plain);
  return vault.seal(answerPurpose, context, Buffer.concat([Buffer.of(compressedMark), zstdCompressSync(plain)]));
};

/** The text again, exactly. */
export const openAnswer = (vault: Vault, context: string, sealed: Uint8Array): string => {
  const plain = vault.openBytes(answerPurpose, context, sealed);
  return (plain[0] === compressedMark ? zstdDecompressSync(plain.subarray(1)) : plain).toString('utf8');
};
