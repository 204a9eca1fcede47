import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** Programs whose sizes the client's README states. */
const programs = {
  client: "import { createClient } from './index.js'; globalThis.used = createClient({ key: 'k' });",
  webhooks: "import { verifyWebhook } from './index.js'; globalThis.used = verifyWebhook;",
};

/** The size of each program in kilobytes, as a browser would load it. */
export type Sizes = Record<keyof typeof programs, number>;

/** Bundles a program with its imports into one file: a minified ES module for production, or a readable script. */
export const bundleOf = async (program: string, format: 'es' | 'iife'): Promise<string> => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2022',
      minify: format === 'es',
      rolldownOptions: { input: program, output: { format }, preserveEntrySignatures: 'strict' },
    },
  });
  const [first] = Array.isArray(built) ? built : [built];
  const chunk = first && 'output' in first ? first.output[0] : undefined;
  if (!chunk) throw new Error('The bundle is empty');
  return chunk.code;
};

const sizeOf = async (folder: string, text: string): Promise<number> => {
  const program = join(folder, 'program.mjs');
  await writeFile(program, `${text}\n`);
  const { length } = gzipSync(await bundleOf(program, 'es'));
  await rm(program);
  return Math.ceil(length / 100) / 10;
};

/** Measures the package in a folder. */
export const measure = async (folder: string): Promise<Sizes> => ({
  client: await sizeOf(folder, programs.client),
  webhooks: await sizeOf(folder, programs.webhooks),
});
