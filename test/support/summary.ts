/** How a test ended. `note`: why it was skipped, if it says so. */
export interface Ended {
  readonly file: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly note?: string | undefined;
}

/**
 * The last lines of a run: what was skipped, so that nobody believes it was tested, and a plain line that any CI can
 * parse. `isChosen`: only tests with a certain name were wanted, and the others left out on purpose (`-t`).
 */
export const summaryOf = (
  ended: readonly Ended[],
  { failed = 0, isChosen = false }: { failed?: number; isChosen?: boolean } = {},
): string => {
  const countOf = (wanted: Ended['state']) => ended.filter(({ state }) => state === wanted).length;
  const skipped = Map.groupBy(
    ended.filter(({ state }) => state === 'skipped' && !isChosen),
    ({ file }) => file,
  );
  const lines = Array.from(skipped, ([file, tests]) => {
    const notes = new Set(tests.flatMap(({ note }) => note ?? []));
    return [`NOT TESTED: ${tests.length} of ${file}`, ...notes].join('; ');
  });
  // A file that could not be loaded has no failed test, so broken files are counted too.
  const bad = Math.max(countOf('failed'), failed);
  return [...lines, `${countOf('passed')} passed, ${bad} failed, ${countOf('skipped')} skipped`].join('\n');
};
