// The rule of privacy. While a team hides individual data (`member_detail_enabled` is off), nobody sees the trainings,
// scores, assignments and cases of another person, nor whose deal it is: not in the app, the API or an event.
//
// Two things are never hidden from the owner and the admins in the app, because they administer the team: who is a
// member, with which role and rights; and who changed keys, webhooks, members and settings. The API leaves out the
// email addresses of members meanwhile.

/** Objects of one person. While individual data is hidden, the audit log does not name the person of such an object. */
export const individualTargets = ['training', 'assignment', 'case'] as const;
export type IndividualTarget = (typeof individualTargets)[number];

type AuditData = Readonly<Record<string, unknown>>;

/** The target of an entry of the audit log, and its data with names in snake_case. */
interface AuditedAction {
  readonly action: string;
  readonly targetType: string;
  readonly data: AuditData;
}

/**
 * How much of an audit entry is shown while individual data is hidden. `impersonal`: the entry without the person who
 * acted, the request and the address, because these would name a person. `hidden`: nothing.
 */
export const shownWhileHidden = ({
  targetType,
  data,
}: Omit<AuditedAction, 'action'>): 'whole' | 'impersonal' | 'hidden' => {
  if (targetType === 'training' || data['member_removed'] === true) return 'hidden';
  return individualTargets.some((individual) => individual === targetType) ? 'impersonal' : 'whole';
};

/** The data of an audit entry as it is shown while individual data is hidden: without the fields about individuals. */
export const impersonalData = ({ action, targetType, data }: AuditedAction): AuditData => {
  if (action === 'member.removed') {
    const { assignments_revoked: _revoked, ...rest } = data;
    return rest;
  }
  if (shownWhileHidden({ targetType, data }) === 'whole') return data;
  const { user_id: _user, member_id: _member, ...rest } = data;
  if (targetType !== 'case') return rest;
  const { before: _before, after: _after, ...withoutTexts } = rest;
  return withoutTexts;
};

interface Reader {
  role: 'owner' | 'admin' | 'member';
}

/** Whether a person of the team sees the individual data of others. Everybody sees their own. */
export const seesOthers = ({ role }: Reader, privacy: { memberDetail: boolean }): boolean =>
  role !== 'member' && privacy.memberDetail;
