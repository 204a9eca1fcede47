import { TRPCError } from '@trpc/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiInTheApp } from '../support/app-caller.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof TRPCError ? error : undefined),
  );

describe('the same procedures, called by the app', () => {
  it('answer like the REST route', async () => {
    const team = await aTeam(service, { members: 2 });
    const caller = await apiInTheApp(team, ['users:read', 'users:write']);
    expect(await caller.members.list({})).toEqual((await team.client.get('/users')).body);
    const [member] = team.members;
    expect(await caller.members.changeRole({ member_id: member?.id ?? '', role: 'admin' })).toMatchObject({
      role: 'admin',
    });
  });

  it('refuse without the scope, with the same problem', async () => {
    const caller = await apiInTheApp(await aTeam(service), ['users:write']);
    const failure = await failureOf(caller.members.list({}));
    expect(failure?.cause).toMatchObject({ code: 'insufficient_scope', members: { required_scope: 'users:read' } });
  });

  it('refuse unknown keys', async () => {
    const caller = await apiInTheApp(await aTeam(service), ['users:read']);
    const mistyped = { limit: 10, curser: 'x' };
    expect(await failureOf(caller.members.list(mistyped))).toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('refuse text that the database can’t store', async () => {
    const caller = await apiInTheApp(await aTeam(service), ['users:write']);
    const failure = await failureOf(caller.members.invite({ email: 'a@example.com', role: 'member\0' }));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('NUL') });
  });

  it('show nothing personal while member details are off', async () => {
    const team = await aTeam(service, { members: 1, memberDetail: false });
    const { data } = await (await apiInTheApp(team, ['users:read'])).members.list({});
    expect(data).toHaveLength(2);
    expect(data.some((member) => 'email' in member)).toBe(false);
  });
});
