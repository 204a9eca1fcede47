import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** A team that reads its largest pages as fast as it can, partly without taking the answers. */
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

/** Strangers who try to sign in, each address with all its tries at once. */
const SignInAttack = z.object({
  kind: z.literal('sign-ins'),
  origin: z.string(),
  addresses: z.int(),
  each: z.int(),
});
export type SignInAttack = z.output<typeof SignInAttack>;

/** People of one team who read the same large answer of the app again and again. */
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

/** How often each answer came. */
const Tally = z.record(z.string(), z.int());
export type Tally = z.output<typeof Tally>;

const program = fileURLToPath(new URL('attacker.ts', import.meta.url));

/** Attacks from a process of its own, so that what the attack costs its sender is not measured as the service's slowness. */
export const startAttack = async (attack: z.output<typeof Attack>): Promise<Tally> => {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(attack));
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return Tally.parse(JSON.parse(output));
};
