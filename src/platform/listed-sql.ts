// Trainings are shown while their user is an active member. The column `listed` says so, except for users with a
// `pending_listing`: a job is still rewriting the column of their trainings. That table is nearly always empty, and
// looked at once for a statement.

const pendingUsers = (tenantId: string): string =>
  `array(select p.user_id from pending_listing p where p.tenant_id = ${tenantId})`;

/** SQL: whether the training `t` is shown. For few rows: an index that begins with `listed` is of no use to it. */
export const isListedIn = (tenantId: string): string =>
  `case when t.user_id = any (${pendingUsers(tenantId)}) then is_active_member(t.tenant_id, t.user_id) else t.listed end`;

/** The same in a statement whose `$1` is the tenant. */
export const isListed = isListedIn('$1');

/**
 * SQL, beside `t.listed` in a list: whether the training `t` is not to be shown all the same, since its user is no active
 * member any more. The list leaves these rows out after it read them: a condition would make it walk past all of them.
 */
export const isHidden = `t.user_id = any (
  array(select p.user_id from pending_listing p where p.tenant_id = $1 and not is_active_member(p.tenant_id, p.user_id)))`;

/** SQL: whether the trainings of the user `?` are all hidden. The statement then reads none of them. */
export const isHiddenUser = `exists (
  select from pending_listing p where p.tenant_id = $1 and p.user_id = ? and not is_active_member(p.tenant_id, p.user_id))`;
