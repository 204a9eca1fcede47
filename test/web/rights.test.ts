import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { needsMetBy } from '../../src/modules/sign-ins/visitor.ts';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';
import { gateFor } from '../../src/web/layout/gate.ts';
import { canShowLeaderboard } from '../../src/web/pages/analytics/rights.ts';
import { actionsOnGiven, actionsOnOwn } from '../../src/web/pages/assignments/rights.ts';
import { shelfOf } from '../../src/web/pages/cases/rights.ts';
import { actionsOn as actionsOnConnection } from '../../src/web/pages/crm/rights.ts';
import { actionsOn as actionsOnKey, keyCreation } from '../../src/web/pages/keys/rights.ts';
import {
  actionsOn as actionsOnMember,
  amongChosen,
  findsFormer,
  keyRight,
  linksFrom,
} from '../../src/web/pages/members/rights.ts';
import { isNewTeam, stepsFor } from '../../src/web/pages/overview/steps.ts';
import {
  addressOf,
  demandsFor,
  isUsable,
  listedFor,
  mayExport,
  sectionsFor,
} from '../../src/web/pages/settings/rights.ts';
import { canRenew, canReplay, canRetry, switchOf } from '../../src/web/pages/webhooks/rights.ts';
import { canCreate, findsPeople, settingsFor } from '../../src/web/search/rights.ts';
import { comparesMembers, isHiddenFrom, leads, seesOthers, type May } from '../../src/web/session/may.ts';
import { filesMatching } from '../support/files-matching.ts';
import { appProcedures } from '../contract/rows/app.ts';
import type { Audience } from '../contract/rows/kinds.ts';
import { routes } from '../contract/rows/routes.ts';
import { routes as pagePaths } from '../e2e/support/walk/routes.ts';

// What the app offers to whom. The server refuses it to others, but a button that is refused is a fault of the page.

const people = {
  owner: { role: 'owner', rights: [] },
  'admin with the right': { role: 'admin', rights: [keyRight] },
  admin: { role: 'admin', rights: [] },
  member: { role: 'member', rights: [] },
  'member with the right': { role: 'member', rights: [keyRight] },
} as const;
type Kind = keyof typeof people;
const kinds = ['owner', 'admin with the right', 'admin', 'member', 'member with the right'] as const satisfies Kind[];

/** What the server answers about this person. */
const mayOf = (kind: Kind): May => {
  const met = needsMetBy(people[kind]);
  return (need) => met.includes(need);
};

/** Those of the people to whom something is offered. */
const offeredTo = (isOffered: (may: May) => boolean): Kind[] => kinds.filter((kind) => isOffered(mayOf(kind)));

const owners: Kind[] = ['owner'];
const withKeys: Kind[] = ['owner', 'admin with the right'];
const admins: Kind[] = ['owner', 'admin with the right', 'admin'];
const whom: Readonly<Record<Audience, Kind[]>> = { owner: owners, keys: withKeys, admin: admins, member: [...kinds] };

/** Those to whom the server grants a procedure of the app or a route. */
const granted = (name: string): Kind[] => {
  const who = appProcedures[name]?.who ?? routes[name]?.people;
  if (who === undefined) return expect.fail(`there is no ${name}`);
  return whom[who];
};

const whatIs = (can: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(can).flatMap(([action, is]) => (is ? [action] : []));

describe('a page', () => {
  const wanted: Readonly<Record<string, Kind[]>> = {
    '/': [...kinds],
    '/members': admins,
    '/members/:id': admins,
    '/analytics': [...kinds],
    '/trainings': [...kinds],
    '/trainings/:id': [...kinds],
    '/assignments': [...kinds],
    '/cases': [...kinds],
    '/catalog': admins,
    '/keys': admins,
    '/keys/:id': admins,
    '/webhooks': admins,
    '/webhooks/:id': admins,
    '/webhooks/:id/deliveries/:deliveryId': admins,
    '/webhooks/events/:id': admins,
    '/crm': admins,
    '/crm/:id': admins,
    '/requests': admins,
    '/requests/:id': admins,
    '/live': admins,
    '/audit': admins,
    '/settings': admins,
    '/settings/privacy': admins,
    '/settings/reminders': admins,
    '/settings/company-account': admins,
    '/settings/required-sign-in': admins,
    '/settings/directory': admins,
    '/settings/plan': admins,
    '/settings/limits': admins,
    '/settings/export': admins,
    '/assistants/connect': [...kinds],
    '/account': [...kinds],
  };

  it('is shown to those who may open it', async () => {
    const source = await readFile('src/web/pages.tsx', 'utf8');
    const needs = ['member', 'admin', 'keys', 'owner', 'signed-in'] as const;
    const found = [...source.matchAll(/path: '([^']+)',[^{}]*?needs: '([a-z-]+)'/g)].map(([, path = '', word]) => {
      const need = needs.find((one) => one === word) ?? expect.fail(`${path} needs ${word}`);
      return [path, offeredTo((may) => gateFor(need, 'active', may) === 'page')] as const;
    });
    expect(Object.fromEntries(found)).toEqual(wanted);
  });

  it.each(['suspended', 'ended'] as const)('of a team that is %s says so, but for one’s own account', (status) => {
    for (const kind of kinds) {
      expect(gateFor('member', status, mayOf(kind))).toBe('inactive');
      expect(gateFor('owner', status, mayOf(kind))).toBe('inactive');
      expect(gateFor('signed-in', status, mayOf(kind))).toBe('page');
    }
  });
});

describe('the menu of a member', () => {
  const ofAdmins = { active: [], invited: [] } as const;
  const rows = [
    // Of the owner nothing can be changed, not even by themself.
    ['owner', 'active', [], ofAdmins.active, ofAdmins.active],
    ['admin', 'active', [], ['demote', 'remove'], ['demote', 'grant', 'transfer', 'remove']],
    ['admin', 'active', [keyRight], ['demote', 'remove'], ['demote', 'revoke', 'transfer', 'remove']],
    ['admin', 'invited', [], ['resend', 'demote', 'withdraw'], ['resend', 'demote', 'grant', 'withdraw']],
    ['member', 'active', [], ['promote', 'remove'], ['promote', 'grant', 'transfer', 'remove']],
    ['member', 'active', [keyRight], ['promote', 'remove'], ['promote', 'revoke', 'transfer', 'remove']],
    ['member', 'invited', [], ['resend', 'promote', 'withdraw'], ['resend', 'promote', 'grant', 'withdraw']],
    ['member', 'invited', [keyRight], ['resend', 'promote', 'withdraw'], ['resend', 'promote', 'revoke', 'withdraw']],
  ] as const;

  it.each(rows)('who is %s, %s, with %j offers an admin %j and the owner %j', (role, status, rights, admin, owner) => {
    const member = { role, status, rights: [...rights] };
    const offered = Object.fromEntries(kinds.map((kind) => [kind, whatIs(actionsOnMember(member, mayOf(kind)))]));
    expect(offered).toEqual({
      owner,
      'admin with the right': admin,
      admin,
      member: [],
      'member with the right': [],
    });
  });

  it('offers nothing that the server refuses to all such people', () => {
    const procedures = {
      resend: 'members.resend',
      promote: 'PATCH /users/{member_id}',
      demote: 'PATCH /users/{member_id}',
      grant: 'members.setRights',
      revoke: 'members.setRights',
      transfer: 'members.handOver',
      withdraw: 'members.withdraw',
      remove: 'DELETE /users/{member_id}',
    } as const;
    for (const [role, status, rights] of rows.slice(1)) {
      const member = { role, status, rights: [...rights] };
      for (const [action, procedure] of Object.entries(procedures)) {
        const offered = offeredTo((may) => whatIs(actionsOnMember(member, may)).includes(action));
        if (offered.length > 0) expect([action, offered]).toEqual([action, granted(procedure)]);
      }
    }
  });

  it.each([
    [{ user_id: 'u' }, true, ['trainings', 'assignments', 'policy']],
    [{ user_id: null }, true, ['assignments', 'policy']],
    [{ user_id: 'u' }, false, ['policy']],
    [{ user_id: null }, false, ['policy']],
  ])('%j leads, while details are shown: %s, to %j', (member, member_detail, links) => {
    expect(whatIs(linksFrom(member, { member_detail }))).toEqual(links);
  });

  it('of several leaves the owner out, and has the invitations of those who are invited', () => {
    const chosen = [
      { id: 1, role: 'owner', status: 'active' },
      { id: 2, role: 'admin', status: 'invited' },
      { id: 3, role: 'member', status: 'active' },
    ] as const;
    const { changeable, invited } = amongChosen(chosen);
    expect([changeable.map(({ id }) => id), invited.map(({ id }) => id)]).toEqual([[2, 3], [2]]);
  });
});

describe('keys', () => {
  it('are created by those with the right, with a plan that has the API', () => {
    expect(offeredTo((may) => keyCreation(true, may) === 'allowed')).toEqual(granted('keys.create'));
    expect(offeredTo((may) => keyCreation(true, may) === 'no_permission')).toEqual([
      'admin',
      'member',
      'member with the right',
    ]);
    expect(kinds.map((kind) => keyCreation(false, mayOf(kind)))).toEqual(kinds.map(() => 'no_plan'));
    expect(keyCreation(undefined, mayOf('owner'))).toBeUndefined();
  });

  it.each([
    ['active', null, true, ['rotate', 'revoke']],
    ['active', null, false, ['revoke']],
    ['active', 'next', true, ['revoke']],
    ['expired', null, true, []],
    ['revoked', null, true, []],
    ['revoked', 'next', true, []],
  ] as const)('that are %s, replaced by %s, with the API: %s, offer %j to those with the right', (...row) => {
    const [status, rotated_to_id, hasApi, actions] = row;
    const offered = kinds.map((kind) => {
      const may = mayOf(kind);
      return [kind, whatIs(actionsOnKey({ status, rotated_to_id }, keyCreation(hasApi, may), may))];
    });
    expect(offered).toEqual(kinds.map((kind) => [kind, granted('keys.revoke').includes(kind) ? actions : []]));
  });
});

describe('an assignment', () => {
  const ofUnfinished = ['complete', 'remind', 'extend', 'withdraw', 'remove'];
  it.each([
    ['open', ofUnfinished],
    ['in_progress', ofUnfinished],
    ['done', ['reopen', 'remove']],
    ['revoked', ['reopen', 'remove']],
  ] as const)('that is %s offers an admin %j', (status, actions) => {
    expect(whatIs(actionsOnGiven({ status }))).toEqual(actions);
  });

  it.each([
    ['open', null, ['begin', 'finish']],
    ['open', 'https://practise.example', ['practise', 'finish']],
    ['in_progress', null, ['finish']],
    ['in_progress', 'https://practise.example', ['practise', 'finish']],
    ['done', null, []],
    ['done', 'https://practise.example', []],
    ['revoked', null, []],
    ['revoked', 'https://practise.example', []],
  ] as const)('of one’s own that is %s, practised at %s, offers %j', (status, practice_url, actions) => {
    expect(whatIs(actionsOnOwn({ status, practice_url }))).toEqual(actions);
  });
});

describe('what belongs to others', () => {
  it('is shown to admins while the team shows it', () => {
    expect(offeredTo((may) => seesOthers(may, { member_detail: true }))).toEqual(granted('sessions.list'));
    expect(offeredTo((may) => seesOthers(may, { member_detail: false }))).toEqual([]);
  });

  it('is compared by admins while the team shows and compares members, and hidden from them while it does not', () => {
    const shown = { member_detail: true, leaderboard: true };
    expect(offeredTo((may) => comparesMembers(may, shown))).toEqual(granted('teamTrends.compare'));
    for (const hidden of ['member_detail', 'leaderboard'] as const)
      expect(offeredTo((may) => comparesMembers(may, { ...shown, [hidden]: false }))).toEqual([]);
    expect(offeredTo((may) => isHiddenFrom(may, { member_detail: false }))).toEqual(admins);
    expect(offeredTo((may) => isHiddenFrom(may, shown))).toEqual([]);
  });

  it('is a list of the team for those who lead it, and former members are one of the owner', () => {
    expect(offeredTo(leads)).toEqual(granted('assigning.list'));
    expect(offeredTo(leads)).toEqual(granted('overview.show'));
    expect(offeredTo(findsFormer)).toEqual(granted('formerMembers.erase'));
    expect(offeredTo(mayExport)).toEqual(granted('teamExport.allow'));
  });

  it.each([
    ['member_detail_off', admins],
    ['leaderboard_off', admins],
    ['too_few', []],
  ] as const)('as a leaderboard that is not shown because of %s leads %j to the settings', (reason, who) => {
    expect(offeredTo((may) => canShowLeaderboard(reason, may))).toEqual(who);
  });

  it.each([
    ['', admins],
    ['team', admins],
    ['mine', []],
  ] as const)('as the shelf of cases in the view “%s”', (view, who) => {
    expect(offeredTo((may) => shelfOf(view, may) === 'team')).toEqual(who);
  });
});

describe('the settings', () => {
  const listed = 'team privacy reminders company-account required-sign-in directory plan limits export';
  const all = listed.split(' ');
  it.each([
    ['owner', all],
    ['admin with the right', all.slice(0, -1)],
    ['admin', ['team', 'privacy', 'reminders', 'directory', 'plan', 'limits']],
  ] as const)('have for %s the sections %j', (kind, sections) => {
    expect(sectionsFor(mayOf(kind))).toEqual(sections);
    // What is closed is listed: it says who opens it.
    expect(listedFor(mayOf(kind))).toEqual(kind === 'owner' ? all : all.slice(0, -1));
    // Each has a page.
    expect(listedFor(mayOf(kind)).filter((section) => !pagePaths.includes(addressOf(section)))).toEqual([]);
  });

  it('have the sections for those to whom the server answers', () => {
    expect(offeredTo((may) => sectionsFor(may).includes('company-account'))).toEqual(granted('companySignIn.state'));
    expect(offeredTo((may) => sectionsFor(may).includes('directory'))).toEqual(granted('directory.state'));
    expect(offeredTo((may) => sectionsFor(may).includes('export'))).toEqual(granted('teamExport.allow'));
  });

  const usable = { provider: { enabled: true }, domains: [{ proven: false }, { proven: true }] };
  const unusable = [
    { provider: null, domains: [] },
    { provider: { enabled: false }, domains: [{ proven: true }] },
    { provider: { enabled: true }, domains: [{ proven: false }] },
    { provider: { enabled: true }, domains: [] },
  ];
  it.each([
    ['password', ['none'], ['none']],
    ['second_factor', ['none', 'second_factor'], ['none', 'second_factor']],
    ['company', ['none', 'second_factor', 'company'], ['none', 'second_factor']],
  ] as const)('let a session by %s demand %j, or %j while the company account is not usable', (way, yes, no) => {
    expect(isUsable(usable)).toBe(true);
    expect(whatIs(demandsFor({ way, ...usable }))).toEqual(yes);
    for (const state of unusable) {
      expect(isUsable(state)).toBe(false);
      expect(whatIs(demandsFor({ way, ...state }))).toEqual(no);
    }
  });
});

describe('an endpoint', () => {
  it.each([
    ['training.completed', 'active', true, true],
    [null, 'active', true, true],
    ['ping', 'active', true, false],
    ['training.completed', 'disabled', true, false],
    ['training.completed', 'disabled_failures', true, false],
    ['training.completed', undefined, true, false],
    ['training.completed', 'active', false, false],
  ] as const)('gets %s again, while it is %s and the plan has the API: %s: %s', (type, status, hasApi, can) => {
    expect(canReplay(type, status, hasApi)).toBe(can);
  });

  it.each([
    ['pending', false],
    ['ok', false],
    ['failed', true],
    ['gave_up', true],
  ] as const)('has deliveries that are %s tried again: %s', (status, can) => {
    expect(canRetry({ status }, true)).toBe(can);
    expect(canRetry({ status }, false)).toBe(false);
  });

  it.each([
    ['active', 'disable'],
    ['disabled', 'reactivate'],
    ['disabled_failures', undefined],
  ] as const)('that is %s has beside its facts the button %s', (status, button) => {
    expect(switchOf(status)).toBe(button);
  });

  it.each([
    ['active', true],
    ['disabled', false],
    ['disabled_failures', true],
  ] as const)('that is %s can get a new secret: %s, and never without the API', (status, can) => {
    expect(canRenew(status, true)).toBe(can);
    expect(canRenew(status, false)).toBe(false);
  });
});

describe('a CRM connection', () => {
  const idle = { running: null, requested: false, has_token: true };
  const running = { deals: 3, since: '2026-11-20T10:00:00Z' };
  it.each([
    ['active', {}, true, ['sync', 'renew', 'pause']],
    ['active', {}, false, ['pause']],
    ['active', { running }, true, ['renew', 'pause']],
    ['active', { requested: true }, true, ['renew', 'pause']],
    ['active', { has_token: false }, true, ['renew', 'pause']],
    ['paused', {}, true, ['sync', 'renew', 'resume']],
    ['paused', {}, false, []],
    ['credentials_refused', {}, true, ['sync', 'renew']],
    ['credentials_refused', {}, false, []],
  ] as const)('that is %s, %j, with the API: %s, offers %j', (status, state, hasApi, actions) => {
    expect(whatIs(actionsOnConnection({ ...idle, status, ...state }, hasApi))).toEqual(actions);
  });
});

describe('the search', () => {
  const shown = { has_api: true, privacy: { member_detail: true } };
  const creates = (may: May, team = shown) => whatIs(canCreate(may, team));

  it.each([
    ['owner', ['/members', '/assignments', '/keys', '/webhooks'], ['/members', '/assignments']],
    ['admin with the right', ['/members', '/assignments', '/keys', '/webhooks'], ['/members', '/assignments']],
    ['admin', ['/members', '/assignments', '/webhooks'], ['/members', '/assignments']],
    ['member', [], []],
    ['member with the right', [], []],
  ] as const)('offers %s to create on %j, and without the API on %j', (kind, withApi, without) => {
    expect(creates(mayOf(kind))).toEqual(withApi);
    expect(creates(mayOf(kind), { ...shown, has_api: false })).toEqual(without);
  });

  it('offers to create what the server lets them create', () => {
    const to = (path: string) => offeredTo((may) => creates(may).includes(path));
    expect(to('/members')).toEqual(granted('members.invite'));
    expect(to('/assignments')).toEqual(granted('assigning.create'));
    expect(to('/keys')).toEqual(granted('keys.create'));
    expect(to('/webhooks')).toEqual(granted('POST /webhook-endpoints'));
  });

  it('offers only sections of the settings that the page shows to the reader', () => {
    for (const kind of kinds) {
      const isAdmin = admins.includes(kind);
      expect([kind, settingsFor(mayOf(kind))]).toEqual([kind, isAdmin ? sectionsFor(mayOf(kind)) : []]);
    }
    expect(offeredTo((may) => settingsFor(may).includes('export'))).toEqual(owners);
    expect(offeredTo((may) => settingsFor(may).includes('required-sign-in'))).toEqual(withKeys);
  });

  it('offers lists of people by their practice to admins, while the team shows it', () => {
    expect(offeredTo((may) => findsPeople(may, shown))).toEqual(admins);
    expect(offeredTo((may) => findsPeople(may, { ...shown, privacy: { member_detail: false } }))).toEqual([]);
  });
});

it('the pages ask for rights only in the functions above', async () => {
  const found: string[] = [];
  for await (const path of filesMatching('src/web/**/*.tsx'))
    if (/\bmay\('/.test(await readFile(path, 'utf8'))) found.push(path);
  expect(found).toEqual([]);
});

describe('the first steps', () => {
  beforeEach(() => setCurrentLanguage('en'));
  const nothing = {
    seats: { taken: 1, total: 10 },
    keys: { active: 0, last_used_at: null },
    endpoints: { active: 0, disabled: 0, paused: 0 },
    assignments: { open: 0, overdue: 0, oldest_due: null },
    latest_training_at: null,
  };
  const at = '2026-11-20T10:00:00Z';
  const people = ['/members', '/assignments', '/analytics'];
  const programs = ['/keys', '/developers', '/webhooks'];

  it('are those of people for every admin, and those of programs for people with the right to keys', () => {
    expect(offeredTo((may) => stepsFor(nothing, may).some(({ to }) => to === '/keys'))).toEqual(withKeys);
    expect(stepsFor(nothing, mayOf('admin')).map(({ to }) => to)).toEqual(people);
    expect(stepsFor(nothing, mayOf('owner')).map(({ to }) => to)).toEqual([...people, ...programs]);
  });

  it.each([
    [{}, true, []],
    [{ seats: { taken: 2, total: 10 } }, false, ['/members']],
    [{ assignments: { open: 1, overdue: 0, oldest_due: null } }, false, ['/assignments']],
    [{ latest_training_at: at }, false, ['/assignments', '/analytics']],
    [{ keys: { active: 1, last_used_at: null } }, false, ['/keys']],
    [{ keys: { active: 0, last_used_at: at } }, false, ['/keys', '/developers']],
    [{ endpoints: { active: 1, disabled: 0, paused: 0 } }, false, ['/webhooks']],
    [{ endpoints: { active: 0, disabled: 1, paused: 0 } }, false, ['/webhooks']],
    [{ endpoints: { active: 0, disabled: 0, paused: 1 } }, false, ['/webhooks']],
  ])('with %j: the team is new: %s, done: %j', (changed, isNew, done) => {
    const overview = { ...nothing, ...changed };
    expect(isNewTeam(overview)).toBe(isNew);
    const steps = stepsFor(overview, mayOf('owner'));
    expect(steps.flatMap((step) => (step.done ? [step.to] : []))).toEqual(done);
  });
});
