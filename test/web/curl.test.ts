import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { curlOf } from '../../src/web/pages/requests/curl.ts';

const origin = 'https://api.example.com';

it('repeats a request with its path and query, and a placeholder for the key', () => {
  const request = { method: 'GET', route: '/users', path: '/api/public/v1/users', query: 'limit=5&q=a%20b' };
  expect(curlOf(request, origin)).toBe(
    `curl -i 'https://api.example.com/api/public/v1/users?limit=5&q=a%20b' \\\n  -H "Authorization: Bearer $API_KEY"`,
  );
});

it('reads a body from a file, and uses the route where the path is not known', () => {
  const command = curlOf({ method: 'PATCH', route: '/users/{member_id}', path: null, query: null }, origin);
  expect(command).toContain(`-X PATCH 'https://api.example.com/api/public/v1/users/{member_id}'`);
  expect(command).toContain('--data @body.json');
});

it.each([
  ['GET', "curl -i 'https", 2],
  ['HEAD', "curl -i --head 'https", 2],
  ['DELETE', "curl -i -X DELETE 'https", 2],
  ['POST', "curl -i -X POST 'https", 4],
  ['PUT', "curl -i -X PUT 'https", 4],
  ['PATCH', "curl -i -X PATCH 'https", 4],
])('repeats a %s', (method, begin, lines) => {
  const command = curlOf({ method, route: '/x', path: '/x', query: null }, origin);
  expect(command.startsWith(begin)).toBe(true);
  expect(command.split(' \\\n  ')).toHaveLength(lines);
  expect(command.includes("-H 'Content-Type: application/json'")).toBe(lines > 2);
});

it('goes to the API, or to the tools of assistants, where only the route is known', () => {
  const addressOf = (route: string | null) =>
    curlOf({ method: 'GET', route, path: null, query: null }, '').split("'")[1];
  expect([null, '/users', '/mcp/list_users', '/x/mcp'].map(addressOf)).toEqual([
    '/api/public/v1/',
    '/api/public/v1/users',
    '/mcp',
    '/api/public/v1/x/mcp',
  ]);
});

it('stays one harmless command, whatever is in the query', () => {
  const query = `q='; touch /tmp/pwned #$(id)\`id\``;
  const command = curlOf({ method: 'GET', route: null, path: '/x', query }, origin);
  const shown = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$2"; }\nKEY=k\n${command}`], { encoding: 'utf8' });
  expect(shown).toBe(`${origin}/x?${query}\n`);
});
