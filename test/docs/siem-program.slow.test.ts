import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { allListed } from '../support/pages.ts';
import { useTestService } from '../support/service.ts';
import { anElastic } from '../support/siem.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

// The program of the page “To your SIEM”, against a stand-in.

const service = await useTestService();

it('the program for Elastic stores each entry once, also after it failed and when it runs again', async () => {
  const team = await aTeam(service, { members: 1 });
  const folder = throwAwayFolder();
  const program = 'audit-to-elastic.mts';
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(process.cwd(), 'dist', 'client'), join(folder, 'node_modules', 'team-customer-api-client'));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  await cp(join('src', 'server', 'developers', 'examples', program), join(folder, program));
  const elastic = await anElastic('elastic-key');
  const { text: API_KEY } = await team.aKey({ scopes: ['audit:export'] });
  const run = (ELASTIC_API_KEY = 'elastic-key') =>
    promisify(execFile)(process.execPath, [program], {
      cwd: folder,
      env: { BASE_URL: service.origin, API_KEY, ELASTIC_URL: elastic.url, ELASTIC_API_KEY },
    });
  const entries = () => allListed(team.client, '/audit-entries?order=asc');

  await expect(run('another')).rejects.toThrow('Elasticsearch answered with 401');
  expect(elastic.documents.size).toBe(0);
  await run();
  const first = await entries();
  expect([...elastic.documents.values()]).toEqual(
    first.map((entry) => ({ '@timestamp': entry['created_at'], ...entry })),
  );
  for (let made = 0; made < 3; made += 1) await team.client.post('/cases', { user_id: team.owner.user_id });
  elastic.setDown(true);
  await expect(run()).rejects.toThrow('Elasticsearch answered with 503');
  elastic.setDown(false);
  await run();
  await run();
  const all = await entries();
  expect(all).toHaveLength(first.length + 3);
  expect([...elastic.documents.keys()]).toEqual(all.map(({ id }) => id));
  // It began before the end of the last run, and what came twice was known.
  expect(Math.max(...elastic.offered.values())).toBeGreaterThan(1);
});
