import type { Exception } from './exceptions.ts';

// Which packages are behind the registry, and by how much. This file only compares: it reads and prints nothing.

export type Step = 'major' | 'minor' | 'patch' | 'prerelease';

interface Version {
  numbers: [major: number, minor: number, patch: number];
  /** The parts of `-beta.17`; none for a release. */
  pre: string[];
}

const read = (text: string): Version => {
  const [, major, minor, patch, pre] = /^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+.*)?$/.exec(text) ?? [];
  if (major === undefined) throw new Error(`${text} is no version`);
  return { numbers: [Number(major), Number(minor), Number(patch)], pre: pre?.split('.') ?? [] };
};

const isNumber = (part: string): boolean => /^\d+$/.test(part);

/** The order of semantic versioning: numbers are before other parts, and the shorter of two that begin alike is first. */
const comparePre = (a: readonly string[], b: readonly string[]): number => {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    if (isNumber(part) && isNumber(other)) return Number(part) - Number(other);
    if (isNumber(part) !== isNumber(other)) return isNumber(part) ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return a.length - b.length;
};

/** How far a version is ahead of the pinned one; undefined if it is not. */
export const stepTo = (pinned: string, other: string): Step | undefined => {
  const [from, to] = [read(pinned), read(other)];
  for (const [index, step] of (['major', 'minor', 'patch'] as const).entries()) {
    const difference = (to.numbers[index] ?? 0) - (from.numbers[index] ?? 0);
    if (difference !== 0) return difference > 0 ? step : undefined;
  }
  return comparePre(to.pre, from.pre) > 0 ? 'prerelease' : undefined;
};

/** The newest of these versions. Pre-releases count only for a package of which one is pinned. */
export const newestOf = (pinned: string, versions: readonly string[]): string =>
  versions
    .filter((version) => read(version).pre.length === 0 || read(pinned).pre.length > 0)
    .reduce((newest, version) => (stepTo(newest, version) ? version : newest), pinned);

/** A direct dependency whose version differs from the registry's tag `latest`. */
export interface Difference {
  readonly name: string;
  readonly kind: string;
  readonly pinned: string;
  readonly latest: string;
  /** The newest version of all, which may be newer than the tag. */
  readonly newest: string;
}

export interface Judgement {
  readonly behind: readonly (Difference & { step: Step })[];
  /** Behind, as an exception allows. */
  readonly excepted: readonly (Difference & { step: Step })[];
  /** The newest there is, and newer than the tag `latest`. */
  readonly ahead: readonly Difference[];
  /** Sentences about exceptions that no longer apply. */
  readonly stale: readonly string[];
}

export const judge = (
  pins: ReadonlyMap<string, string>,
  differences: readonly Difference[],
  exceptions: readonly Exception[],
): Judgement => {
  const behind = differences.flatMap((difference) => {
    const step = stepTo(difference.pinned, difference.newest);
    return step ? [{ ...difference, step }] : [];
  });
  const isExcepted = ({ name, pinned }: Difference): boolean =>
    exceptions.some(
      ({ packages, version, isOlderNode }) => !isOlderNode && version === pinned && packages.includes(name),
    );
  const stale = exceptions.flatMap(({ packages, version, isOlderNode }) =>
    packages.flatMap((name) => {
      const pinned = pins.get(name);
      if (pinned !== version)
        return [`${name} is pinned to ${pinned ?? 'nothing'}, but the exception is for ${version}`];
      if (isOlderNode || behind.some((difference) => difference.name === name)) return [];
      return [`${name} ${version} is the newest there is, so it needs no exception`];
    }),
  );
  return {
    behind: behind.filter((difference) => !isExcepted(difference)),
    excepted: behind.filter(isExcepted),
    ahead: differences.filter(
      ({ pinned, newest, latest }) => !stepTo(pinned, newest) && stepTo(latest, pinned) !== undefined,
    ),
    stale,
  };
};
