// Trainings are shown while their user is an active member. The column `listed` says so, except for users with a
// `pending_listing`: a job is still rewriting the column of their trainings. That table is nearly always empty, and looked at
// once for a statement.

/** SQL: whether the training `t` is shown. For few rows: an index that begins with `listed` is of no use to it. */
export const isListed = `coalesce(
  (select not p.hidden from pending_listing p where p.tenant_id = t.tenant_id and p.user_id = t.user_id), t.listed)`;

/**
 * SQL, beside `t.listed` in a list: true where the training `t` must not be shown although it is listed, since its user is no
 * active member any more; null for all others. The list drops these rows after it read them: a condition would make PostgreSQL
 * walk past all of them.
 */
export const isHidden = `nullif(
  t.user_id = any (array(select p.user_id from pending_listing p where p.tenant_id = :tenantId and p.hidden)), false)`;

/** SQL: whether the trainings of the user `:user_id` are all hidden. The statement then reads none of them. */
export const isHiddenUser = `exists (select from pending_listing p where p.tenant_id = :tenantId and p.user_id = :user_id and p.hidden)`;
