/** Replaces a secret in what people read. */
export const redactedMark = '[redacted]';

export const withoutSecrets = (text: string, secrets: Iterable<string>): string => {
  let left = text;
  for (const secret of secrets) left = left.replaceAll(secret, redactedMark);
  return left;
};
