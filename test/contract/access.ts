import type { Scope } from '../../src/core/scopes.ts';

// Who may call what, written down by hand and apart from the code. access.test.ts compares it with the metadata of the
// procedures, the matrices with what the service does: a row that differs is a fault, of the code or of this table. A
// new procedure, route or tool needs a row.

/**
 * The people of a team. `member`: everybody in it. `admin`: the admins and the owner. `keys`: the owner, and admins to
 * whom the owner gave the right to make keys (`schnittstellen`). `owner`: the owner alone. Nobody of another team, and
 * nobody who is not signed in.
 */
export type Audience = 'member' | 'admin' | 'keys' | 'owner';

export interface AppRow {
  who: Audience;
  /** Only within minutes after the person has shown their password or a passkey. `some`: only for some inputs. */
  freshProof?: 'always' | 'some';
  /** Also while the team is suspended or has ended. */
  whileInactive?: true;
  /** Refused to everybody while the team hides member-level data, because the answer has nothing else. */
  refusedWhileHidden?: true;
}

/** The procedures that only the app has, for people of a team. */
export const appProcedures: Readonly<Record<string, AppRow>> = {
  // What somebody is given to practise: admins give it, each member sees and moves their own.
  'assigning.list': { who: 'admin', refusedWhileHidden: true },
  'assigning.count': { who: 'admin', refusedWhileHidden: true },
  'assigning.create': { who: 'admin' },
  'assigning.createMany': { who: 'admin' },
  'assigning.change': { who: 'admin' },
  'assigning.remove': { who: 'admin' },
  'assigning.revokeMany': { who: 'admin' },
  'assigning.remindMany': { who: 'admin' },
  'assigning.setDueDates': { who: 'admin' },
  'assigning.removeMany': { who: 'admin' },
  'assigning.reopenMany': { who: 'admin' },
  'assigning.mine': { who: 'member' },
  'assigning.own': { who: 'member' },
  'assigning.begin': { who: 'member' },
  'assigning.finish': { who: 'member' },

  // Who changed what is a matter of administration.
  'audit.list': { who: 'admin' },
  'audit.count': { who: 'admin' },
  'audit.actions': { who: 'admin' },

  // The provider can sign in as any admin, so setting it up needs the right that only the owner gives.
  'companySignIn.state': { who: 'keys' },
  'companySignIn.save': { who: 'keys', freshProof: 'always' },
  'companySignIn.switch': { who: 'keys', freshProof: 'always' },
  'companySignIn.remove': { who: 'keys', freshProof: 'always' },
  'companySignIn.addDomain': { who: 'keys', freshProof: 'always' },
  'companySignIn.proveDomain': { who: 'keys', freshProof: 'always' },
  'companySignIn.removeDomain': { who: 'keys', freshProof: 'always' },
  'companySignIn.demand': { who: 'keys', freshProof: 'always' },

  'crm.connections': { who: 'admin' },
  'crm.connection': { who: 'admin' },
  'crm.tryConnection': { who: 'admin' },
  'crm.connect': { who: 'admin' },
  'crm.change': { who: 'admin' },
  'crm.renewToken': { who: 'admin' },
  'crm.syncNow': { who: 'admin' },
  'crm.pause': { who: 'admin' },
  'crm.resume': { who: 'admin' },
  'crm.disconnect': { who: 'admin' },
  'crm.runs': { who: 'admin' },
  'crm.deals': { who: 'admin' },
  'crm.countDeals': { who: 'admin' },
  'crm.objections': { who: 'admin' },
  'crm.countObjections': { who: 'admin' },

  // An erasure can't be undone.
  'formerMembers.list': { who: 'admin' },
  'formerMembers.running': { who: 'owner' },
  'formerMembers.erase': { who: 'owner', freshProof: 'always' },

  // Every admin sees which keys exist. A key may do more than an admin sees, and outlives them.
  'keys.list': { who: 'admin' },
  'keys.get': { who: 'admin' },
  'keys.ofMember': { who: 'admin' },
  'keys.usage': { who: 'admin' },
  'keys.create': { who: 'keys', freshProof: 'some' },
  'keys.rotate': { who: 'keys', freshProof: 'some' },
  'keys.revoke': { who: 'keys' },

  // Rights and the team itself are the owner's to give.
  'members.list': { who: 'admin' },
  'members.count': { who: 'admin' },
  'members.show': { who: 'admin' },
  'members.names': { who: 'member' },
  'members.invite': { who: 'admin' },
  'members.known': { who: 'admin' },
  'members.waiting': { who: 'admin' },
  'members.cancelWaiting': { who: 'admin' },
  'members.resend': { who: 'admin' },
  'members.resendMany': { who: 'admin' },
  'members.withdraw': { who: 'admin' },
  'members.withdrawMany': { who: 'admin' },
  'members.changeRoleMany': { who: 'admin' },
  'members.removeMany': { who: 'admin' },
  'members.holdings': { who: 'admin' },
  'members.setRights': { who: 'owner' },
  'members.handOver': { who: 'owner', freshProof: 'always' },

  // Everybody sees their own, also while the team hides member-level data.
  'myTrainings.count': { who: 'member' },
  'myTrainings.list': { who: 'member' },
  'myTrainings.get': { who: 'member' },
  'myTrainings.evaluation': { who: 'member' },
  'progress.mine': { who: 'member' },
  'progress.trend': { who: 'member' },
  'progress.trendOf': { who: 'admin', refusedWhileHidden: true },
  'progress.of': { who: 'admin', refusedWhileHidden: true },
  'ownCases.list': { who: 'member' },
  'ownCases.get': { who: 'member' },
  'ownCases.create': { who: 'member' },
  'ownCases.change': { who: 'member' },
  'ownCases.remove': { who: 'member' },
  'ownCases.share': { who: 'member' },

  'overview.show': { who: 'admin' },

  // Members choose from the catalog; admins decide what is in it.
  'catalog.choices': { who: 'member' },
  'catalog.names': { who: 'member' },
  'catalog.items': { who: 'admin' },
  'catalog.createItem': { who: 'admin' },
  'catalog.changeItem': { who: 'admin' },
  'catalog.rules': { who: 'admin' },
  'catalog.setRules': { who: 'admin' },
  'policy.team': { who: 'admin' },
  'policy.setTeam': { who: 'admin' },
  'policy.member': { who: 'admin' },
  'policy.setMember': { who: 'admin' },

  // The same as in the public documentation.
  'reference.scopes': { who: 'member' },
  'reference.events': { who: 'member' },
  'reference.limits': { who: 'member' },

  'requests.list': { who: 'admin' },
  'requests.get': { who: 'admin' },
  'requests.ofKey': { who: 'admin' },
  'requests.volume': { who: 'admin' },

  // Finds for each person only what they may open.
  'search.find': { who: 'member' },

  'sessions.list': { who: 'admin', refusedWhileHidden: true },
  'sessions.count': { who: 'admin', refusedWhileHidden: true },
  'sessions.start': { who: 'member' },
  'sessions.end': { who: 'member' },
  'sessions.abort': { who: 'member' },
  'sessions.evaluate': { who: 'admin' },

  'team.settings': { who: 'admin' },
  'team.change': { who: 'admin' },
  'team.setPrivacy': { who: 'admin' },

  'teamAnalytics.scores': { who: 'member' },
  'teamAnalytics.show': { who: 'member' },
  'teamTrends.compare': { who: 'admin', refusedWhileHidden: true },
  'teamTrends.show': { who: 'member' },
  'teamCases.count': { who: 'admin', refusedWhileHidden: true },

  // The export has everything of everybody. A team that has ended can still take its data along.
  'teamExport.allow': { who: 'owner', whileInactive: true, refusedWhileHidden: true },

  'webhookHistory.failing': { who: 'admin' },
  'webhookHistory.delivery': { who: 'admin' },
  'webhookHistory.deliveries': { who: 'admin' },
  'webhookHistory.countDeliveries': { who: 'admin' },
  'webhookHistory.attempts': { who: 'admin' },
  'webhookHistory.retryMany': { who: 'admin' },
  'webhookHistory.event': { who: 'admin' },
  'webhookHistory.newest': { who: 'admin' },
  'webhookHistory.replay': { who: 'admin' },
  'webhookHistory.days': { who: 'admin' },
  'webhookHistory.health': { who: 'admin' },
};

export interface EntranceRow {
  /** `anybody` need not be signed in. */
  who: 'anybody' | 'signed in';
  /** A session that began with a team's company account must not reach the person's account beyond that team. */
  companyAccount?: 'admitted' | 'refused';
  /** `fresh`: as above. `password`: the call itself has the password, because it changes how the person signs in. */
  proof?: 'fresh' | 'password';
}

/** The procedures that need no team. */
export const entranceProcedures: Readonly<Record<string, EntranceRow>> = {
  'entrance.who': { who: 'anybody' },
  'entrance.rules': { who: 'anybody' },
  'entrance.signIn': { who: 'anybody' },
  'entrance.proveSecondFactor': { who: 'anybody' },
  'entrance.passkeyQuestion': { who: 'anybody' },
  'entrance.signInWithPasskey': { who: 'anybody' },
  'entrance.startCompanySignIn': { who: 'anybody' },
  'entrance.finishCompanySignIn': { who: 'anybody' },
  'entrance.signOut': { who: 'anybody' },
  'entrance.requestReset': { who: 'anybody' },
  'entrance.resetState': { who: 'anybody' },
  'entrance.resetPassword': { who: 'anybody' },
  'entrance.invitation': { who: 'anybody' },
  'entrance.acceptInvitation': { who: 'anybody' },

  'account.changeMe': { who: 'signed in', companyAccount: 'admitted' },
  'account.sessions': { who: 'signed in', companyAccount: 'admitted' },
  'account.endSession': { who: 'signed in', companyAccount: 'admitted' },
  'account.signOutEverywhere': { who: 'signed in', companyAccount: 'refused' },
  'account.proofQuestion': { who: 'signed in', companyAccount: 'refused' },
  'account.prove': { who: 'signed in', companyAccount: 'refused' },
  'account.startCompanyProof': { who: 'signed in', companyAccount: 'admitted' },
  // Only for those who may set the provider up.
  'account.startCompanyTest': { who: 'signed in', companyAccount: 'admitted' },
  'account.changePassword': { who: 'signed in', companyAccount: 'refused', proof: 'password' },
  'account.passkeys': { who: 'signed in', companyAccount: 'refused' },
  'account.newPasskeyQuestion': { who: 'signed in', companyAccount: 'refused', proof: 'fresh' },
  'account.addPasskey': { who: 'signed in', companyAccount: 'refused', proof: 'fresh' },
  'account.renamePasskey': { who: 'signed in', companyAccount: 'refused' },
  'account.removePasskey': { who: 'signed in', companyAccount: 'refused', proof: 'fresh' },
  'account.secondFactor': { who: 'signed in', companyAccount: 'refused' },
  'account.startTwoFactor': { who: 'signed in', companyAccount: 'refused', proof: 'password' },
  // Follows the start, which has the password, and needs a code of the new device.
  'account.confirmTwoFactor': { who: 'signed in', companyAccount: 'refused' },
  'account.stopTwoFactor': { who: 'signed in', companyAccount: 'refused', proof: 'password' },
  'account.newBackupCodes': { who: 'signed in', companyAccount: 'refused', proof: 'password' },

  // An assistant acts in one team; one that was connected with a company account, in that team.
  'assistants.question': { who: 'signed in', companyAccount: 'admitted' },
  'assistants.connect': { who: 'signed in', companyAccount: 'admitted', proof: 'fresh' },
  'assistants.list': { who: 'signed in', companyAccount: 'admitted' },
  'assistants.disconnect': { who: 'signed in', companyAccount: 'admitted' },
};

export interface OperationRow {
  /** All scopes that a key needs. */
  scopes: readonly Scope[];
  /**
   * Refused with `privacy_restricted` while the team hides member-level data. Every other answer then leaves out what
   * names a person.
   */
  refusedWhileHidden?: true;
  /**
   * Who may call it in the app, and through an assistant: admins, or all members. Members see nothing about other
   * people.
   */
  people: 'admin' | 'member';
}

/** The routes of the public API, and again for each value of a parameter that decides what a caller needs. */
export const routes: Readonly<Record<string, OperationRow>> = {
  'GET /me': { scopes: [], people: 'member' },

  // Who is in the team is no member-level data: only the addresses are left out while it is hidden.
  'GET /users': { scopes: ['users:read'], people: 'admin' },
  'POST /users': { scopes: ['users:write'], people: 'admin' },
  'GET /users/{member_id}': { scopes: ['users:read'], people: 'admin' },
  'PATCH /users/{member_id}': { scopes: ['users:write'], people: 'admin' },
  'DELETE /users/{member_id}': { scopes: ['users:write'], people: 'admin' },

  'GET /trainings': { scopes: ['trainings:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /trainings?include=evaluation': {
    scopes: ['trainings:read', 'evaluations:read'],
    refusedWhileHidden: true,
    people: 'admin',
  },
  'GET /trainings/{training_id}': { scopes: ['trainings:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /evaluations': { scopes: ['evaluations:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /evaluations?include=evaluation': { scopes: ['evaluations:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /trainings/{training_id}/evaluation': {
    scopes: ['evaluations:read'],
    refusedWhileHidden: true,
    people: 'admin',
  },

  // A change answers without names while they are hidden; reading is refused.
  'GET /assignments': { scopes: ['assignments:read'], refusedWhileHidden: true, people: 'admin' },
  'POST /assignments': { scopes: ['assignments:write'], people: 'admin' },
  'GET /assignments/{assignment_id}': { scopes: ['assignments:read'], refusedWhileHidden: true, people: 'admin' },
  'PATCH /assignments/{assignment_id}': { scopes: ['assignments:write'], people: 'admin' },
  'DELETE /assignments/{assignment_id}': { scopes: ['assignments:write'], people: 'admin' },

  'GET /cases': { scopes: ['cases:read'], refusedWhileHidden: true, people: 'admin' },
  'POST /cases': { scopes: ['cases:write'], people: 'admin' },
  'GET /cases/{case_id}': { scopes: ['cases:read'], refusedWhileHidden: true, people: 'admin' },
  'PATCH /cases/{case_id}': { scopes: ['cases:write'], people: 'admin' },
  'DELETE /cases/{case_id}': { scopes: ['cases:write'], people: 'admin' },

  'GET /catalog': { scopes: ['catalog:read'], people: 'member' },
  'GET /analytics/team': { scopes: ['analytics:read'], people: 'member' },

  'GET /crm/deals': { scopes: ['cases:read'], people: 'admin' },
  'GET /crm/objections': { scopes: ['cases:read'], people: 'admin' },

  // As the list of the same resource.
  'GET /deletions?resource=users': { scopes: ['users:read'], people: 'admin' },
  'GET /deletions?resource=trainings': { scopes: ['trainings:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /deletions?resource=assignments': { scopes: ['assignments:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /deletions?resource=cases': { scopes: ['cases:read'], refusedWhileHidden: true, people: 'admin' },
  'GET /deletions?resource=deals': { scopes: ['cases:read'], people: 'admin' },
  'GET /deletions?resource=objections': { scopes: ['cases:read'], people: 'admin' },

  'GET /events': { scopes: ['webhooks:manage'], people: 'admin' },
  'GET /webhook-endpoints': { scopes: ['webhooks:manage'], people: 'admin' },
  'POST /webhook-endpoints': { scopes: ['webhooks:manage'], people: 'admin' },
  'GET /webhook-endpoints/{endpoint_id}': { scopes: ['webhooks:manage'], people: 'admin' },
  'PATCH /webhook-endpoints/{endpoint_id}': { scopes: ['webhooks:manage'], people: 'admin' },
  'DELETE /webhook-endpoints/{endpoint_id}': { scopes: ['webhooks:manage'], people: 'admin' },
  'POST /webhook-endpoints/{endpoint_id}/test': { scopes: ['webhooks:manage'], people: 'admin' },
  'POST /webhook-endpoints/{endpoint_id}/check': { scopes: ['webhooks:manage'], people: 'admin' },
  'POST /webhook-endpoints/{endpoint_id}/recover': { scopes: ['webhooks:manage'], people: 'admin' },
  'GET /webhook-endpoints/{endpoint_id}/checks': { scopes: ['webhooks:manage'], people: 'admin' },
  'GET /webhook-endpoints/{endpoint_id}/deliveries': { scopes: ['webhooks:manage'], people: 'admin' },
  'GET /webhook-deliveries': { scopes: ['webhooks:manage'], people: 'admin' },
  'GET /webhook-deliveries/{delivery_id}': { scopes: ['webhooks:manage'], people: 'admin' },
  'POST /webhook-deliveries/{delivery_id}/retry': { scopes: ['webhooks:manage'], people: 'admin' },
};

/** The tools of assistants. */
export const tools: Readonly<Record<string, OperationRow>> = {
  team_progress: { scopes: ['analytics:read'], people: 'member' },
  // Without names for members, and while they are hidden.
  who_needs_help: { scopes: ['analytics:read'], people: 'member' },
  practice_catalog: { scopes: ['catalog:read'], people: 'member' },
  // Refused while hidden only if it searches, because addresses are hidden.
  find_member: { scopes: ['users:read'], people: 'admin' },
  member_evaluations: {
    scopes: ['users:read', 'trainings:read', 'evaluations:read'],
    refusedWhileHidden: true,
    people: 'admin',
  },
  recent_trainings: { scopes: ['trainings:read'], refusedWhileHidden: true, people: 'admin' },
  list_assignments: { scopes: ['assignments:read'], refusedWhileHidden: true, people: 'admin' },
  assign_practice: { scopes: ['assignments:write'], people: 'admin' },
  list_cases: { scopes: ['cases:read'], refusedWhileHidden: true, people: 'admin' },
  create_case: { scopes: ['users:read', 'cases:write'], people: 'admin' },
};
