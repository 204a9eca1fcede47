import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

// What package-lock.json says of the packages.

const Needs = z.record(z.string(), z.string()).default({});

const Locked = z.object({
  /** Given if it is not the name of the folder: of the project, and of a package under another name. */
  name: z.string().optional(),
  version: z.string(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
  devOptional: z.boolean().default(false),
  optional: z.boolean().default(false),
  dependencies: Needs,
  optionalDependencies: Needs,
  peerDependencies: Needs,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
});
export type Locked = z.output<typeof Locked>;

/** The packages by their paths. The path of the project itself is empty. */
export type Lock = Readonly<Record<string, Locked>>;

export const readLock = (project: string): Lock =>
  z
    .object({ packages: z.record(z.string(), Locked) })
    .parse(JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))).packages;

export const nameAt = (path: string, { name }: Locked): string =>
  name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Where a package finds another one, as Node does: in its own folder, or in one above. */
const placeOf = (lock: Lock, from: string, name: string): string | undefined => {
  const place = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (lock[place]) return place;
  if (from === '') return undefined;
  return placeOf(lock, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
};

const neededBy = ({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Locked): string[] => [
  ...Object.keys(dependencies),
  ...Object.keys(optionalDependencies),
  ...Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional),
];

/** The paths of what an installation without development has, for all platforms. */
export const productionPaths = (lock: Lock): Set<string> => {
  const found = new Set<string>();
  const visit = (path: string): void => {
    const locked = lock[path];
    for (const name of locked ? neededBy(locked) : []) {
      const place = placeOf(lock, path, name);
      if (place === undefined || found.has(place)) continue;
      found.add(place);
      visit(place);
    }
  };
  visit('');
  return found;
};
