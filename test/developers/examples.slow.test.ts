import { readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { languages } from '../../src/core/language.ts';
import { writtenPages } from '../../src/server/developers/contents.ts';
import { output } from '../docs/webhook-guide.ts';
import { anEndpointAt } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aScoredTraining, aTraining } from '../support/practice.ts';
import { listen } from '../support/ports.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

const folder = 'src/server/developers/examples';
const pages = languages.flatMap((language) =>
  writtenPages.map((path) => readFileSync(`src/server/developers/pages/${language}/${path}.md`, 'utf8')),
);

const shellBlocks = pages.flatMap((text) =>
  [...text.matchAll(/^```sh\n([^]*?)\n```$/gm)].flatMap(([, block]) => block ?? []),
);

describe('the code on the pages', () => {
  it('is in files that a test runs or the compiler checks', async () => {
    const shown = new Set(
      pages.flatMap((text) => [...text.matchAll(/\{\{example ([^}]+)\}\}/g)].flatMap(([, name]) => name ?? [])),
    );
    const files = new Set([...readdirSync(folder), 'verify-webhook.mts']);
    expect([...shown].sort()).toEqual([...files].sort());
    const tests = (
      await Promise.all(
        ['test/developers', 'test/docs', 'test/sandbox', 'test/trainings', 'test/webhooks'].flatMap((place) =>
          readdirSync(place).map((file) => readFile(join(place, file), 'utf8')),
        ),
      )
    ).join('\n');
    // The quick start names its files itself.
    const quickStart = readFileSync('src/server/developers/pages/en/quick-start.md', 'utf8');
    for (const file of shown)
      expect(file.endsWith('.mts') || tests.includes(file) || quickStart.includes(`examples/${file})`), file).toBe(
        true,
      );
  });

  it('is otherwise only shell lines, JSON, HTTP, settings and workflows', () => {
    for (const text of pages)
      for (const [, language] of text.matchAll(/^```(\w+).*\n[^]*?^```$/gm))
        expect(['sh', 'json', 'http', 'ini', 'yaml']).toContain(language);
  });

  it('has only shell lines that a test runs or compares with the command', () => {
    const tested = [
      /^curl /, // below
      /^node --env-file=\.env keep-a-copy\.mts$/, // test/changes/copy-program.ts
      /^node --env-file=\.env scores-and-tips\.mts$/, // typescript.slow.test.ts
      /^node --env-file=\.env export-lists\.mts$/, // typescript.slow.test.ts
      /^node --env-file=\.env audit-to-elastic\.mts$/, // test/docs/siem-program.slow.test.ts
      /^node --env-file=\.env xapi-statements\.mts$/, // test/docs/xapi-program.slow.test.ts
      /^(?:node --env-file=\.env [\w-]+\.mjs|python3 \w+\.py|node make-certificate\.mjs)$/, // quick-start.slow.test.ts, python.slow.test.ts
      /^(?:for folder in warehouse|psql )/, // python.slow.test.ts
      /^(?:php|go run) first-request\.\w+$/, // quick-start.slow.test.ts
      /^(?:sed|tail) .* trainings\.ndjson$/, // below
      /^npx team-customer-api sandbox\b/, // test/docs/sandbox.test.ts
      /^npx team-customer-api-client (?:listen|verify|renew) /, // test/client/document.test.ts
      /^npm install --save-dev \.\/team-customer-api-/, // test/sandbox/packed.slow.test.ts
      /^pip install \{\{public_url\}\}\/developers\/client-py\/\{\{client_wheel\}\}$/, // test/client/document.test.ts
      /^npm install \{\{public_url\}\}\/developers\/client\.tgz$/, // client-package.slow.test.ts
      /^export API_BASE_URL=\S+ API_KEY=\S+ WEBHOOK_SECRET=\S+$/, // test/client/commands.slow.test.ts
      /^export API_BASE_URL=\S+ API_KEY=\S+$/, // test/client/renew.slow.test.ts
      /npm run up$/, // test/demo/up.slow.test.ts
      /^npm run -s cli -- training record --team TEAM_ID --member MEMBER_ID --score 72$/, // test/cli/training.slow.test.ts
      /^npx -p typescript@5 -p @hey-api\/openapi-ts openapi-ts -i /, // npm run openapi:tools
      /^REDOCLY_CLI_RESPECT_SERVER=/, // test/docs/workflows.slow.test.ts
      /^claude mcp add --transport http /,
    ];
    // The lines of a statement after its first one are indented.
    for (const line of shellBlocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split(/\n(?! )/)))
      expect(
        tested.some((form) => form.test(line)),
        line,
      ).toBe(true);
  });

  it('has JSON that is JSON', () => {
    for (const text of pages)
      for (const [, json] of text.matchAll(/^```json\n([^]*?)^```$/gm))
        expect(() => JSON.parse((json ?? '').replaceAll(/\{\{[^}]+\}\}/g, 'x'))).not.toThrow();
  });
});

const service = await useTestService();
const copy = throwAwayFolder();
await cp(folder, copy, { recursive: true });

describe('the examples against the service', () => {
  const run = (script: string, key: string) =>
    output(process.execPath, ['--input-type=module', '-e', script], {
      cwd: copy,
      env: { BASE_URL: service.baseUrl, API_KEY: key },
    });

  it('list-all.mjs reads every page of a list, with its filters', async () => {
    const team = await aTeam(service);
    const { text: key } = await team.aKey();
    for (const user_id of [team.owner.user_id, team.owner.user_id])
      await aScoredTraining(service, team, { userId: user_id });
    await aTraining(service, team, { userId: team.owner.user_id, status: 'ended' });
    const scored = (await run("await import('./list-all.mjs')", key)).trim().split('\n');
    expect(scored.sort()).toEqual((await team.client.get('/trainings?status=scored')).data.map(({ id }) => id).sort());
    expect(scored).toHaveLength(2);
  });

  it('the shell lines with curl get a success', async () => {
    const team = await aTeam(service);
    const { text: API_KEY } = await team.aKey();
    await writeFile(join(copy, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
    // Those for directories change people, and are run by test/docs/directory.slow.
    const lines = shellBlocks.filter((block) => block.startsWith('curl ') && !block.includes('/scim/v2'));
    expect(lines).toHaveLength(24);
    for (const line of lines) {
      const { id: ENDPOINT_ID } = await anEndpointAt(service, team, 'https://hooks.example.com/checked');
      const local = line.replaceAll('{{base_url}}', service.baseUrl).replaceAll('{{public_url}}', service.origin);
      const env = { API_KEY, ENDPOINT_ID, CURL_HOME: copy };
      const printed = await output('bash', ['-euo', 'pipefail', '-c', local], { cwd: copy, env });
      const [, file] = / >>? (\S+)$/m.exec(local) ?? [];
      expect(file === undefined ? printed : await readFile(join(copy, file), 'utf8'), line).toMatch(/\{/);
    }
  });

  it('the lines for an export that broke off remove the half row and print the last whole one', async () => {
    const block = shellBlocks.find((one) => one.startsWith('sed ')) ?? expect.unreachable('there is no such block');
    await writeFile(join(copy, 'trainings.ndjson'), '{"id":"1"}\n{"id":"2"}\n{"id":');
    expect(await output('bash', ['-euo', 'pipefail', '-c', block], { cwd: copy })).toBe('{"id":"2"}\n');
    expect(await readFile(join(copy, 'trainings.ndjson'), 'utf8')).toBe('{"id":"1"}\n{"id":"2"}\n');
  });

  it('create-assignment.mjs with retrying.mjs gets one answer for one key, even after a 429 and a lost connection', async () => {
    const sent: string[] = [];
    const server = createServer((request, response) => {
      sent.push(String(request.headers['idempotency-key']));
      if (sent.length === 1) return response.writeHead(429, { 'Retry-After': '1' }).end();
      if (sent.length === 2) return request.socket.destroy();
      return response.writeHead(201, { 'Content-Type': 'application/json' }).end('{"id":"1"}');
    });
    const port = await listen(server);
    const printed = await output(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        "const { createAssignment } = await import('./create-assignment.mjs'); console.log((await createAssignment({})).id)",
      ],
      { cwd: copy, env: { BASE_URL: `http://127.0.0.1:${port}`, API_KEY: 'key' } },
    );
    server.close();
    expect(printed.trim()).toBe('1');
    expect(sent).toHaveLength(3);
    expect(new Set(sent).size).toBe(1);
  });
});
