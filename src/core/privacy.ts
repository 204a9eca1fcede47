// The rule of privacy. While a team hides individual data (`member_detail_enabled` is off), nobody sees what another person practises, scores,
// is assigned or writes into a case, nor whose deal it is: not in the app, the API or an event.
//
// Who is in the team, with which role and rights, and who changed its keys, webhooks, members and settings is no individual data. The owner
// and the admins see it in the app, because they administer the team. The API has no address of a member then, as its contract says.

/** What belongs to one person. The audit log does not say then whose it is. */
export const individualTargets = ['training', 'assignment', 'case'] as const;
export type IndividualTarget = (typeof individualTargets)[number];

interface Reader {
  role: 'owner' | 'admin' | 'member';
}

/** Whether a person of the team sees the individual data of others. Everybody sees their own. */
export const seesOthers = ({ role }: Reader, privacy: { memberDetail: boolean }): boolean =>
  role !== 'member' && privacy.memberDetail;
