// The rule of privacy. While a team hides individual data (`member_detail_enabled` is off), nobody sees what another
// person practises, scores, is assigned or writes into a case, nor whose deal it is: not in the app, the API or an
// event.
//
// Two things are never hidden from the owner and the admins in the app, because they administer the team: who is a
// member, with which role and rights; and who changed keys, webhooks, members and settings. The API leaves out the
// email addresses of members meanwhile.

/** Objects of one person. While individual data is hidden, the audit log does not name the person of such an object. */
export const individualTargets = ['training', 'assignment', 'case'] as const;
export type IndividualTarget = (typeof individualTargets)[number];

interface Reader {
  role: 'owner' | 'admin' | 'member';
}

/** Whether a person of the team sees the individual data of others. Everybody sees their own. */
export const seesOthers = ({ role }: Reader, privacy: { memberDetail: boolean }): boolean =>
  role !== 'member' && privacy.memberDetail;
