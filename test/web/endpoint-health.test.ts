import { expect, it } from 'vitest';
import { healthOf, pausesAt } from '../../src/web/pages/webhooks/endpoint-health.ts';

const at = '2026-05-01T10:00:00.000Z';

it.each([
  [{ status: 'active', last_success_at: at }, undefined, 'delivering'],
  [{ status: 'active', last_success_at: at }, at, 'failing'],
  [{ status: 'active', last_success_at: null }, at, 'failing'],
  [{ status: 'active', last_success_at: null }, undefined, 'never_delivered'],
  [{ status: 'disabled', last_success_at: at }, at, 'disabled'],
  [{ status: 'disabled_failures', last_success_at: at }, at, 'paused'],
] as const)('an endpoint %j that fails since %s is shown as %s', (endpoint, since, health) => {
  expect(healthOf(endpoint, since)).toBe(health);
});

it.each([
  [at, 3 * 86_400, '2026-05-04T10:00:00.000Z'],
  [at, 0, at],
  [undefined, 3 * 86_400, undefined],
  [at, undefined, undefined],
])('an endpoint that fails since %s is paused after %s seconds: %s', (since, seconds, paused) => {
  expect(pausesAt(since, seconds)).toBe(paused);
});
