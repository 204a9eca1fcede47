import { execFile } from 'node:child_process';
import { readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EdgeVM } from '@edge-runtime/vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOf } from '../../scripts/client/size.ts';
import { startTestService } from '../support/service.ts';
import { failuresIn, installPacked } from './packed.ts';
import { aWorld } from './world.ts';

const execute = promisify(execFile);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const [service, packed] = await Promise.all([startTestService(), installPacked()]);
beforeAll(async () => {
  // The compiler options of a typical customer's project.
  await symlink(join(process.cwd(), 'node_modules/@types'), join(packed.project, 'node_modules/@types'));
});
afterAll(async () => {
  await Promise.all([service.close(), rm(dirname(packed.project), { recursive: true })]);
});

const inProject = async (program: string, args: readonly string[], environment: Record<string, string> = {}) =>
  execute(program, args, { cwd: packed.project, env: { ...environment, HOME: packed.project }, timeout: 60_000 });

const runSuite = async (program: string) => {
  const world = JSON.stringify(await aWorld(service));
  return failuresIn((await inProject(program, ['runner.mjs'], { WORLD: world })).stdout);
};

/** The Node of the machine, which may be older than the project's own. */
const nodeOfTheMachine = async (): Promise<string | undefined> => {
  const { PATH = '' } = (await execute('env')).stdout
    .split('\n')
    .reduce<Record<string, string>>(
      (all, line) => ({ ...all, [line.split('=')[0] ?? '']: line.replace(/^[^=]*=/, '') }),
      {},
    );
  for (const folder of PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'))) {
    const node = join(folder, 'node');
    const isThere = await execute(node, ['--version']).catch(() => undefined);
    if (isThere) return node;
  }
  return undefined;
};

/** The errors of a strict compiler for these files; the types of the package itself are checked too. */
const complaints = async (files: Record<string, string>, compilerOptions: object): Promise<string> => {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, target: 'es2022' };
  const config = { compilerOptions: { ...strict, noEmit: true, ...compilerOptions }, files: Object.keys(files) };
  await writeFile(join(packed.project, 'tsconfig.json'), JSON.stringify(config));
  for (const [name, text] of Object.entries(files)) await writeFile(join(packed.project, name), text);
  return execute(process.execPath, [compiler], { cwd: packed.project }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
};

/** The code blocks of the guide, each as a module that begins with what the blocks before it have declared. */
const blocksOfGuide = async (): Promise<Record<string, string>> => {
  const guide = await readFile('src/packages/client/README.md', 'utf8');
  const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const known = `import { createClient } from 'team-customer-api-client';
    declare const api: ReturnType<typeof createClient>;
    declare const memberId: string, memberIds: string[], caseId: string, storedCursor: string | undefined;
    declare const storeCursor: (cursor: string) => Promise<void>;
    declare const storeRow: (row: { id: string }) => Promise<void>;
    declare const combination: { situation_id: string; personality_id: string; industry_id: string };`;
  return Object.fromEntries(
    blocks.map((code, index) => [
      `block-${index}.ts`,
      code.includes('createClient(')
        ? code
        : `${known}
${code}`,
    ]),
  );
};

describe('the packed client, against the running service', () => {
  it('passes its suite in the project’s Node', async () => {
    expect(await runSuite(process.execPath)).toEqual([]);
  });

  it('passes its suite in the machine’s Node', async ({ skip }) => {
    const node = await nodeOfTheMachine();
    skip(node === undefined, 'There is no other Node on this machine.');
    expect(await runSuite(node ?? '')).toEqual([]);
  });

  it('passes its suite in an edge runtime, which has only standard web functions', async () => {
    const program = join(packed.project, 'edge.mjs');
    await writeFile(
      program,
      `import * as client from 'team-customer-api-client';
       import { run } from './suite.mjs';
       globalThis.outcome = run(client, globalThis.world).then(JSON.stringify);`,
    );
    const code = await bundleOf(program, 'iife');
    const edge = new EdgeVM({ extend: (context) => Object.assign(context, { world: undefined }) });
    edge.evaluate(`globalThis.world = ${JSON.stringify(await aWorld(service))}; ${code}`);
    expect(failuresIn(await edge.evaluate<Promise<string>>('globalThis.outcome'))).toEqual([]);
  });

  it('can be required by a CJS program', async () => {
    const program = `
      const { createClient, ApiError, WebhookError } = require('team-customer-api-client');
      const webhooks = require('team-customer-api-client/webhooks');
      const { baseUrl, key, teamId } = JSON.parse(process.env.WORLD);
      createClient({ baseUrl, key }).me().then((me) => console.log(me.tenant_id === teamId, webhooks.WebhookError === WebhookError));`;
    await writeFile(join(packed.project, 'program.cjs'), program);
    const world = JSON.stringify(await aWorld(service));
    expect((await inProject(process.execPath, ['program.cjs'], { WORLD: world })).stdout).toBe('true true\n');
  });
});

describe('the package', () => {
  it('depends on nothing and contains only the necessary files', async () => {
    const installed = join(packed.project, 'node_modules', 'team-customer-api-client');
    const manifest: Record<string, unknown> = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts']) {
      expect(manifest).not.toHaveProperty(kind);
    }
    const files = (await readdir(installed)).toSorted();
    expect(files).toEqual([
      'LICENSE',
      'README.md',
      'cli.js',
      'index.cjs',
      'index.js',
      'lib',
      'package.json',
      'types',
      'webhooks.cjs',
      'webhooks.js',
    ]);
    for (const file of ['index.js', 'index.cjs', 'webhooks.js', 'webhooks.cjs']) {
      expect(await readFile(join(installed, file), 'utf8')).not.toMatch(/node:|process\./);
    }
  });

  it('is small, with the size that its README states', async () => {
    expect(packed.sizes.client).toBeLessThan(5);
    expect(packed.sizes.webhooks).toBeLessThan(3);
    const readme = await readFile(join(packed.folder, 'README.md'), 'utf8');
    expect(readme).toContain(`${packed.sizes.client} kB`);
    expect(readme).toContain(`${packed.sizes.webhooks} kB`);
  });

  it('can be tree-shaken: a bundle has only the parts that a program uses', async () => {
    const program = join(packed.project, 'bundled.mjs');
    const bundled = async (text: string) => {
      await writeFile(program, text);
      return bundleOf(program, 'es');
    };
    const use = (name: string) => `import { ${name} } from 'team-customer-api-client'; globalThis.used = ${name};`;
    expect(await bundled(use('verifyWebhook'))).not.toMatch(/Authorization|\/trainings|Retry-After/i);
    expect(await bundled(use('createClient'))).not.toMatch(/HMAC|Svc-Signature/);
    expect((await bundled("import 'team-customer-api-client';")).trim()).toBe('');
  });
});

describe('the types of the packed client', () => {
  it('work with a bundler’s resolution and only the types of browsers', async () => {
    const consumer = await readFile('test/client/consumer.ts', 'utf8');
    const options = {
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    };
    expect(await complaints({ 'consumer.ts': consumer }, options)).toBe('');
  });

  it('work with Node’s resolution in ES modules and in CJS, and for the examples of the guide', async () => {
    const consumer = await readFile('test/client/consumer.ts', 'utf8');
    const options = { module: 'node16', moduleResolution: 'node16', lib: ['es2022'], types: ['node'] };
    const files = { 'consumer.mts': consumer, 'consumer.cts': consumer, ...(await blocksOfGuide()) };
    expect(await complaints(files, options)).toBe('');
  });
});
