// npm run openapi:tools: runs third-party tools on the OpenAPI document. Linters must report nothing, and generated
// code must compile. The tools take some 300 MB, so they are no part of the tests: they are installed in a temporary
// folder.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { baselineFile } from './openapi/document.ts';

const tools = [
  '@hey-api/openapi-ts@0.95.0',
  '@stoplight/spectral-cli@6.16.3',
  'openapi-typescript@7.13.0',
  'orval@8.20.0',
  'quicktype@26.0.0',
  'typescript@5.9.3',
];

/** More models than this make the generated code hard to navigate. */
const maxModels = 150;

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'openapi-tools-'));

const inFolder = (program: string, ...rest: string[]) => run(program, rest, { cwd: folder, maxBuffer: 64 * 1024 ** 2 });
const tool = (name: string, ...rest: string[]) =>
  inFolder(process.execPath, join('node_modules', '.bin', name), ...rest);

const exists = (program: string): Promise<boolean> =>
  run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  );

const strictly = '--noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler';
const compile = (...files: string[]) =>
  tool('tsc', ...strictly.split(' '), '--lib', 'es2022,dom,dom.iterable', ...files);

const quicktype = (language: string, out: string, ...rest: string[]) =>
  tool('quicktype', '-s', 'schema', 'api.json#/components/schemas/', '-l', language, '-o', out, ...rest);

const checks: Readonly<Record<string, () => Promise<unknown>>> = {
  'redocly recommended-strict': () =>
    run('env', ['REDOCLY_TELEMETRY=off', 'redocly', 'lint', '--extends=recommended-strict', baselineFile]),
  'spectral:oas': () => tool('spectral', 'lint', '-r', 'spectral.json', '--fail-severity=hint', 'api.json'),
  'openapi-typescript': async () => {
    await tool('openapi-typescript', 'api.json', '-o', 'openapi-typescript.ts');
    await compile('openapi-typescript.ts');
  },
  'hey-api': async () => {
    await tool('openapi-ts', '-i', 'api.json', '-o', 'hey-api');
    await compile('hey-api/index.ts');
  },
  orval: async () => {
    await tool('orval');
    await compile('orval/model/index.ts', 'orval/trainings/trainings.ts', 'orval/assignments/assignments.ts');
    const models = (await readdir(join(folder, 'orval', 'model'))).filter((file) => file !== 'index.ts');
    if (models.length >= maxModels) throw new Error(`It writes ${models.length} models.`);
    return `${models.length} models`;
  },
  'quicktype for Go': async () => {
    await mkdir(join(folder, 'go'));
    await quicktype('go', 'go/api.go', '--package', 'api');
    await writeFile(join(folder, 'go', 'go.mod'), 'module api\n\ngo 1.19\n');
    return (await exists('go')) ? run('go', ['vet', '.'], { cwd: join(folder, 'go') }) : 'not compiled: no go here';
  },
  'quicktype for PHP': async () => {
    await quicktype('php', 'api.php');
    return (await exists('php')) ? inFolder('php', '-l', 'api.php') : 'not compiled: no php here';
  },
};

try {
  await symlink(baselineFile, join(folder, 'api.json'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await writeFile(join(folder, 'spectral.json'), JSON.stringify({ extends: ['spectral:oas'] }));
  const output = { mode: 'tags-split', target: 'orval/api.ts', schemas: 'orval/model', client: 'fetch' };
  const config = { api: { input: './api.json', output } };
  await writeFile(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(config)};\n`);
  await inFolder('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...tools);
  for (const [what, check] of Object.entries(checks)) {
    try {
      const said = await check();
      console.log(`✓ ${what}${typeof said === 'string' ? ` (${said})` : ''}`);
    } catch (error) {
      process.exitCode = 1;
      const { stdout = '', stderr = '' } = Object(error);
      console.error(`✗ ${what}\n${String(stdout)}${String(stderr)}${error instanceof Error ? error.message : ''}`);
    }
  }
} finally {
  await rm(folder, { recursive: true });
}
