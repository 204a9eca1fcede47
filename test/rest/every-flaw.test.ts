import { describe, expect, it } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { flawIn } from './flaws.ts';

const service = await useTestService();
const { client } = await aTeam(service);

const flaw = (part: 'query' | 'body', code: string, ...path: (string | number)[]) => flawIn(part, code, path);

describe('a 422 names every invalid place, and whether it is in the query or in the body', () => {
  it.each([
    ['limit=abc&bar=1', [flaw('query', 'invalid_type', 'limit'), flaw('query', 'unrecognized_keys', 'bar')]],
    ['bar=1&limit=abc', [flaw('query', 'unrecognized_keys', 'bar'), flaw('query', 'invalid_type', 'limit')]],
    ['limit=201&cursor=%00', [flaw('query', 'too_big', 'limit'), flaw('query', 'invalid_text', 'cursor')]],
    [
      'a=1&cursor=%ff&limit=1&limit=2&limit=3&b',
      [
        flaw('query', 'unrecognized_keys', 'a'),
        flaw('query', 'duplicate', 'limit'),
        flaw('query', 'unrecognized_keys', 'b'),
        flaw('query', 'invalid_encoding', 'cursor'),
      ],
    ],
  ])('GET /users?%s', async (query, errors) => {
    expect(await client.get(`/users?${query}`)).toBeProblem('validation_error', { errors });
  });

  it('the query first, then the body: unknown keys, wrong types and texts that can not be stored', async () => {
    const body = { email: 5, role: 'a\0', nickname: 'x' };
    expect(await client.post('/users?dry_run=1', body)).toBeProblem('validation_error', {
      errors: [
        flaw('query', 'unrecognized_keys', 'dry_run'),
        flaw('body', 'invalid_text', 'role'),
        flaw('body', 'invalid_type', 'email'),
        flaw('body', 'unrecognized_keys', 'nickname'),
      ],
    });
    expect(await client.post('/users?dry_run=1', '{')).toBeProblem('validation_error', {
      errors: [flaw('query', 'unrecognized_keys', 'dry_run'), flaw('body', 'invalid_json')],
    });
  });

  it('a role that can not be granted beside others, although it is named by its field when it is the only one', async () => {
    const role = flaw('body', 'custom', 'role');
    const invited = await client.post('/users?x=1', { email: 'nobody', role: 'owner' });
    expect(invited).toBeProblem('validation_error', {
      errors: [flaw('query', 'unrecognized_keys', 'x'), flaw('body', 'invalid_format', 'email'), role],
    });
    const changed = await client.patch('/users/x', { role: 'owner', x: 1 });
    expect(changed).toBeProblem('validation_error', { errors: [role, flaw('body', 'unrecognized_keys', 'x')] });
    for (const { body } of [invited, changed]) expect(body).not.toHaveProperty('field');
  });

  it('each element of a list, and no place twice', async () => {
    const body = { url: 'https://a.example/', events: ['a\0', 'ping', 'b\0'], description: 'c\0' };
    const answer = await client.post('/webhook-endpoints', body);
    expect(answer).toBeProblem('validation_error', {
      errors: [
        flaw('body', 'invalid_text', 'events', 0),
        flaw('body', 'invalid_text', 'events', 2),
        flaw('body', 'invalid_text', 'description'),
        flaw('body', 'invalid_value', 'events', 1),
      ],
    });
  });

  it('a value that breaks a custom rule next to an unknown key in the query', async () => {
    const body = { user_id: 'x', fields: { text: 'x'.repeat(65 * 1024) } };
    expect(await client.post('/cases?x', body)).toBeProblem('validation_error', {
      errors: [flaw('query', 'unrecognized_keys', 'x'), flaw('body', 'custom', 'fields')],
    });
  });

  it('at most a hundred of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`k${at}`, at]));
    const { errors } = (await client.post('/users?x=1', many)).body;
    expect(errors).toHaveLength(100);
  });
});

describe('a 422 that names a field explains the error in words', () => {
  it.each([
    ['a cursor of another list', () => client.get('/users?cursor=x'), 'cursor'],
    ['a role that can not be granted', () => client.post('/users', { email: 'a@example.com', role: 'owner' }), 'role'],
    [
      'an Idempotency-Key that is too long',
      () => client.post('/users', { email: 'a@example.com' }, { headers: { 'Idempotency-Key': 'x'.repeat(101) } }),
      'Idempotency-Key',
    ],
  ])('%s', async (_what, ask, field) => {
    expect(await ask()).toBeProblem('validation_error', { field, detail: expect.stringMatching(/\w+ \w+.*\.$/) });
  });
});
