import { httpLimits, limits } from '../../../src/core/limits.ts';
import { basePath } from '../../../src/core/product.ts';
import { hostilePatterns, textOfBytes } from './patterns.ts';
import { headBytes } from './inputs.ts';
import { encoded } from './targets.ts';
import type { Try } from './tries.ts';
import { post, type Route, type Callers } from './callers.ts';

// What is read before any schema: headers, addresses, and bodies that are no objects.

const assistant = { Accept: 'application/json, text/event-stream' };

const routesOf = ({ team, withKey, inTeam }: Callers) =>
  ({
    rest: { method: 'GET', path: `${basePath}/me`, headers: withKey },
    create: post(`${basePath}/cases`, { user_id: team.owner.user_id }, withKey),
    who: { method: 'GET', path: '/trpc/entrance/entrance.who?input=%7B%7D' },
    factor: post('/trpc/entrance/entrance.proveSecondFactor', { code: '123456', kind: 'totp' }),
    company: post('/trpc/entrance/entrance.finishCompanySignIn', { query: 'code=1' }),
    app: post('/trpc/app/team.change', { language: 'de' }, inTeam),
    tools: post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { ...withKey, ...assistant }),
    token: { ...post('/oauth/token', {}), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    register: post('/oauth/register', {}),
    page: { method: 'GET', path: '/developers' },
    document: { method: 'GET', path: '/openapi.v1.json' },
  }) satisfies Record<string, Route>;

type RouteName = keyof ReturnType<typeof routesOf>;

/** Which headers are read, where, and what stands before the text. */
const readHeaders: readonly (readonly [name: string, at: readonly RouteName[], before?: string])[] = [
  ['Authorization', ['rest', 'tools']],
  ['Authorization', ['rest', 'tools'], 'Bearer '],
  ['Authorization', ['rest', 'tools'], 'Bearer svck_live_'],
  ['Authorization', ['tools'], 'Bearer svca_'],
  ['Accept', ['tools', 'page', 'who']],
  ['Accept-Encoding', ['document', 'rest']],
  ['Accept-Language', ['rest', 'who', 'tools', 'page']],
  ['Content-Type', ['create', 'app', 'tools', 'token']],
  ['Content-Type', ['create', 'app', 'tools', 'token'], 'application/json;'],
  ['Content-Encoding', ['create']],
  ['Cookie', ['who', 'factor', 'company', 'app']],
  ['Cookie', ['who', 'factor', 'company', 'app'], 'team.session_token='],
  ['Cookie', ['who', 'factor', 'company'], 'team.two_factor='],
  ['Cookie', ['who', 'factor'], 'team.known_browser='],
  ['Cookie', ['company'], 'team.company_sign_in='],
  ['Forwarded', ['rest']],
  ['Idempotency-Key', ['create']],
  ['If-None-Match', ['rest', 'document', 'page']],
  ['If-Modified-Since', ['document']],
  ['Mcp-Protocol-Version', ['tools']],
  ['Mcp-Session-Id', ['tools']],
  ['Origin', ['app', 'tools']],
  ['Origin', ['app', 'tools'], 'https://'],
  ['Range', ['document']],
  ['Referer', ['page']],
  ['Sec-Fetch-Site', ['app']],
  ['traceparent', ['rest'], '00-'],
  ['User-Agent', ['rest', 'who', 'app']],
  ['X-Forwarded-For', ['rest', 'who', 'token']],
  ['X-Forwarded-Host', ['page']],
  ['X-Forwarded-Proto', ['page']],
  ['X-Request-Id', ['rest']],
  ['X-Team', ['app']],
];

/** The bytes of a text, as far as a header may have them. */
export const headerText = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7E\x80-\xFF]/g, '');

/** Addresses that begin like this. */
const addressesBefore = [
  '/',
  '/assets/',
  '/developers/',
  '/developers/en/',
  '/exports/',
  '/weekly-mail/',
  '/oauth/',
  '/.well-known/',
  '/mcp/',
  '/trpc/entrance/',
  '/trpc/app/',
  `${basePath}/`,
  `${basePath}/users/`,
  `${basePath}/users?`,
  `${basePath}/users?a=`,
  `${basePath}/users?cursor=`,
  '/trpc/entrance/entrance.who?input=',
  '/assistants/connect?',
  '/scim/v2/',
  '/scim/v2/Users/',
  '/scim/v2/Users?attributes=',
  '/scim/v2/Users?filter=',
  '/scim/v2/Users?filter=userName%20co%20%22',
  '/scim/v2/Groups?filter=',
];

/** A request with a text of each pattern. */
const triesWith = (
  { prepare }: Callers,
  { what, place, max }: { what: string; place: string; max: number },
  routeFor: (text: string) => Route,
): Try[] =>
  hostilePatterns.map((pattern) => {
    const text = textOfBytes(pattern, max, (part) => encoded(part).length);
    return { what, place, pattern: pattern.name, send: prepare(routeFor(text)) };
  });

export const headerTries = (callers: Callers): Try[] => {
  const routes = routesOf(callers);
  return readHeaders.flatMap(([name, at, before = '']) =>
    at.flatMap((key) => {
      const route: Route = routes[key];
      const named = { what: `header ${name}: ${before}`, place: `${route.method} ${route.path}`, max: headBytes };
      const withText = (text: string) => ({ ...route.headers, [name]: before + headerText(text) });
      return triesWith(callers, named, (text) => ({ ...route, headers: withText(text) }));
    }),
  );
};

export const addressTries = (callers: Callers): Try[] =>
  addressesBefore.flatMap((before) => {
    const at = (rest: string): Route => ({ method: 'GET', path: before + rest, headers: callers.withKey });
    const named = { what: 'address', place: before, max: headBytes };
    return [
      ...triesWith(callers, named, (text) => at(encoded(text))),
      ...triesWith(callers, { ...named, place: `${before} (not encoded)` }, (text) =>
        at(text.replaceAll(/[^!-~]/g, '')),
      ),
    ];
  });

export const bodyTries = (callers: Callers): Try[] => {
  const { create, app, company, tools, token, register } = routesOf(callers);
  const bodies = [
    { routes: [create, app, tools], max: limits.bodyBytes },
    { routes: [company, token, register], max: httpLimits.entranceBodyBytes },
  ];
  return bodies.flatMap(({ routes, max }) =>
    routes.flatMap((route) =>
      triesWith(callers, { what: 'body', place: route.path, max: max - 1 }, (body) => ({ ...route, body })),
    ),
  );
};

/** The messages of a directory with a text at each place that is read. */
export const directoryTries = (callers: Callers): Try[] => {
  const { team, withKey } = callers;
  const patch = (operation: object) => ({ Operations: [operation] });
  const user = { userName: 'vera@example.com', active: false };
  const bodies: readonly (readonly [place: string, method: 'POST' | 'PATCH', withText: (text: string) => object])[] = [
    ['userName', 'POST', (text) => ({ userName: text })],
    ['displayName', 'POST', (text) => ({ ...user, displayName: text })],
    ['an attribute', 'POST', (text) => ({ ...user, [`x${text}`]: text })],
    ['emails', 'POST', (text) => ({ ...user, emails: [{ value: text, type: text }] })],
    ['op', 'PATCH', (text) => patch({ op: text, path: 'title', value: 'x' })],
    ['path', 'PATCH', (text) => patch({ op: 'replace', path: text, value: 'x' })],
    ['path, filter', 'PATCH', (text) => patch({ op: 'replace', path: `emails[${text}`, value: 'x' })],
    ['value', 'PATCH', (text) => patch({ op: 'replace', path: 'active', value: text })],
    ['key', 'PATCH', (text) => patch({ op: 'replace', value: { [`x${text}`]: text } })],
  ];
  const headers = { ...withKey, 'Content-Type': 'application/scim+json' };
  return bodies.flatMap(([place, method, withText]) => {
    const path = method === 'POST' ? '/scim/v2/Users' : `/scim/v2/Users/${team.owner.member_id}`;
    return [1_000, limits.bodyBytes / 4].flatMap((max) =>
      triesWith(callers, { what: `directory, ${max} bytes`, place, max }, (text) => ({
        method,
        path,
        headers,
        body: JSON.stringify(withText(text)),
      })),
    );
  });
};
