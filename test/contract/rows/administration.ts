import { makeId } from '../../../src/core/ids.ts';
import type { appRouter } from '../../../src/modules/app-router.ts';
import { eraseAll } from '../../../src/modules/erasure/service.ts';
import { removeMember } from '../../../src/modules/members/service.ts';
import { quiet, twice, userOf, without, type Place, type Prepare } from '../../changes/writes.ts';
import { pendingOf } from '../../erasure/erasing.ts';
import { anAssignment, aCase, anEvaluation, aScoredTraining } from '../../support/practice.ts';
import { aDomain } from '../../support/company.ts';
import { aCrmConnection, aDeal, anObjection, aFeed, aFeedConnection, token } from '../../support/crm.ts';
import { anEmail } from '../../support/team.ts';
import { aDelivery, anEndpoint, anEvent } from '../../support/webhooks.ts';
import { computed, type AppRow, type PartsOf, type RowsFor } from './kinds.ts';
import type { PracticePart } from './practice.ts';

// The other procedures that only the app has: about the team, its people and their access, and what other software gets
// and gives.

/** The settings of an identity provider, stored for the team. */
const aProvider = async ({ companies: { settings }, app, team }: Place) => {
  await app('app/companySignIn.save', settings(team));
};

const aProvenDomain = async (place: Place) => {
  const domain = aDomain();
  await place.app('app/companySignIn.addDomain', { domain });
  place.companies.dns.set(`_team-customer-api.${domain}`, { TXT: [`team=${place.team.id}`] });
  return domain;
};

const aDealFeed = () => aFeed([{ deals: [{ id: 'a', outcome: 'open' }] }]);

const aNewFeed = async () => ({ provider: 'feed', url: (await aDealFeed()).url, token });

const aConnection = async ({ team }: Place) => aFeedConnection(team, { url: (await aDealFeed()).url });

const ofConnection = async (place: Place) => ({ connection_id: await aConnection(place) });

/** An erasure runs to its end, as its job does. The address of the person is in texts about others. */
const erasing: Prepare = async ({ companies, team, app }, name) => {
  const { service } = companies;
  const email = anEmail('erased');
  const { id: member_id, ...member } = await team.anActiveMember({ email });
  const [user_id, owner] = [userOf(member), team.owner.user_id];
  const assignment = await anAssignment(service, team, { memberId: member_id });
  const training = await aScoredTraining(service, team, { userId: user_id, assignmentId: assignment });
  const given = await aCase(service, team, { userId: user_id });
  await aCase(service, team, { userId: user_id, private: true });
  const named = await aCase(service, team, { userId: owner, title: `Ask ${email}` });
  await aCase(service, team, { userId: owner, title: 'Ask somebody' });
  const noted = await anAssignment(service, team, { memberId: team.owner.member_id, note: `With ${email}` });
  const tipped = await aScoredTraining(service, team, {
    userId: owner,
    evaluation: { ...anEvaluation({ strongest: `Better than ${email}` }), savedAt: service.clock.now() },
  });
  const connection = await aCrmConnection(service, team);
  const owned = await aDeal(service, team, connection, { ownerUserId: user_id });
  const titled = await aDeal(service, team, connection, { title: `With ${email}` });
  const objection = await anObjection(service, team, titled, { text: `Too dear for ${email}` });
  await anObjection(service, team, await aDeal(service, team, connection));
  await removeMember(await team.acting(), member_id);
  return {
    call: async () => {
      await app(name, { member_id });
      await eraseAll(service.platform, await pendingOf(service, team.id));
      return {
        changed: [
          `cases ${given}`,
          `cases ${named}`,
          `assignments ${noted}`,
          `trainings ${tipped}`,
          `deals ${owned}`,
          `deals ${titled}`,
          `objections ${objection}`,
        ],
        gone: [`assignments ${assignment}`, `trainings ${training}`],
      };
    },
  };
};

const ofKey = async ({ team }: Place) => ({ key_id: (await team.aKey()).id });

/** Two people who were invited, each with an assignment. */
const invited = async ({ companies: { service }, team }: Place) => {
  const ids = [(await team.anInvitedMember()).id, (await team.anInvitedMember()).id];
  const given = [];
  for (const memberId of ids) given.push(await anAssignment(service, team, { memberId }));
  return { ids, given };
};

export const administration = {
  // Who changed what is a matter of administration.
  'audit.list': { who: 'admin' },
  'audit.count': { who: 'admin' },
  'audit.actions': { who: 'admin' },

  // The provider can sign in as any admin, so setting it up needs the right that only the owner gives.
  'companySignIn.state': { who: 'keys' },
  'companySignIn.save': {
    who: 'keys',
    freshProof: 'always',
    write: quiet(async ({ companies: { settings }, team }) => settings(team)),
  },
  'companySignIn.switch': {
    who: 'keys',
    freshProof: 'always',
    write: quiet(async (place) => {
      await aProvider(place);
      return { enabled: false };
    }),
  },
  'companySignIn.remove': {
    who: 'keys',
    freshProof: 'always',
    write: quiet(async (place) => {
      await aProvider(place);
      return {};
    }),
  },
  'companySignIn.addDomain': { who: 'keys', freshProof: 'always', write: quiet(async () => ({ domain: aDomain() })) },
  'companySignIn.proveDomain': {
    who: 'keys',
    freshProof: 'always',
    write: quiet(async (place) => ({ domain: await aProvenDomain(place) })),
  },
  'companySignIn.removeDomain': {
    who: 'keys',
    freshProof: 'always',
    write: quiet(async (place) => ({ domain: await aProvenDomain(place) })),
  },
  'companySignIn.demand': { who: 'keys', freshProof: 'always', write: quiet(async () => ({ demand: 'none' })) },

  'crm.connections': { who: 'admin' },
  'crm.connection': { who: 'admin' },
  'crm.tryConnection': { who: 'admin', write: quiet(aNewFeed) },
  'crm.connect': { who: 'admin', write: quiet(aNewFeed) },
  'crm.change': { who: 'admin', write: quiet(async (place) => ({ ...(await ofConnection(place)), label: 'Sales' })) },
  'crm.renewToken': {
    who: 'admin',
    write: quiet(async (place) => ({ ...(await ofConnection(place)), token: 'another' })),
  },
  'crm.syncNow': { who: 'admin', write: quiet(ofConnection) },
  'crm.pause': { who: 'admin', write: quiet(ofConnection) },
  'crm.resume': {
    who: 'admin',
    write: quiet(async ({ companies: { service }, team }) => ({
      connection_id: await aCrmConnection(service, team, { active: false }),
    })),
  },
  'crm.disconnect': { who: 'admin', write: quiet(ofConnection) },
  'crm.runs': { who: 'admin' },
  'crm.deals': { who: 'admin' },
  'crm.countDeals': { who: 'admin' },
  'crm.objections': { who: 'admin' },
  'crm.countObjections': { who: 'admin' },

  'directory.state': { who: 'admin' },

  // An erasure can't be undone.
  'formerMembers.list': { who: 'admin' },
  'formerMembers.running': { who: 'owner' },
  'formerMembers.erase': { who: 'owner', freshProof: 'always', write: erasing },

  // Every admin sees which keys exist. A key may do more than an admin sees, and outlives them.
  'keys.list': { who: 'admin' },
  'keys.get': { who: 'admin' },
  'keys.ofMember': { who: 'admin' },
  'keys.usage': { who: 'admin' },
  'keys.create': {
    who: 'keys',
    freshProof: 'some',
    write: quiet(async () => ({ name: 'CRM', scopes: ['users:read'] })),
  },
  'keys.rotate': {
    who: 'keys',
    freshProof: 'some',
    write: quiet(async (place) => ({ ...(await ofKey(place)), grace_days: 1 })),
  },
  'keys.revoke': { who: 'keys', write: quiet(ofKey) },

  // Rights and the team itself are the owner's to give.
  'members.list': { who: 'admin' },
  'members.count': { who: 'admin' },
  'members.show': { who: 'admin' },
  'members.names': { who: 'member' },
  'members.invite': {
    who: 'admin',
    limits: { '.results[].outcome': computed },
    write: async ({ app, browser, team }, name) => {
      const known = await team.anActiveMember();
      const input = { people: [{ email: anEmail('invited') }, { email: known.email }] };
      return {
        call: async () => {
          const { results } = await app(name, input);
          const [first] = Array.isArray(results) ? results : [];
          return { changed: [`users ${String(Reflect.get(Object(first), 'member_id'))}`] };
        },
        again: () => browser.mutate(name, input, { team: team.id }),
      };
    },
  },
  'members.known': { who: 'admin' },
  'members.waiting': { who: 'admin', limits: { '.data[].refusal': 'unknown ones are left out as rows are read' } },
  'members.cancelWaiting': {
    who: 'admin',
    write: quiet(async ({ companies: { service }, team }) => {
      const at = service.clock.now();
      const invitedBy = team.owner.user_id;
      const waiting = { tenantId: team.id, id: makeId(), email: anEmail('waits'), role: 'member', invitedBy } as const;
      await service.database.prisma.waitingInvitation.create({ data: { ...waiting, dueAt: at, createdAt: at } });
      return { ids: [waiting.id] };
    }),
  },
  'members.resend': { who: 'admin', write: quiet(async (place) => ({ member_id: (await invited(place)).ids[0] })) },
  'members.resendMany': { who: 'admin', write: quiet(async (place) => ({ member_ids: (await invited(place)).ids })) },
  'members.withdraw': {
    who: 'admin',
    write: twice(async (place) => {
      const { ids, given } = await invited(place);
      const effect = { changed: [`assignments ${given[0]}`], gone: [`users ${ids[0]}`] };
      return { input: { member_id: ids[0] }, effect };
    }),
  },
  'members.withdrawMany': {
    who: 'admin',
    write: twice(async (place) => {
      const { ids, given } = await invited(place);
      const effect = { changed: given.map((id) => `assignments ${id}`), gone: ids.map((id) => `users ${id}`) };
      return { input: { member_ids: ids }, effect };
    }),
  },
  'members.changeRoleMany': {
    who: 'admin',
    write: twice(async ({ companies: { service }, team }) => {
      const { id } = await team.anActiveMember();
      await anAssignment(service, team, { memberId: id });
      return { input: { member_ids: [id], role: 'admin' }, effect: { changed: [`users ${id}`] } };
    }),
  },
  'members.removeMany': {
    who: 'admin',
    write: twice(async ({ companies: { service }, team }) => {
      const { id } = await team.anActiveMember();
      const given = await anAssignment(service, team, { memberId: id });
      return { input: { member_ids: [id] }, effect: { changed: [`assignments ${given}`], gone: [`users ${id}`] } };
    }),
  },
  'members.holdings': { who: 'admin' },
  'members.setRights': {
    who: 'owner',
    write: quiet(async ({ team }) => ({ member_id: (await team.anActiveMember()).id, rights: ['schnittstellen'] })),
  },
  'members.handOver': {
    who: 'owner',
    freshProof: 'always',
    write: twice(async ({ team }) => {
      const { id } = await team.anActiveMember();
      return { input: { member_id: id }, effect: { changed: [`users ${id}`, `users ${team.owner.member_id}`] } };
    }),
  },

  'overview.weeklyMail': { who: 'admin' },
  'overview.setWeeklyMail': { who: 'admin', write: quiet(async () => ({ wanted: true })) },
  'overview.show': { who: 'admin', limits: { '.attention[].answer': computed, '.attention[].kind': computed } },

  // The same as in the public documentation.
  'reference.scopes': { who: 'member', limits: { '.': computed } },
  'reference.events': { who: 'member' },
  'reference.limits': { who: 'member' },

  'requests.list': { who: 'admin' },
  'requests.get': {
    who: 'admin',
    limits: { '.problem.errors[].in': 'a stored problem that does not fit is left out as it is read' },
  },
  'requests.ofKey': { who: 'admin' },
  'requests.volume': { who: 'admin' },

  // Finds for each person only what they may open.
  'search.find': { who: 'member', limits: { '.data[].kind': computed } },

  'team.settings': { who: 'admin' },
  'team.change': { who: 'admin', write: quiet(async () => ({ name: 'Another name', language: 'en' })) },
  'team.setPrivacy': {
    who: 'admin',
    write: quiet(async () => ({ member_detail_enabled: false, leaderboard_enabled: false })),
  },

  // The export has everything of everybody. A team that has ended can still take its data along.
  'teamExport.allow': {
    who: 'owner',
    whileInactive: true,
    refusedWhileHidden: true,
    // While member details are off it is refused.
    write: without(
      async ({ browser, team }, name) =>
        () =>
          browser.mutate(name, {}, { team: team.id }),
    ),
  },

  'webhookHistory.failing': { who: 'admin' },
  'webhookHistory.delivery': { who: 'admin' },
  'webhookHistory.deliveries': { who: 'admin' },
  'webhookHistory.countDeliveries': { who: 'admin' },
  'webhookHistory.attempts': { who: 'admin' },
  'webhookHistory.retryMany': {
    who: 'admin',
    write: quiet(async ({ companies: { service }, team }) => {
      const endpointId = await anEndpoint(service, team);
      return { delivery_ids: [await aDelivery(service, team, { endpointId, status: 'failed' })] };
    }),
  },
  'webhookHistory.event': { who: 'admin', limits: { '.endpoints[].state': computed } },
  'webhookHistory.newest': { who: 'admin' },
  'webhookHistory.missed': { who: 'admin' },
  'webhookHistory.replay': {
    who: 'admin',
    write: quiet(async ({ companies: { service }, team }) => ({
      endpoint_id: await anEndpoint(service, team),
      event_id: await anEvent(service, team),
    })),
  },
  'webhookHistory.renew': {
    who: 'admin',
    write: quiet(async ({ companies: { service }, team }) => ({ endpoint_id: await anEndpoint(service, team) })),
  },
  'webhookHistory.days': { who: 'admin' },
  'webhookHistory.health': { who: 'admin' },
} satisfies RowsFor<Omit<PartsOf<typeof appRouter>, PracticePart>, AppRow>;
