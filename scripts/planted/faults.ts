// Faults of the kind that happens. Each is a replacement of text in one file; `npm run planted` plants them one by one and runs the tests that
// should notice. `find` must be in the file exactly once: a test checks that, because code moves.

export interface Fault {
  readonly name: string;
  /** What goes wrong. */
  readonly what: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** The test files near the rule. */
  readonly tests: readonly string[];
}

const appMatrix = ['test/contract/app-matrix.test.ts'];
const matrix = ['test/contract/matrix.test.ts'];

const access: readonly Fault[] = [
  {
    name: 'members-open',
    what: 'Every member can list the members of the team.',
    file: 'src/modules/members/app.ts',
    find: '  list: adminProcedure',
    put: '  list: memberProcedure',
    tests: appMatrix,
  },
  {
    name: 'waiting-invitation-open',
    what: 'Every member can cancel a waiting invitation.',
    file: 'src/modules/members/app.ts',
    find: 'cancelWaiting: adminProcedure',
    put: 'cancelWaiting: memberProcedure',
    tests: appMatrix,
  },
  {
    name: 'keys-without-the-right',
    what: 'An admin without the right of the owner makes keys.',
    file: 'src/modules/sign-ins/visitor.ts',
    find: '(isAdmin(person) && person.rights.includes(keyRight))',
    put: 'isAdmin(person)',
    tests: appMatrix,
  },
  {
    name: 'member-may-read-others',
    what: 'Members have the scope that shows trainings of others.',
    file: 'src/modules/sign-ins/visitor.ts',
    find: "new Set<Scope>(['catalog:read', 'analytics:read'])",
    put: "new Set<Scope>(['catalog:read', 'analytics:read', 'trainings:read'])",
    tests: appMatrix,
  },
  {
    name: 'proof-not-asked',
    what: 'What needs a fresh proof runs without one.',
    file: 'src/platform/trpc/procedures.ts',
    find: '  if (about.freshProof) requireFreshProof(ctx.hasFreshProof);\n',
    put: '',
    tests: appMatrix,
  },
  {
    name: 'proof-by-company-account',
    what: 'A sign-in at a company’s provider counts as a fresh proof.',
    file: 'src/modules/sign-ins/visitor.ts',
    find: 'lastProof: provedAt ?? new Date(0)',
    put: 'lastProof: provedAt ?? createdAt',
    tests: ['test/contract/entrance-matrix.test.ts'],
  },
  {
    name: 'scope-of-a-value',
    what: 'The scope that the value of a parameter needs is not checked.',
    file: 'src/platform/trpc/procedures.ts',
    find: '[scope ?? [], further?.scope ?? []].flat()',
    put: '[scope ?? []].flat()',
    tests: matrix,
  },
  {
    name: 'hidden-shown',
    what: 'Routes about individual people answer while the team hides them.',
    file: 'src/platform/trpc/procedures.ts',
    find: "  if (privacy && !team.privacy.memberDetail) fail('privacy_restricted');\n",
    put: '',
    tests: matrix,
  },
  {
    name: 'count-of-hidden',
    what: 'The app counts the trainings of one person while the team hides them.',
    file: 'src/modules/trainings/app.ts',
    find: "      if (!ctx.team.privacy.memberDetail) fail('privacy_restricted');\n",
    put: '',
    tests: appMatrix,
  },
  {
    name: 'filter-of-the-team',
    what: 'A look-up leaves out the team, and only row level security hides the rows of others.',
    file: 'src/modules/cases/store.ts',
    find: 'prisma.case.findFirst({ where: { ...key, ...owner }, omit })',
    put: 'prisma.case.findFirst({ where: { id: key.id, ...owner }, omit })',
    tests: ['test/cases/team-cases.test.ts'],
  },
  {
    name: 'filter-of-the-team-in-lists',
    what: 'All lists leave out the team, and only row level security hides the rows of others.',
    file: 'src/platform/keyset-list.ts',
    find: "[`${storedIn('tenant_id')} = :tenantId`,",
    put: '[`:tenantId::uuid is not null`,',
    tests: ['test/cases/team-cases.test.ts'],
  },
];

const lists: readonly Fault[] = [
  {
    name: 'changed-cases-by-time-alone',
    what: 'GET /cases?updated_since continues after a time: rows of that moment are skipped.',
    file: 'src/modules/cases/store.ts',
    find: "order: ['updated_at', 'id']",
    put: "order: ['updated_at']",
    tests: ['test/changes/updated-since.test.ts'],
  },
  {
    name: 'changed-assignments-by-time-alone',
    what: 'The same in GET /assignments.',
    file: 'src/modules/assignments/store.ts',
    find: "order: ['updated_at', 'id']",
    put: "order: ['updated_at']",
    tests: ['test/changes/updated-since.test.ts'],
  },
  {
    name: 'changed-members-by-time-alone',
    what: 'The same in GET /users.',
    file: 'src/modules/members/list-store.ts',
    find: "order: ['updated_at', 'id']",
    put: "order: ['updated_at']",
    tests: ['test/changes/updated-since.test.ts'],
  },
  {
    name: 'trainings-by-time-alone',
    what: 'The same in all lists of trainings.',
    file: 'src/modules/trainings/read-store.ts',
    find: "order: [by, 'id'] } as const",
    put: 'order: [by] } as const',
    tests: ['test/changes/updated-since.test.ts'],
  },
  {
    name: 'deletions-by-time-alone',
    what: 'GET /deletions continues after a time: deletions of that moment are skipped.',
    file: 'src/modules/deletions/store.ts',
    find: "order: ['deleted_at', 'id']",
    put: "order: ['deleted_at']",
    tests: ['test/changes/deletions.test.ts'],
  },
  {
    name: 'private-cases-shown',
    what: 'GET /cases?updated_since also has the private cases of members.',
    file: 'src/modules/cases/store.ts',
    find: "  where: 'private = false',\n",
    put: '',
    tests: ['test/changes/updated-since.test.ts'],
  },
  {
    name: 'retention-off-by-a-day',
    what: 'History is deleted a day too early.',
    file: 'src/db/retention.ts',
    find: '-daysToMs(days)',
    put: '-daysToMs(days - 1)',
    tests: ['test/operations/retention.test.ts'],
  },
];

const deliveries: readonly Fault[] = [
  {
    name: 'claimed-twice',
    what: 'The second of two claims at the same moment does not look again whether the delivery is still due.',
    file: 'src/deliveries/claim.ts',
    find: 'array(select delivery_id from due)) and w.due_at <= :now',
    put: 'array(select delivery_id from due))',
    tests: ['test/worker/claims.test.ts'],
  },
  {
    name: 'lease-too-short',
    what: 'A lease ends before the attempt that it protects may have ended.',
    file: 'src/deliveries/claim.ts',
    find: 'leaseMs = 30_000',
    put: 'leaseMs = 15_000',
    tests: ['test/worker/claims.test.ts'],
  },
  {
    name: 'slots-beyond-the-limit',
    what: 'Running claims do not take slots of their endpoint.',
    file: 'src/deliveries/claim.ts',
    find: 'and w.claim_id is not null and w.due_at > :now)) as free',
    put: 'and w.claim_id is not null and w.due_at < :now)) as free',
    tests: ['test/worker/claims.test.ts'],
  },
  {
    name: 'claims-of-disabled-endpoint',
    what: 'Deliveries of a disabled endpoint are sent.',
    file: 'src/deliveries/claim.ts',
    find: '        and (w.by_hand or (select active from endpoint))\n',
    put: '',
    tests: ['test/worker/claims.test.ts'],
  },
  {
    name: 'hidden-in-events',
    what: 'An event shows the person although the team hides them when it is sent.',
    file: 'src/deliveries/deliver.ts',
    find: 'claimed.memberDetail || !isRecord(stored) ? stored : withoutPerson(stored)',
    put: 'stored',
    tests: ['test/webhooks/member-detail-off.test.ts'],
  },
];

const people: readonly Fault[] = [
  {
    name: 'seat-too-many',
    what: 'One person more than the team has seats can be invited.',
    file: 'src/modules/members/invitations.ts',
    find: ">= team.row.seats) fail('seat_limit_reached')",
    put: "> team.row.seats) fail('seat_limit_reached')",
    tests: ['test/members/members.test.ts'],
  },
  {
    name: 'last-admin',
    what: 'The last active admin can be removed.',
    file: 'src/modules/members/roles.ts',
    find: "=== 0) fail('last_admin')",
    put: "< 0) fail('last_admin')",
    tests: ['test/members/members.test.ts'],
  },
  {
    name: 'admin-by-anybody',
    what: 'A key that no admin vouches for grants the role of an admin by an invitation.',
    file: 'src/modules/members/invitations.ts',
    find: "    if (wanted.role === 'admin') await requireRightToGrantAdmin(tx, team);\n",
    put: '',
    tests: ['test/members/members.test.ts'],
  },
  {
    name: 'policy-stays',
    what: 'The policy of a removed member stays.',
    file: 'src/modules/members/service.ts',
    find: '    await deleteMemberPolicy(tx, team, id);\n',
    put: '',
    tests: ['test/members/members.test.ts', 'test/catalog/policies.test.ts'],
  },
  {
    name: 'assignments-stay',
    what: 'The assignments of a removed member are not revoked.',
    file: 'src/modules/members/service.ts',
    find: 'await revokeAssignmentsOf(tx, team, id)',
    put: '0',
    tests: ['test/members/members.test.ts'],
  },
  {
    name: 'removed-without-event',
    what: 'No event says that a member was removed.',
    file: 'src/modules/members/service.ts',
    find: '    raise(tx, team, memberRemoved, eventOf(member));\n',
    put: '',
    tests: ['test/members/members.test.ts'],
  },
  {
    name: 'joined-without-event',
    what: 'No event says that somebody came by the company account.',
    file: 'src/modules/members/invitations.ts',
    find: '  raise(tx, team, memberJoined, eventOf(member));',
    put: '  if (companySubject === undefined) raise(tx, team, memberJoined, eventOf(member));',
    tests: ['test/sign-ins/company-account.test.ts'],
  },
  {
    name: 'disabled-provider',
    what: 'A provider that is switched off still signs people in.',
    file: 'src/modules/company-sign-in/service.ts',
    find: '  if (!row?.enabled) return undefined;',
    put: '  if (!row) return undefined;',
    tests: ['test/sign-ins/company-account.test.ts', 'test/sign-ins/company-answers.test.ts'],
  },
  {
    name: 'disabled-provider-offered',
    what: 'A sign-in can begin at a provider that is switched off.',
    file: 'src/modules/company-sign-in/store.ts',
    find: 'companySignIn: { enabled: true }',
    put: 'companySignIn: { isNot: null }',
    tests: ['test/sign-ins/company-account.test.ts'],
  },
  {
    name: 'nonce-not-checked',
    what: 'The ID token of another sign-in is accepted.',
    file: 'src/modules/company-sign-in/provider.ts',
    find: '    expectedNonce: expected.nonce,\n',
    put: '',
    tests: ['test/sign-ins/company-answers.test.ts'],
  },
  {
    name: 'nonce-not-sent',
    what: 'The provider is not told the nonce.',
    file: 'src/modules/company-sign-in/provider.ts',
    find: '    nonce: expected.nonce,\n',
    put: '',
    tests: ['test/sign-ins/company-account.test.ts'],
  },
  {
    name: 'company-session-too-long',
    what: 'A session of a company account does not end after a day.',
    file: 'src/modules/sign-ins/visitor.ts',
    find: ' || later(createdAt, hoursToMs(companyLimits.sessionHours)) < new Date()',
    put: '',
    tests: ['test/sign-ins/company-account.test.ts'],
  },
  {
    name: 'access-token-too-long',
    what: 'An access token of an assistant is valid until its connection ends.',
    file: 'src/modules/assistants/tokens.ts',
    find: '(connection.accessExpiresAt ?? now) <= now',
    put: 'connection.expiresAt <= now',
    tests: ['test/mcp/oauth.test.ts'],
  },
  {
    name: 'refresh-token-twice',
    what: 'A stolen refresh token does not end the connection.',
    file: 'src/modules/assistants/tokens.ts',
    find: "    if (!isRetry) await endConnection(platform, connection, { reason: 'refresh_token_used_again' });\n",
    put: '',
    tests: ['test/mcp/oauth.test.ts'],
  },
  {
    name: 'ordinary-comparison',
    what: 'Secrets are compared in a time that depends on how much of them is right.',
    file: 'src/modules/assistants/tokens.ts',
    find: 'a.length === b.length && timingSafeEqual(a, b)',
    put: 'Buffer.compare(a, b) === 0',
    tests: ['test/core/constant-time.test.ts'],
  },
];

const others: readonly Fault[] = [
  {
    name: 'fingerprint-without-path',
    what: 'An idempotency key answers a POST to another route.',
    file: 'src/server/rest/rest-app.ts',
    find: 'POST ${namedPath(version, request.path)}\\n',
    put: 'POST\\n',
    tests: ['test/idempotency/replay.test.ts'],
  },
  {
    name: 'fingerprint-not-compared',
    what: 'An idempotency key answers another body.',
    file: 'src/modules/idempotency/service.ts',
    find: "        if (!fingerprint().equals(stored.fingerprint)) fail('idempotency_mismatch');\n",
    put: '',
    tests: ['test/idempotency/replay.test.ts'],
  },
  {
    name: 'sync-deletes-after-each-page',
    what: 'A full sync deletes what it has not seen after each page, so that a failed second page loses deals.',
    file: 'src/modules/crm/run.ts',
    find: 'if (!work.fetched || (await deleteUnseen(tx, claimed, work))) {',
    put: 'if ((await deleteUnseen(tx, claimed, work)) || !work.fetched) {',
    tests: ['test/crm/runs.test.ts'],
  },
  {
    name: 'sync-without-overlap',
    what: 'A sync begins exactly at the start of the last one, although clocks differ.',
    file: 'src/modules/crm/run.ts',
    find: 'later(lastSyncedAt, -secondsToMs(crmLimits.overlap))',
    put: 'lastSyncedAt',
    tests: ['test/crm/runs.test.ts', 'test/crm/feed-sync.test.ts'],
  },
  {
    name: 'compared-too-few',
    what: 'The members’ numbers are shown of four people.',
    file: 'src/modules/analytics/service.ts',
    find: 'members.length < limits.comparedMembers',
    put: 'members.length < limits.comparedMembers - 1',
    tests: ['test/analytics/leaderboard.test.ts', 'test/analytics/analytics.test.ts'],
  },
  {
    name: 'one-try-more',
    what: 'Every limit of tries admits one more.',
    file: 'src/modules/sign-ins/tries.ts',
    find: 'if (used <= max) return;',
    put: 'if (used <= max + 1) return;',
    tests: ['test/sign-ins/sign-in.test.ts', 'test/sign-ins/entrance-limits.test.ts'],
  },
];

export const faults: readonly Fault[] = [...access, ...lists, ...deliveries, ...people, ...others];
