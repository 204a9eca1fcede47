import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { eraseAll, eraseFormerMember, erasePerson } from '../../src/modules/erasure/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { aPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { asOwner, erase, linesNaming, operator, pendingOf, refusal } from './erasing.ts';

const service = await useTestService();

describe('an erasure', () => {
  it('is refused, and none is begun in any team, for the owner of a team that has not ended', async () => {
    const [other, team] = [await aTeam(service), await aTeam(service)];
    // Teams are processed in the order of their ids: the one that refuses is the later one.
    expect(other.id < team.id).toBe(true);
    await aPerson(other, { email: team.owner.email });
    const naming = [team.owner.email, other.id, team.id];
    const before = (await linesNaming(service, naming)).toSorted();
    await expect(erasePerson(service.platform, operator, team.owner.email)).rejects.toMatchObject(
      refusal('owner', /Hand it over/),
    );
    expect((await linesNaming(service, naming)).toSorted()).toEqual(before);
    expect(await service.database.prisma.erasure.count({ where: { tenantId: { in: [team.id, other.id] } } })).toBe(0);
    await team.change({ status: 'ended' });
    await erase(service, team.owner.email);
    expect(await linesNaming(service, [team.owner.email, team.owner.member_id, team.owner.user_id])).toEqual([]);
  });

  it('is refused for the last admin, while an endpoint’s URL contains the address, and for an unknown address', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team, { role: 'admin' });
    await expect(erasePerson(service.platform, operator, email)).rejects.toMatchObject(refusal('last_admin'));
    await aPerson(team, { role: 'admin' });
    const endpoint = { url: `https://hooks.example/${email}`, events: ['member.removed'] };
    const { body } = await team.client.post('/webhook-endpoints', endpoint);
    await expect(erasePerson(service.platform, operator, email)).rejects.toMatchObject(refusal('conflict', /URL/));
    await team.client.patch(`/webhook-endpoints/${String(body['id'])}`, { url: 'https://hooks.example/' });
    await erase(service, email);
    await expect(erasePerson(service.platform, operator, email)).rejects.toMatchObject(
      refusal('not_found', /waiting invitation has this address/),
    );
  });

  it.each(['the operator', 'the owner'])(
    'is refused to %s while the URL of a CRM connection contains the address, in any form, and possible after that',
    async (who) => {
      const team = await aTeam(service);
      const { email, memberId } = await aPerson(team, { email: anEmail('named') });
      const byOwner = async () => eraseFormerMember(await asOwner(team), memberId);
      const begin = who === 'the owner' ? byOwner : () => erasePerson(service.platform, operator, email);
      if (who === 'the owner') await removeMember(await asOwner(team), memberId);
      const { prisma } = service.database;
      for (const written of [email, email.toUpperCase(), encodeURIComponent(email), email.replace('@', '%40')]) {
        const url = `https://feed.example/of/${written}`;
        const id = makeId();
        await prisma.crmConnection.create({
          data: { tenantId: team.id, id, provider: 'feed', url, createdAt: new Date() },
        });
        await expect(begin(), written).rejects.toMatchObject(refusal('conflict', new RegExp(`CRM connection ${id}`)));
        expect(await prisma.erasure.count({ where: { tenantId: team.id } })).toBe(0);
        expect(await prisma.member.count({ where: { tenantId: team.id, email } })).toBe(1);
        await prisma.crmConnection.delete({ where: { tenantId_id: { tenantId: team.id, id } } });
      }
      await begin();
      await eraseAll(service.platform, await pendingOf(service, team.id));
      expect(await linesNaming(service, [email])).toEqual([]);
    },
  );
});
