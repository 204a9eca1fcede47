import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { readAnswer } from './client.ts';
import type { Answer } from './client.ts';

export const clientProcessPlan = z.array(
  z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string().optional(),
  }),
);
export type ClientProcessPlan = z.output<typeof clientProcessPlan>;

const Answers = z.array(
  z.object({ status: z.int(), headers: z.array(z.tuple([z.string(), z.string()])), text: z.string() }),
);
export type ClientProcessAnswer = z.output<typeof Answers>[number];

const program = join(import.meta.dirname, 'client-process.ts');

const startOne = () => {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const say = async (line: string): Promise<unknown> => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('a client process ended without an answer');
    return JSON.parse(value);
  };
  return {
    prepare: (plan: ClientProcessPlan) => say(JSON.stringify(plan)),
    fire: async () => Answers.parse(await say('go')),
    stop: () => child.stdin.end(),
  };
};

export interface ClientProcesses {
  /** Distributes the requests over the processes, which all send at the same moment. */
  fire(plan: ClientProcessPlan): Promise<Answer[]>;
  stop(): void;
}

export const startClientProcesses = (count: number): ClientProcesses => {
  const clients = Array.from({ length: count }, startOne);
  return {
    async fire(plan) {
      await Promise.all(
        clients.map((client, at) => client.prepare(plan.filter((_request, index) => index % count === at))),
      );
      const answers = await Promise.all(clients.map((client) => client.fire()));
      return answers.flat().map(({ status, headers, text }) => readAnswer(status, new Headers(headers), text));
    },
    stop: () => clients.forEach((client) => client.stop()),
  };
};
