import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { undoable, type UndoableChange } from '../../src/web/kit/dialog/undo.ts';
import { reopenings, statusChange } from '../../src/web/pages/assignments/changes.ts';
import { policyChange } from '../../src/web/pages/catalog/changes.ts';
import { permissionChange, roleChange } from '../../src/web/pages/members/changes.ts';
import { keyRight } from '../../src/web/pages/members/rights.ts';
import { disabling as companyDisabling } from '../../src/web/pages/settings/changes.ts';
import { disabling as endpointDisabling } from '../../src/web/pages/webhooks/changes.ts';
import { anAssignment, aCatalogItem, block, aTraining } from '../support/practice.ts';
import { makeBrowser, type BrowserSession, aPerson, testPassword } from '../support/people.ts';
import { filesMatching } from '../support/files-matching.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

// What the app can undo, done and undone with the calls of its pages: the state is the same as before.

const service = await useTestService();
const { prisma } = service.database;

let team: TestTeam;
let owner: BrowserSession;
beforeAll(async () => {
  team = await aTeam(service, { ownerPassword: testPassword });
  // The last admin stays one.
  await aPerson(team, { role: 'admin' });
  owner = makeBrowser(service);
  await owner.signIn(team.owner.email, testPassword);
});

interface Undone {
  /** Makes the state before. */
  given: () => Promise<{
    /** The procedure, and the call and its undoing as the page sends them. */
    procedure: string;
    change: UndoableChange<unknown>;
    state: () => Promise<unknown>;
  }>;
}

const ofMember =
  (role: 'admin' | 'member', rights: string[], change: 'role' | 'permission'): Undone['given'] =>
  async () => {
    const { memberId } = await aPerson(team, { role, rights });
    const state = () =>
      prisma.member.findFirstOrThrow({
        where: { tenantId: team.id, id: memberId },
        select: { role: true, rights: true, status: true },
      });
    return change === 'role'
      ? { procedure: 'api/members.changeRole', change: roleChange({ id: memberId, role }), state }
      : { procedure: 'app/members.setRights', change: permissionChange({ id: memberId, rights }), state };
  };

const ofAssignment =
  (status: 'open' | 'in_progress' | 'done' | 'revoked', wanted: 'open' | 'done' | 'revoked'): Undone['given'] =>
  async () => {
    const id = await anAssignment(service, team, { memberId: team.owner.member_id, status });
    return {
      procedure: 'app/assigning.change',
      change: statusChange({ id, status, completed_training_id: null }, wanted),
      state: () =>
        prisma.assignment.findFirstOrThrow({
          where: { tenantId: team.id, id },
          select: { status: true, completedTrainingId: true, title: true, dueDate: true },
        }),
    };
  };

const ofPolicy =
  (isReleased: boolean, isOfMember: boolean): Undone['given'] =>
  async () => {
    const { memberId } = await aPerson(team);
    const other = await aCatalogItem(service, { dimension: 'situation', tenantId: team.id });
    const ids = [
      await aCatalogItem(service, { dimension: 'situation', tenantId: team.id }),
      await aCatalogItem(service, { dimension: 'industry', tenantId: team.id }),
    ];
    const whose = isOfMember ? { memberId } : {};
    for (const itemId of [other, ...(isReleased ? ids : [])])
      await block(service, { tenantId: team.id, itemId, ...whose });
    const { act, undo } = policyChange(ids, isReleased);
    const withMember = (input: object | undefined) => (isOfMember ? { member_id: memberId, ...input } : input);
    return {
      procedure: isOfMember ? 'app/policy.setMember' : 'app/policy.setTeam',
      change: { act: withMember(act), undo: withMember(undo) },
      state: async () => {
        const where = { tenantId: team.id, itemId: { in: [other, ...ids] } };
        const select = { itemId: true } as const;
        const blocks = isOfMember
          ? await prisma.memberPolicyBlock.findMany({ where: { ...where, memberId }, select })
          : await prisma.teamPolicyBlock.findMany({ where, select });
        return blocks.map(({ itemId }) => itemId).toSorted();
      },
    };
  };

const rows: Readonly<Record<string, Undone['given']>> = {
  'a member becomes an admin': ofMember('member', [], 'role'),
  'a member with the permission becomes an admin': ofMember('member', [keyRight], 'role'),
  'an admin becomes a member': ofMember('admin', [], 'role'),
  'an admin with the permission becomes a member': ofMember('admin', [keyRight], 'role'),
  'a permission is granted': ofMember('admin', [], 'permission'),
  'a permission is revoked': ofMember('admin', [keyRight], 'permission'),
  'an open assignment is done': ofAssignment('open', 'done'),
  'a begun assignment is done': ofAssignment('in_progress', 'done'),
  'an open assignment is withdrawn': ofAssignment('open', 'revoked'),
  'a begun assignment is withdrawn': ofAssignment('in_progress', 'revoked'),
  'a done assignment is reopened': ofAssignment('done', 'open'),
  'a withdrawn assignment is reopened': ofAssignment('revoked', 'open'),
  'items of the team are blocked': ofPolicy(false, false),
  'items of the team are allowed': ofPolicy(true, false),
  'items of a member are blocked': ofPolicy(false, true),
  'items of a member are allowed': ofPolicy(true, true),
  'an endpoint is disabled': async () => {
    const id = await anEndpoint(service, team);
    return {
      procedure: 'api/webhooks.change',
      change: endpointDisabling(id),
      state: () =>
        prisma.webhookEndpoint.findFirstOrThrow({
          where: { tenantId: team.id, id },
          select: { status: true, events: true, url: true },
        }),
    };
  },
  'the company account is disabled': async () => {
    const times = { createdAt: service.clock.now(), updatedAt: service.clock.now() };
    // Nobody signs in with it, so its secret is none.
    const clientSecret = Uint8Array.of(0);
    const provider = { issuer: 'https://login.example.com', clientId: 'app', clientSecret };
    await prisma.companySignIn.create({ data: { tenantId: team.id, ...provider, ...times } });
    return {
      procedure: 'app/companySignIn.switch',
      change: companyDisabling(),
      state: () =>
        prisma.companySignIn.findFirstOrThrow({
          where: { tenantId: team.id },
          select: { enabled: true, issuer: true, clientId: true },
        }),
    };
  },
};

describe('after the undo everything is as before, when', () => {
  it.each(Object.entries(rows))('%s', async (_name, given) => {
    const { procedure, change, state } = await given();
    const call = async (input: unknown) => {
      const { status, text } = await owner.mutate(procedure, input, { team: team.id });
      expect([status, text]).toEqual([200, expect.any(String)]);
    };
    const before = await state();
    const { act, undo } = undoable(call, change);
    await act();
    expect(await state()).not.toEqual(before);
    await undo?.();
    expect(await state()).toEqual(before);
  });

  it('several assignments are withdrawn, each of which gets its own status back', async () => {
    const statuses = [
      'in_progress',
      'open',
      'in_progress',
      ...Array.from({ length: 60 }, () => 'open' as const),
    ] as const;
    const rowsBefore = await Promise.all(
      statuses.map(async (status) => ({
        id: await anAssignment(service, team, { memberId: team.owner.member_id, status }),
        status,
      })),
    );
    const ids = rowsBefore.map(({ id }) => id);
    const state = async () => {
      const found = await prisma.assignment.findMany({ where: { tenantId: team.id, id: { in: ids } } });
      return new Map(found.map(({ id, status }) => [id, status]));
    };
    const before = await state();
    for (const part of [ids.slice(0, 50), ids.slice(50)]) {
      await owner.mutate('app/assigning.revokeMany', { assignment_ids: part }, { team: team.id });
    }
    expect(new Set((await state()).values())).toEqual(new Set(['revoked']));
    const calls = reopenings(rowsBefore);
    expect(calls.map(({ status, assignment_ids }) => [status, assignment_ids.length])).toEqual([
      ['open', 50],
      ['open', 11],
      ['in_progress', 2],
    ]);
    for (const call of calls)
      expect((await owner.mutate('app/assigning.reopenMany', call, { team: team.id })).status).toBe(200);
    expect(await state()).toEqual(before);
  });
});

describe('an undo', () => {
  it('is not offered for the reopening of an assignment that a training completed: it would not be completed by it', async () => {
    const id = await anAssignment(service, team, { memberId: team.owner.member_id });
    const training = await aTraining(service, team, { userId: team.owner.user_id, assignmentId: id });
    const completed = { id, status: 'done', completed_training_id: training } as const;
    expect(statusChange(completed, 'open')).toEqual({ act: { assignment_id: id, status: 'open' } });
    expect(undoable(() => Promise.resolve(), statusChange(completed, 'open')).undo).toBeUndefined();
  });

  it('is in the pages only where this table has it', async () => {
    const uses: string[] = [];
    for await (const file of filesMatching('src/web/pages/**/*.tsx')) {
      const source = await readFile(file, 'utf8');
      for (const [found] of source.matchAll(/undoable\(|undo: /g))
        uses.push(`${file.replace(/^.*pages\//, '')}: ${found.trim()}`);
    }
    expect(uses.toSorted()).toEqual([
      'assignments/team-assignments.tsx: undo:',
      'assignments/team-assignments.tsx: undoable(',
      'catalog/items.tsx: undoable(',
      'members/member-actions.tsx: undoable(',
      'members/member-actions.tsx: undoable(',
      'settings/company-account.tsx: undoable(',
      'webhooks/endpoint.tsx: undoable(',
    ]);
  });
});
