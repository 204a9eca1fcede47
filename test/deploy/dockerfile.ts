// Runs a Dockerfile without Docker: each stage is a folder, its RUN steps run in it with this process's Node in place
// of the base image.

import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const Words = z.array(z.string());

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, in order. */
export const readDockerfile = async (file: string): Promise<Instruction[]> => {
  const lines = (await readFile(file, 'utf8')).replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return { name, text };
    });
};

/** The words of an instruction in JSON, like `CMD ["node"]`. */
export const wordsOf = (text: string): string[] => Words.parse(JSON.parse(text.slice(text.indexOf('['))));

/** The tracked files of the project that a .dockerignore lets into the build. */
export const contextOf = async (project: string, ignoreFile: string): Promise<string[]> => {
  const patterns = (await readFile(ignoreFile, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isIgnored = (path: string): boolean =>
    path !== '.' && (patterns.some((pattern) => matchesGlob(path, pattern)) || isIgnored(dirname(path)));
  const { stdout } = await run('git', ['ls-files'], { cwd: project, maxBuffer: 16 * 1024 * 1024 });
  return stdout.split('\n').filter((path) => path !== '' && !isIgnored(path));
};

export interface Image {
  /** The folder that is `/` in the image. */
  readonly root: string;
  readonly workdir: string;
  readonly environment: Record<string, string>;
  readonly user: string | undefined;
  readonly command: string[];
  readonly healthCheck: string[];
}

interface Build {
  project: string;
  dockerfile: string;
  /** An empty folder for the stages. */
  folder: string;
  /** Called after the project's files were copied, before the next step. */
  onCopied: (workdir: string) => Promise<void>;
}

export const buildImage = async ({ project, dockerfile, folder, onCopied }: Build): Promise<Image> => {
  const stages = new Map<string, string>();
  // In a folder of its own, because the account of the image may not be able to enter this project's.
  const node = join(folder, 'node', 'node');
  await mkdir(dirname(node), { recursive: true });
  await copyFile(process.execPath, node);
  await chmod(node, 0o755);
  const path = `${dirname(node)}:/usr/local/bin:/usr/bin:/bin`;

  let [root, workdir, user]: [string, string, string | undefined] = ['', '/', undefined];
  let [command, healthCheck]: [string[], string[]] = [[], []];
  let environment: Record<string, string> = {};
  const inImage = (target: string) => (target.startsWith('/') ? join(root, target) : join(root, workdir, target));

  const steps: Record<string, (text: string) => Promise<void> | void> = {
    async FROM(text) {
      const [, name = 'last'] = / AS (\w+)$/.exec(text) ?? [];
      root = join(folder, name);
      stages.set(name, root);
      environment = { PATH: path };
    },
    async WORKDIR(text) {
      workdir = text;
      await mkdir(inImage('.'), { recursive: true });
    },
    async COPY(text) {
      const [, stage, from = '', to = ''] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(text) ?? [];
      if (stage === undefined) {
        for (const file of await contextOf(project, `${dockerfile}.dockerignore`))
          await cp(join(project, file), join(inImage(to), file));
        await onCopied(inImage('.'));
      } else {
        const source = join(stages.get(stage) ?? '', from);
        const target = to.endsWith('/') ? join(inImage(to), from.slice(from.lastIndexOf('/'))) : inImage(to);
        // Moved, which is faster than a copy of all packages: no later step reads them in the former stage.
        await mkdir(dirname(target), { recursive: true });
        await rename(source, target);
      }
    },
    async RUN(text) {
      const env = { ...environment, HOME: folder };
      await run('sh', ['-euc', text], { cwd: inImage('.'), env, maxBuffer: 64 * 1024 * 1024 });
    },
    ENV(text) {
      for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) environment[name] = value;
    },
    USER: (text) => void (user = text),
    EXPOSE: () => {},
    HEALTHCHECK: (text) => void (healthCheck = wordsOf(text)),
    CMD: (text) => void (command = wordsOf(text)),
  };
  for (const { name, text } of await readDockerfile(dockerfile)) {
    const step = steps[name];
    if (!step) throw new Error(`This does not understand ${name} ${text}`);
    await step(text);
  }
  return { root, workdir: inImage('.'), environment, user, command, healthCheck };
};
