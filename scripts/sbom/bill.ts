import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { bundledIn, collectLicenses } from '../licenses/collect.ts';
import { readLock } from '../licenses/lock-file.ts';

const run = promisify(execFile);

/** The service has packages for every platform, as the sandbox's package does; the image brings its own Node. */
export const kinds = ['service', 'image'] as const;
export type Kind = (typeof kinds)[number];

const Names = z.record(z.string(), z.string());
const Manifest = z.looseObject({ dependencies: Names, devDependencies: Names });

const Bill = z.looseObject({
  components: z.array(z.looseObject({ 'bom-ref': z.string(), scope: z.string() })),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

/**
 * The bill of materials in the format CycloneDX, by npm. `npm sbom --omit=dev` leaves out what a package of development
 * needs too, such as @trpc/server. So npm gets a copy of the lock file without development; what the app's files
 * contain counts as needed.
 */
export const billOfMaterials = async (project: string, kind: Kind): Promise<string> => {
  const bundled = bundledIn(join(project, 'dist', 'web'));
  const lock = readLock(project);
  const delivered = new Set(collectLicenses(lock, bundled).packages.map(({ name, version }) => `${name}@${version}`));
  const temporary = await mkdtemp(join(tmpdir(), 'sbom-'));
  try {
    const manifest = Manifest.parse(JSON.parse(await readFile(join(project, 'package.json'), 'utf8')));
    const inApp = Object.entries(manifest.devDependencies).filter(([name]) => bundled.some((one) => one.name === name));
    const reduced = {
      ...manifest,
      dependencies: { ...manifest.dependencies, ...Object.fromEntries(inApp) },
      devDependencies: {},
    };
    // npm names the project by its folder.
    const folder = join(temporary, 'team-customer-api');
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), JSON.stringify(reduced));
    await copyFile(join(project, 'package-lock.json'), join(folder, 'package-lock.json'));
    const npm = (...args: string[]) =>
      run('npm', [...args, '--package-lock-only', '--offline', '--loglevel=error'], {
        cwd: folder,
        maxBuffer: 64 * 1024 * 1024,
      });
    await npm('prune', '--ignore-scripts', '--no-audit');
    const { stdout } = await npm('sbom', '--sbom-format=cyclonedx', '--sbom-type=application');
    const bill = Bill.parse(JSON.parse(stdout));
    const isListed = (ref: string) => delivered.has(ref);
    const components = bill.components.filter(
      ({ 'bom-ref': ref, scope }) => isListed(ref) && (kind === 'service' || scope !== 'optional'),
    );
    const refs = new Set(components.map(({ 'bom-ref': ref }) => ref));
    const [root, ...others] = bill.dependencies;
    const dependencies = [...(root ? [root] : []), ...others.filter(({ ref }) => refs.has(ref))].map(
      ({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }),
    );
    return `${JSON.stringify({ ...bill, components, dependencies }, undefined, 2)}\n`;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
};
