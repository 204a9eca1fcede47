import { beforeEach, describe, expect, it } from 'vitest';
import { writeCursor } from '../../src/platform/paging.ts';
import { makeVault } from '../../src/core/crypto.ts';
import type { Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let client: Client;

const service = await useTestService();
const team = await aTeam(service, { members: 2 });
const cursor = String((await team.client.get('/users?limit=1')).body['next_cursor']);
beforeEach(async () => {
  client = await team.aClient();
});

const ask = (text: string) => client.get(`/users?cursor=${encodeURIComponent(text)}`);
const refused = { field: 'cursor' };

describe('cursor', () => {
  it('200: continues the list, also with another key of the team and another limit', async () => {
    const answer = await client.get(`/users?limit=200&cursor=${cursor}`);
    expect(answer.data.map(({ id }) => id)).toEqual(team.members.map(({ id }) => id));
    expect(answer.body['next_cursor']).toBeNull();
    expect(cursor).toMatch(/^[\w.-]+$/);
  });

  // test/core/cursor.test.ts changes it anywhere.
  it('422 validation_error: shortened, lengthened or recombined', async () => {
    const [payload = '', signature = ''] = cursor.split('.');
    const position = Buffer.from(payload, 'base64url').toString();
    const again = (text: string) => `${Buffer.from(text).toString('base64url')}.${signature}`;
    for (const changed of [
      '',
      ' ',
      'x',
      payload,
      `.${signature}`,
      `${signature}.${payload}`,
      `${cursor}.${signature}`,
      `${cursor}=`,
      `${cursor} `,
      cursor.slice(0, -1),
      cursor.toUpperCase(),
      again(position.replace('false', 'true')),
      again('[]'),
    ]) {
      expect(await ask(changed)).toBeProblem('validation_error', refused);
    }
  });

  it('422 validation_error: of the same list with another filter, or without one', async () => {
    const [one = '', two = ''] = team.members.map(({ user_id }) => user_id ?? '');
    for (const user_id of [one, one, two, two]) expect((await client.post('/cases', { user_id })).status).toBe(201);
    const page = (filter: string, from = '') => client.get(`/cases?limit=1${filter}${from && `&cursor=${from}`}`);
    const ofOne = String((await page(`&user_id=${one}`)).body['next_cursor']);
    const ofAll = String((await page('')).body['next_cursor']);
    expect((await page(`&user_id=${one}`, ofOne)).status).toBe(200);
    expect((await page('', ofAll)).status).toBe(200);
    for (const answer of [
      await page(`&user_id=${two}`, ofOne),
      await page('', ofOne),
      await page(`&user_id=${one}`, ofAll),
    ])
      expect(answer).toBeProblem('validation_error', refused);
  });

  it('422 validation_error: of another list, or signed with another secret', async () => {
    const position = JSON.parse(Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString());
    const { vault } = service.platform;
    expect(writeCursor(vault, `${team.id} users`, position)).toBe(cursor);
    for (const list of [`${team.id} trainings`, `${team.id} users status=active`, 'users', team.id, '']) {
      expect(await ask(writeCursor(vault, list, position))).toBeProblem('validation_error', refused);
    }
    const foreign = makeVault(['a secret of somebody else, 32 characters']);
    expect(await ask(writeCursor(foreign, `${team.id} users`, position))).toBeProblem('validation_error', refused);
  });

  it('422 validation_error: signed, but not a position of this list', async () => {
    for (const position of [
      [],
      [true],
      [true, 'yesterday', team.id],
      [true, '2026-01-01T00:00:00.000Z', 'nobody'],
      [1, 2, 3],
    ]) {
      expect(await ask(writeCursor(service.platform.vault, `${team.id} users`, position))).toBeProblem(
        'validation_error',
        refused,
      );
    }
  });

  it('422 validation_error: signed, but not a position of the deliveries', async () => {
    const read = (...position: (string | number)[]) => {
      const signed = writeCursor(service.platform.vault, `${team.id} deliveries&&&&`, position);
      return client.get(`/webhook-deliveries?cursor=${signed}`);
    };
    expect((await read(team.id)).status).toBe(200);
    for (const answer of [await read(), await read('nobody'), await read(1), await read(team.id, team.id)])
      expect(answer).toBeProblem('validation_error', refused);
  });
});
