import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { besidesHeap, stopSeconds, unknownSettings } from './deployed.ts';

const run = promisify(execFile);

const text = await readFile('docs/deploy/kubernetes.yaml', 'utf8');
const Manifest = z.looseObject({ apiVersion: z.string(), kind: z.string() });
const manifestsIn = (yaml: string) => parseAllDocuments(yaml).map((document) => Manifest.parse(document.toJS()));
const manifests = manifestsIn(text);

/** The folder of kubernetes-types that describes the kinds of an API version. */
const typesOf: Record<string, string> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'policy/v1': 'policy/v1',
};

/**
 * What the compiler has to say when each manifest is an object of its kind's type. These types are made from the
 * schemas of Kubernetes, which themselves allow unknown names; the compiler does not.
 */
const complaintsAbout = async (yaml: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-manifests-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const lines = manifestsIn(yaml).map((manifest, index) => {
    const type = `import('kubernetes-types/${typesOf[manifest.apiVersion]}').${manifest.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};\n`;
  });
  await writeFile(join(folder, 'manifests.ts'), lines.join(''));
  const compiler = join('node_modules', 'typescript-native', 'bin', 'tsc');
  const options = ['--noEmit', '--strict', '--module', 'preserve', '--types', '', join(folder, 'manifests.ts')];
  return run(process.execPath, [compiler, '--ignoreConfig', ...options]).then(
    () => '',
    (error: unknown) => z.object({ stdout: z.string() }).parse(error).stdout,
  );
};

const Pods = z.object({
  template: z.object({
    metadata: z.object({ labels: z.record(z.string(), z.string()) }),
    spec: z.object({
      terminationGracePeriodSeconds: z.int(),
      containers: z.tuple([
        z.object({
          command: z.array(z.string()),
          env: z.array(z.object({ name: z.string(), value: z.string() })),
          ports: z.array(z.object({ name: z.string(), containerPort: z.int() })),
          resources: z.object({ limits: z.object({ memory: z.string() }) }),
        }),
      ]),
    }),
  }),
  selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
});

const deployments = manifests
  .filter(({ kind }) => kind === 'Deployment')
  .map((manifest) => Pods.parse(manifest['spec']));

describe('kubernetes.yaml', () => {
  it('has a form that Kubernetes knows', async () => {
    const kinds = manifests.map(({ kind }) => kind);
    expect(kinds).toEqual(['Job', 'Deployment', 'Service', 'PodDisruptionBudget', 'Deployment', 'PodDisruptionBudget']);
    expect(await complaintsAbout(text)).toBe('');
    const broken = text.replace('readinessProbe', 'readyProbe').replace('replicas: 2', "replicas: '2'");
    const complaints = await complaintsAbout(broken);
    expect(complaints).toContain('"readyProbe"');
    expect(complaints).toContain("'number'");
  });

  it('gives processes more time than they need to stop, and more memory than their heap', () => {
    expect(deployments).toHaveLength(2);
    for (const { template } of deployments) {
      const [{ env, resources, command }] = template.spec.containers;
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds);
      const nodeOptions = env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
      expect(besidesHeap({ nodeOptions, limit: resources.limits.memory })).toBeGreaterThanOrEqual(512);
      expect(unknownSettings(env.map(({ name }) => name))).toEqual([]);
      expect(command).toEqual(['node', 'src/main.ts', template.metadata.labels['role']]);
    }
  });

  it('selects the pods that it makes, and asks the port of the image', async () => {
    const image = await readFile('docs/deploy/Dockerfile', 'utf8');
    expect(image).toContain('ENV PORT=3000 WORKER_PORT=3000');
    for (const { selector, template } of deployments) {
      expect(template.metadata.labels).toEqual(selector.matchLabels);
      expect(template.spec.containers[0].ports[0]?.containerPort).toBe(3_000);
    }
  });
});
