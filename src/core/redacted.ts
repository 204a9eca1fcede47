/** Replaces a secret in what people read. */
export const redactedMark = '[redacted]';

/** A text in which each of these secrets is replaced. */
export const withoutSecrets = (text: string, secrets: Iterable<string>): string => {
  let left = text;
  for (const secret of secrets) left = left.replaceAll(secret, redactedMark);
  return left;
};
