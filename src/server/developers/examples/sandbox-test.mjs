import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

const { SANDBOX_BASE_URL, SANDBOX_API_KEY, SANDBOX_CONTROL_URL, SANDBOX_CONTROL_TOKEN } = process.env;

const call = async (url, token, method, body) => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};
const api = (path) => call(`${SANDBOX_BASE_URL}${path}`, SANDBOX_API_KEY, 'GET');
const sandbox = (path, body) => call(`${SANDBOX_CONTROL_URL}${path}`, SANDBOX_CONTROL_TOKEN, 'POST', body);

beforeEach(() => sandbox('/reset'));

test('the newest score is shown', async () => {
  const { body } = await sandbox('/trigger', { event: 'evaluation.completed', score: 87 });
  const { body: evaluation } = await api(`/trainings/${body.made.training_id}/evaluation`);
  assert.equal(evaluation.score.total, 87);
});

test('an expired key is reported', async () => {
  const { body } = await sandbox('/keys', { scopes: ['users:read'], expires: '+2d' });
  await sandbox('/clock', { move: '+2d' });
  const { status } = await call(`${SANDBOX_BASE_URL}/users`, body.key, 'GET');
  assert.equal(status, 401);
});
