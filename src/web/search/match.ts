/** Whether two words differ by at most one wrong, missing, added or swapped letter. */
const isNear = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false;
  const start = [...a].findIndex((letter, at) => letter !== b[at]);
  if (start === -1) return true;
  const [one, other] = [a.slice(start), b.slice(start)];
  const isSwapped = one[0] === other[1] && one[1] === other[0] && one.slice(2) === other.slice(2);
  return (
    one.slice(1) === other.slice(1) || one.slice(1) === other || one === other.slice(1) || (isSwapped && one.length > 1)
  );
};

/** A word may have a mistake if it has at least four letters. */
const minTolerant = 4;

/**
 * Whether the texts contain each typed word. A word of at least four letters may have one mistake, compared with a word
 * of the texts or with the beginning of one.
 */
export const matches = (texts: readonly string[], typed: string): boolean => {
  const all = texts.join(' ').toLowerCase();
  const words = all.split(/[\s/()-]+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every(
      (word) =>
        all.includes(word) ||
        (word.length >= minTolerant &&
          words.some((one) => isNear(one, word) || isNear(one.slice(0, word.length), word))),
    );
};
