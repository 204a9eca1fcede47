// A client in its own process: reads a line of requests, reports that it is ready, and sends them all at once after the next line.

import process from 'node:process';
import { createInterface } from 'node:readline';
import { clientProcessPlan } from './client-processes.ts';
import type { ClientProcessAnswer, ClientProcessPlan } from './client-processes.ts';

const send = async ({ url, method, headers, body }: ClientProcessPlan[number]): Promise<ClientProcessAnswer> => {
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  return { status: answer.status, headers: [...answer.headers], text: await answer.text() };
};

let plan: ClientProcessPlan | undefined;
for await (const line of createInterface(process.stdin)) {
  if (plan) {
    process.stdout.write(`${JSON.stringify(await Promise.all(plan.map(send)))}\n`);
    plan = undefined;
  } else {
    plan = clientProcessPlan.parse(JSON.parse(line));
    process.stdout.write('"ready"\n');
  }
}
process.exit(0);
