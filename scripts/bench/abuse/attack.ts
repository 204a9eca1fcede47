import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** A team that reads its largest pages as fast as it can. The slow readers don't read the answers from the socket in time. */
const PageAttack = z.object({
  kind: z.literal('pages'),
  origin: z.string(),
  path: z.string(),
  keys: z.array(z.string()),
  readers: z.int(),
  slowReaders: z.int(),
  seconds: z.number(),
});
export type PageAttack = z.output<typeof PageAttack>;

/** Clients without an account that try to sign in; each address sends all of its attempts at once. */
const SignInAttack = z.object({
  kind: z.literal('sign-ins'),
  origin: z.string(),
  addresses: z.int(),
  each: z.int(),
});
export type SignInAttack = z.output<typeof SignInAttack>;

/** Members of one team who read the same large answer of the app again and again. */
const AppReadAttack = z.object({
  kind: z.literal('app-reads'),
  origin: z.string(),
  team: z.string(),
  /** The procedure, as in `app/catalog.items`. */
  path: z.string(),
  people: z.array(z.object({ email: z.string(), password: z.string() })),
  loopsEach: z.int(),
  seconds: z.number(),
});
export type AppReadAttack = z.output<typeof AppReadAttack>;

export const Attack = z.discriminatedUnion('kind', [PageAttack, SignInAttack, AppReadAttack]);

/** The number of answers by status. */
const Tally = z.record(z.string(), z.int());
export type Tally = z.output<typeof Tally>;

const program = fileURLToPath(new URL('attacker.ts', import.meta.url));

/** Runs the attack in its own process, so that the CPU time of sending it does not count as the service's latency. */
export const startAttack = async (attack: z.output<typeof Attack>): Promise<Tally> => {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(attack));
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return Tally.parse(JSON.parse(output));
};
