import { copyFile, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { build } from 'vite';
import { manifest, pythonMetadata, pythonMetadataFolder, pythonName, wheelFile } from './manifest.ts';
import { measure, type Sizes } from './size.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));
const source = join(project, 'src', 'packages', 'client');
const pythonSource = join(project, 'src', 'packages', 'client-py');

/** The place of the service's address in the READMEs. */
const exampleAddress = 'https://training.example.com/developers/';

/** The entries of the library; each is a file of the package. */
const library = { index: join(source, 'index.ts'), webhooks: join(source, 'webhooks.ts') };
const commands = { cli: join(source, 'cli', 'main.ts') };

/** Compiles the entries to one module format. Only the commands may import Node's modules. */
export const compile = async (
  folder: string,
  { format, entries, origin }: { format: 'es' | 'cjs'; entries: Record<string, string>; origin: string },
): Promise<void> => {
  const extension = format === 'es' ? 'js' : 'cjs';
  await build({
    configFile: false,
    logLevel: 'warn',
    define: { defaultOrigin: JSON.stringify(origin), clientVersion: JSON.stringify(manifest.version) },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      lib: { entry: entries, formats: [format] },
      rolldownOptions: {
        external: [/^node:/],
        output: { entryFileNames: `[name].${extension}`, chunkFileNames: `lib/[name].${extension}` },
      },
    },
  });
};

/** The types, for ES modules and for CJS. */
const writeTypes = async (folder: string): Promise<void> => {
  const types = join(folder, 'types');
  const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', types];
  await run(process.execPath, [compiler, '-p', source, ...options]);
  for (const file of await readdir(types, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = await readFile(join(types, file), 'utf8');
    const importing = (extension: string) => text.replaceAll(/(from '\.[^']*)\.ts'/g, `$1.${extension}'`);
    await writeFile(join(types, file), importing('js'));
    await writeFile(join(types, file.replace(/\.ts$/, '.cts')), importing('cjs'));
  }
};

export interface Built {
  /** The folder of the package. */
  folder: string;
  tarball: string;
  sizes: Sizes;
}

interface Wanted {
  /** A new folder. */
  folder: string;
  /** The base URL that clients use unless their options name another one. */
  origin: string;
}

/** Builds the files of the package into a folder. */
export const buildFiles = async ({ folder, origin }: Wanted): Promise<Sizes> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await compile(folder, { format: 'es', entries: { ...library, ...commands }, origin });
  await compile(folder, { format: 'cjs', entries: library, origin });
  await writeTypes(folder);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await copyFile(join(project, 'LICENSE'), join(folder, 'LICENSE'));
  const measured = await measure(folder);
  const guide = await readFile(join(source, 'README.md'), 'utf8');
  const size = ` This build: ${measured.client} kB and ${measured.webhooks} kB.`;
  const addressed = guide.replaceAll(exampleAddress, `${origin}/developers/`).replace('<!-- size -->', size);
  await writeFile(join(folder, 'README.md'), addressed);
  return measured;
};

/** Writes the files of the package for Python into a folder: those of a wheel, without the list of them. */
export const buildPythonFiles = async ({ folder, origin }: Wanted): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  const code = join(folder, pythonName);
  await cp(join(pythonSource, pythonName), code, {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  });
  const address = `ORIGIN = ${JSON.stringify(origin)}\nVERSION = ${JSON.stringify(manifest.version)}\n`;
  await writeFile(join(code, '_address.py'), address);
  const guide = (await readFile(join(pythonSource, 'README.md'), 'utf8')).replace('-VERSION-', `-${manifest.version}-`);
  const metadata = join(folder, pythonMetadataFolder);
  await mkdir(metadata);
  await writeFile(
    join(metadata, 'METADATA'),
    `${pythonMetadata}\n${guide.replaceAll(exampleAddress, `${origin}/developers/`)}`,
  );
  await writeFile(join(metadata, 'WHEEL'), wheelFile);
  await copyFile(join(project, 'LICENSE'), join(metadata, 'LICENSE'));
};

/** Builds the package into a folder, and its tarball next to it. */
export const buildClient = async (wanted: Wanted): Promise<Built> => {
  const { folder } = wanted;
  const sizes = await buildFiles(wanted);
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', join(folder, '..')];
  const { stdout } = await run('npm', pack, { cwd: folder });
  const [packed]: { filename: string }[] = JSON.parse(stdout);
  return { folder, tarball: join(folder, '..', packed?.filename ?? ''), sizes };
};
