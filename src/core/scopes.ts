/** What a key may be allowed to do. The one list: keys, gate, routes, OpenAPI, docs and tests read it. */
export const scopes = {
  'users:read': 'read members',
  'users:write': 'invite, change role, remove members',
  'trainings:read': 'training metadata',
  'evaluations:read': 'evaluations (score, dimensions, tips; no transcript)',
  'assignments:read': 'read assignments',
  'assignments:write': 'create, update, delete assignments',
  'cases:read': 'read team cases, CRM deals and objections',
  'cases:write': 'create, update, delete team cases',
  'catalog:read': "catalog within the team's effective policy",
  'analytics:read': 'aggregated team analytics',
  'webhooks:manage': 'webhook endpoints, tests, delivery retries and listings',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;

export const isScope = (text: string): text is Scope => Object.hasOwn(scopes, text);

export const allScopes: readonly Scope[] = Object.keys(scopes).filter(isScope);

const readScopes = allScopes.filter((scope) => scope.endsWith(':read'));

/** The ready-made selections that the app and the command line offer. */
export const keyTemplates = {
  read_only: readScopes,
  read_assignments: [...readScopes, 'assignments:write'],
  all: allScopes,
} as const satisfies Record<string, readonly Scope[]>;

export type KeyTemplate = keyof typeof keyTemplates;
