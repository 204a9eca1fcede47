import { makeId } from '../../src/core/ids.ts';
import { toSnake } from '../../src/core/spelling.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { eraseAll } from '../../src/modules/erasure/service.ts';
import { startTraining } from '../../src/modules/trainings/service.ts';
import { pendingOf } from '../erasure/erasing.ts';
import {
  aCombination,
  anAssignment,
  aCase,
  aCatalogItem,
  anEvaluation,
  aScoredTraining,
  aTraining,
} from '../support/practice.ts';
import { aDomain } from '../support/company.ts';
import { aCrmConnection, aDeal, anObjection, aFeed, aFeedConnection, token } from '../support/crm.ts';
import { anEmail } from '../support/team.ts';
import { aDelivery, anEndpoint, anEvent } from '../support/webhooks.ts';
import { quietIn, userOf, without, type Effect, type Place, type Prepare, type Writes } from './writes.ts';

/** Calls a procedure twice with the same input: the second call changes nothing. */
const twice = (
  path: string,
  prepare: (place: Place) => Promise<{ input: object; effect: Effect }>,
): readonly [string, Prepare] => [
  path,
  async (place) => {
    const { input, effect } = await prepare(place);
    return {
      call: async () => {
        await place.app(`app/${path}`, input);
        return effect;
      },
      again: () => place.browser.mutate(`app/${path}`, input, { team: place.team.id }),
    };
  },
];

const quiet = quietIn('app');

/** The owner's own rows. */
const own = ({ companies: { service }, team }: Place) => ({
  assignment: (wanted: Partial<Parameters<typeof anAssignment>[2]> = {}) =>
    anAssignment(service, team, { memberId: team.owner.member_id, ...wanted }),
  scored: (assignmentId?: string) =>
    aScoredTraining(service, team, {
      userId: team.owner.user_id,
      ...(assignmentId !== undefined && { assignmentId }),
    }),
  privateCase: () => aCase(service, team, { userId: team.owner.user_id, title: 'A draft', private: true }),
  running: async (assignmentId?: string) => {
    const wanted = { memberId: team.owner.member_id, source: 'app' as const };
    const started = await startTraining(await team.acting(), {
      ...wanted,
      ...(assignmentId !== undefined && { assignmentId }),
    });
    return started.trainingId;
  },
});

const assigning = [
  ...['assigning.create', 'assigning.createMany'].map((path): readonly [string, Prepare] => [
    path,
    async ({ companies: { service }, team, app }) => {
      const member_ids = [(await team.anActiveMember()).id, (await team.anInvitedMember()).id];
      const input = { member_ids, title: 'Price talk', ...(await aCombination(service)) };
      return {
        call: async () => {
          await app(`app/${path}`, input);
          const made = await service.database.prisma.assignment.findMany({
            where: { tenantId: team.id, memberId: { in: member_ids } },
          });
          return { changed: made.map(({ id }) => `assignments ${id}`) };
        },
      };
    },
  ]),
  twice('assigning.change', async (place) => {
    const assignment_id = await own(place).assignment();
    return { input: { assignment_id, title: 'New' }, effect: { changed: [`assignments ${assignment_id}`] } };
  }),
  twice('assigning.remove', async (place) => {
    const assignment_id = await own(place).assignment();
    const training = await own(place).scored(assignment_id);
    const effect = { changed: [`trainings ${training}`], gone: [`assignments ${assignment_id}`] };
    return { input: { assignment_id }, effect };
  }),
  twice('assigning.revokeMany', async (place) => {
    const [open, revoked] = [await own(place).assignment(), await own(place).assignment({ status: 'revoked' })];
    return { input: { assignment_ids: [open, revoked] }, effect: { changed: [`assignments ${open}`] } };
  }),
  twice('assigning.reopenMany', async (place) => {
    const id = await own(place).assignment({ status: 'revoked' });
    return { input: { assignment_ids: [id], status: 'open' }, effect: { changed: [`assignments ${id}`] } };
  }),
  twice('assigning.remindMany', async (place) => {
    const ids = [await own(place).assignment(), await own(place).assignment()];
    return { input: { assignment_ids: ids }, effect: {} };
  }),
  twice('assigning.setDueDates', async (place) => {
    const ids = [await own(place).assignment(), await own(place).assignment()];
    const effect = { changed: ids.map((id) => `assignments ${id}`) };
    return { input: { assignment_ids: ids, due_date: '2027-01-15' }, effect };
  }),
  twice('assigning.removeMany', async (place) => {
    const ids = [await own(place).assignment(), await own(place).assignment()];
    const training = await own(place).scored(ids[1]);
    const effect = { changed: [`trainings ${training}`], gone: ids.map((id) => `assignments ${id}`) };
    return { input: { assignment_ids: ids }, effect };
  }),
  ...['begin', 'finish'].map((what) =>
    twice(`assigning.${what}`, async (place) => {
      const assignment_id = await own(place).assignment();
      return { input: { assignment_id }, effect: { changed: [`assignments ${assignment_id}`] } };
    }),
  ),
] as const;

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

const companySignIn = [
  quiet('companySignIn.save', async ({ companies: { settings }, team }) => settings(team)),
  quiet('companySignIn.switch', async (place) => {
    await aProvider(place);
    return { enabled: false };
  }),
  quiet('companySignIn.remove', async (place) => {
    await aProvider(place);
    return {};
  }),
  quiet('companySignIn.addDomain', async () => ({ domain: aDomain() })),
  quiet('companySignIn.proveDomain', async (place) => ({ domain: await aProvenDomain(place) })),
  quiet('companySignIn.removeDomain', async (place) => ({ domain: await aProvenDomain(place) })),
  quiet('companySignIn.demand', async () => ({ demand: 'none' })),
];

const aDealFeed = () => aFeed([{ deals: [{ id: 'a', outcome: 'open' }] }]);

const aConnection = async ({ team }: Place) => aFeedConnection(team, { url: (await aDealFeed()).url });

const crm = [
  quiet('crm.tryConnection', async () => ({ provider: 'feed', url: (await aDealFeed()).url, token })),
  quiet('crm.connect', async () => ({ provider: 'feed', url: (await aDealFeed()).url, token })),
  quiet('crm.change', async (place) => ({ connection_id: await aConnection(place), label: 'Sales' })),
  quiet('crm.renewToken', async (place) => ({ connection_id: await aConnection(place), token: 'another' })),
  quiet('crm.syncNow', async (place) => ({ connection_id: await aConnection(place) })),
  quiet('crm.pause', async (place) => ({ connection_id: await aConnection(place) })),
  quiet('crm.resume', async ({ companies: { service }, team }) => ({
    connection_id: await aCrmConnection(service, team, { active: false }),
  })),
  quiet('crm.disconnect', async (place) => ({ connection_id: await aConnection(place) })),
];

/** An erasure runs to its end, as its job does. The address of the person is in texts about others. */
const erasing: readonly [string, Prepare] = [
  'formerMembers.erase',
  async (place) => {
    const { companies, team, app } = place;
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
    const noted = await own(place).assignment({ note: `With ${email}` });
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
        await app('app/formerMembers.erase', { member_id });
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
  },
];

const keys = [
  quiet('keys.create', async () => ({ name: 'CRM', scopes: ['users:read'] })),
  quiet('keys.rotate', async ({ team }) => ({ key_id: (await team.aKey()).id, grace_days: 1 })),
  quiet('keys.revoke', async ({ team }) => ({ key_id: (await team.aKey()).id })),
];

/** Two people who were invited, each with an assignment. */
const invited = async ({ companies: { service }, team }: Place) => {
  const ids = [(await team.anInvitedMember()).id, (await team.anInvitedMember()).id];
  const given = [];
  for (const memberId of ids) given.push(await anAssignment(service, team, { memberId }));
  return { ids, given };
};

const members = [
  [
    'members.invite',
    async ({ app, browser, team }: Place) => {
      const known = await team.anActiveMember();
      const input = { people: [{ email: anEmail('invited') }, { email: known.email }] };
      return {
        call: async () => {
          const { results } = await app('app/members.invite', input);
          const [first] = Array.isArray(results) ? results : [];
          return { changed: [`users ${String(Reflect.get(Object(first), 'member_id'))}`] };
        },
        again: () => browser.mutate('app/members.invite', input, { team: team.id }),
      };
    },
  ],
  quiet('members.resend', async (place) => ({ member_id: (await invited(place)).ids[0] })),
  quiet('members.resendMany', async (place) => ({ member_ids: (await invited(place)).ids })),
  quiet('members.cancelWaiting', async ({ companies: { service }, team }) => {
    const at = service.clock.now();
    const invitedBy = team.owner.user_id;
    const waiting = { tenantId: team.id, id: makeId(), email: anEmail('waits'), role: 'member', invitedBy } as const;
    await service.database.prisma.waitingInvitation.create({ data: { ...waiting, dueAt: at, createdAt: at } });
    return { ids: [waiting.id] };
  }),
  twice('members.withdraw', async (place) => {
    const { ids, given } = await invited(place);
    const effect = { changed: [`assignments ${given[0]}`], gone: [`users ${ids[0]}`] };
    return { input: { member_id: ids[0] }, effect };
  }),
  twice('members.withdrawMany', async (place) => {
    const { ids, given } = await invited(place);
    const effect = { changed: given.map((id) => `assignments ${id}`), gone: ids.map((id) => `users ${id}`) };
    return { input: { member_ids: ids }, effect };
  }),
  twice('members.changeRoleMany', async ({ companies: { service }, team }) => {
    const { id } = await team.anActiveMember();
    await anAssignment(service, team, { memberId: id });
    return { input: { member_ids: [id], role: 'admin' }, effect: { changed: [`users ${id}`] } };
  }),
  twice('members.removeMany', async ({ companies: { service }, team }) => {
    const { id } = await team.anActiveMember();
    const given = await anAssignment(service, team, { memberId: id });
    return { input: { member_ids: [id] }, effect: { changed: [`assignments ${given}`], gone: [`users ${id}`] } };
  }),
  quiet('members.setRights', async ({ team }) => ({
    member_id: (await team.anActiveMember()).id,
    rights: ['schnittstellen'],
  })),
  twice('members.handOver', async ({ team }) => {
    const { id } = await team.anActiveMember();
    return { input: { member_id: id }, effect: { changed: [`users ${id}`, `users ${team.owner.member_id}`] } };
  }),
] as const;

const ownCases = [
  quiet('ownCases.create', async () => ({ title: 'A draft' })),
  quiet('ownCases.change', async (place) => ({ case_id: await own(place).privateCase(), title: 'Another draft' })),
  quiet('ownCases.remove', async (place) => ({ case_id: await own(place).privateCase() })),
  twice('ownCases.share', async (place) => {
    const case_id = await own(place).privateCase();
    return { input: { case_id }, effect: { changed: [`cases ${case_id}`] } };
  }),
];

const anItem = ({ companies: { service }, team }: Place, dimension: 'situation' | 'industry') =>
  aCatalogItem(service, { dimension, tenantId: team.id });

const catalog = [
  quiet('catalog.createItem', async () => ({ dimension: 'industry', name: { en: 'Energy' } })),
  quiet('catalog.changeItem', async (place) => ({ item_id: await anItem(place, 'industry'), name: { en: 'Energy' } })),
  quiet('catalog.setRules', async (place) => ({
    situation_id: await anItem(place, 'situation'),
    only: [],
    never: [await anItem(place, 'industry')],
  })),
  quiet('policy.setTeam', async (place) => ({ block: [await anItem(place, 'industry')] })),
  quiet('policy.setMember', async (place) => ({
    member_id: place.team.owner.member_id,
    block: [await anItem(place, 'industry')],
  })),
];

const sessions = [
  [
    'sessions.start',
    async (place: Place) => {
      const assignment_id = await own(place).assignment();
      return {
        call: async () => {
          const { training_id } = await place.app('app/sessions.start', { assignment_id });
          return { changed: [`assignments ${assignment_id}`, `trainings ${String(training_id)}`] };
        },
      };
    },
  ],
  twice('sessions.end', async (place) => {
    const assignment = await own(place).assignment();
    const training_id = await own(place).running(assignment);
    const effect = { changed: [`assignments ${assignment}`, `trainings ${training_id}`] };
    return { input: { training_id }, effect };
  }),
  twice('sessions.abort', async (place) => {
    const training_id = await own(place).running(await own(place).assignment());
    return { input: { training_id }, effect: { changed: [`trainings ${training_id}`] } };
  }),
  [
    'sessions.evaluate',
    async ({ companies: { service }, team, app }: Place) => {
      const at = service.clock.now();
      const ended = { status: 'ended', createdAt: at, finishedAt: at } as const;
      const training_id = await aTraining(service, team, { userId: team.owner.user_id, ...ended });
      // Each save counts as a change, so the same evaluation is not saved again here.
      return {
        call: async () => {
          await app('app/sessions.evaluate', { training_id, ...toSnake(anEvaluation({ total: 40 })) });
          return { changed: [`trainings ${training_id}`] };
        },
      };
    },
  ],
] as const;

const aTeams = [
  quiet('team.change', async () => ({ name: 'Another name', language: 'en' })),
  quiet('team.setPrivacy', async () => ({ member_detail_enabled: false, leaderboard_enabled: false })),
  [
    'teamExport.allow',
    // While member details are off it is refused.
    without(
      async ({ browser, team }) =>
        () =>
          browser.mutate('app/teamExport.allow', {}, { team: team.id }),
    ),
  ] as const,
];

const webhooks = [
  quiet('webhookHistory.retryMany', async ({ companies: { service }, team }) => {
    const endpointId = await anEndpoint(service, team);
    return { delivery_ids: [await aDelivery(service, team, { endpointId, status: 'failed' })] };
  }),
  quiet('webhookHistory.replay', async ({ companies: { service }, team }) => ({
    endpoint_id: await anEndpoint(service, team),
    event_id: await anEvent(service, team),
  })),
];

/** Every procedure that writes and that only the app has. */
export const appWrites: Writes = Object.fromEntries<Prepare>([
  ...assigning,
  ...companySignIn,
  ...crm,
  erasing,
  ...keys,
  ...members,
  ...ownCases,
  ...catalog,
  ...sessions,
  ...aTeams,
  ...webhooks,
]);
