import pg from 'pg';
import { basePath } from '../../../src/core/product.ts';
import { below, atMost } from '../bounds.ts';
import { aCombination, pick } from '../scenarios.ts';
import type { Seeded, SeededTeam } from '../seed.ts';
import { quantile } from '../statistics.ts';
import type { ServerProcess } from '../server-process.ts';

interface Stage {
  server: ServerProcess;
  databaseUrl: string;
  attacker: SeededTeam;
  neighbour: SeededTeam;
  catalog: Seeded['catalog'];
}

const rows = 100_000;

const seedWork = `
  with m as (select id, user_id from member where tenant_id = $1 and id = $2),
  given as (
    insert into assignment (tenant_id, id, member_id, status, title, created_at)
    select $1, gen_random_uuid(), m.id, 'open', 'An assignment', now() - i * interval '1 second' from m, generate_series(1, ${rows}) i)
  insert into training (tenant_id, id, user_id, status, source, created_at)
  select $1, gen_random_uuid(), m.user_id, 'running', 'app', now() - i * interval '1 second' from m, generate_series(1, ${rows}) i`;

/** A member with 100,000 assignments and as many trainings is removed while the team sends 40 writes at once. */
export const measureRemoval = async ({ server, databaseUrl, attacker, neighbour, catalog }: Stage): Promise<void> => {
  console.log(`removal: a member with ${rows} assignments and trainings, 40 writes of the team at once`);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const [victim = ''] = attacker.members.slice(-1);
  await client.query(seedWork, [attacker.tenantId, victim]);
  await client.query('analyze');
  await client.end();

  const post = async (team: SeededTeam, index: number): Promise<{ status: number; ms: number }> => {
    const started = performance.now();
    const answer = await fetch(`${server.origin}${basePath}/assignments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${pick(team.keys, index)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ member_id: pick(team.members, 1), title: 'Work', ...aCombination(index, catalog) }),
    });
    await answer.arrayBuffer();
    return { status: answer.status, ms: performance.now() - started };
  };

  const removing = new AbortController();
  const removal = async (): Promise<{ status: number; ms: number }> => {
    const started = performance.now();
    const answer = await fetch(`${server.origin}${basePath}/users/${victim}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${pick(attacker.keys, 0)}` },
    });
    return { status: answer.status, ms: performance.now() - started };
  };
  const neighbourWrites = async () => {
    const seen: { status: number; ms: number }[] = [];
    for (let index = 0; !removing.signal.aborted || index < 200; index += 1) seen.push(await post(neighbour, index));
    return seen;
  };

  const removed = removal();
  const crowd = Promise.all(Array.from({ length: 40 }, (_, index) => post(attacker, index)));
  const neighbours = neighbourWrites();
  const [{ status, ms }, ours] = await Promise.all([removed, crowd]);
  removing.abort();
  const theirs = await neighbours;

  console.log(
    `  DELETE answered ${status}; the team's own 40 writes: ${ours.filter((one) => one.status === 201).length} done`,
  );
  below('DELETE of the member', ms, 2_000, ' ms');
  atMost('failed writes of the other team', theirs.filter((one) => one.status !== 201).length, 0);
  below(
    'p99 of the other team’s writes',
    quantile(
      theirs.map((one) => one.ms),
      0.99,
    ),
    1_000,
    ' ms',
  );
};
