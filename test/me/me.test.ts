import { describe, expect, it } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

describe('GET /me', () => {
  it('200: returns the team, the scopes, the limit and the privacy switch', async () => {
    const team = await aTeam(service, { rateLimit: 700 });
    const client = await team.aClient({ scopes: ['users:read', 'catalog:read'] });
    const answer = await client.get('/me');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      tenant_id: team.id,
      kind: 'live',
      scopes: ['users:read', 'catalog:read'],
      rate_limit_per_min: 700,
      privacy: { member_detail_enabled: true },
    });
  });

  it('200: shows a changed privacy switch at once', async () => {
    const team = await aTeam(service);
    await team.change({ memberDetail: false });
    expect((await team.client.get('/me')).body['privacy']).toEqual({ member_detail_enabled: false });
  });
});
