// Made from docs/openapi.v1.json by `npm run openapi`.

import { id, type CallOptions, type PostOptions, type Sender } from '../send.ts';
import type { Call } from '../call.ts';
import type { EventStream, FeedPage, StreamOptions } from '../event-stream.ts';
import type { Export, ExportOptions } from '../export.ts';
import type { List } from '../list.ts';
import type { WebhookEvent } from '../webhooks.ts';
import type {
  Assignment,
  AssignmentChanges,
  AssignmentResult,
  AuditAction,
  AuditEntry,
  Case,
  CaseChanges,
  Catalog,
  CreatedWebhookEndpoint,
  CrmDeal,
  CrmObjection,
  Deletion,
  DeletionResource,
  Done,
  Evaluation,
  KnownAssignmentStatus,
  KnownMemberRole,
  KnownMemberStatus,
  KnownTrainingStatus,
  KnownWebhookDeliveryStatus,
  ListedTraining,
  Me,
  Member,
  MemberChanges,
  NewAssignment,
  NewCase,
  NewMember,
  NewWebhookEndpoint,
  NewWebhookRecovery,
  SentEventType,
  StartedWebhookDelivery,
  TeamAnalytics,
  TeamWebhookDelivery,
  Training,
  WebhookCheck,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookEndpoint,
  WebhookEndpointChanges,
  WebhookRecovery,
} from './types.ts';

/** The query parameters of `api.users.list`. */
export interface UsersListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** Only the member with this address, compared without case. Refused while `member_detail_enabled` is off. */
  email?: string | undefined;
  /** Only the member with exactly this id of your own system. Refused while `member_detail_enabled` is off. */
  external_id?: string | undefined;
  /** Only members with this role. */
  role?: KnownMemberRole | undefined;
  /** Only members with this status. */
  status?: KnownMemberStatus | undefined;
  /** Only members whose `updated_at` is this time or later, in the order of `updated_at`. To miss none, begin each read without a `cursor` five minutes before the start of your last one, and ignore duplicates. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.trainings.list`. */
export interface TrainingsListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** `evaluation`: each session also has its evaluation. This needs the scope `evaluations:read`. */
  include?: 'evaluation' | undefined;
  /** Only the sessions of this user. */
  user_id?: string | undefined;
  /** Only the sessions of this assignment. */
  assignment_id?: string | undefined;
  /** Only sessions with this status. */
  status?: KnownTrainingStatus | undefined;
  /** Only sessions that started at this time or later. */
  since?: string | Date | undefined;
  /** Only sessions that started before this time. */
  until?: string | Date | undefined;
  /** Only sessions whose `updated_at` is this time or later, in the order of `updated_at`. To miss none, begin each read without a `cursor` five minutes before the start of your last one, and ignore duplicates. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.evaluations.list`. */
export interface EvaluationsListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** `evaluation`: each session also has its evaluation. This needs the scope `evaluations:read`. */
  include?: 'evaluation' | undefined;
  /** Only the sessions of this user. */
  user_id?: string | undefined;
  /** Only the sessions of this assignment. */
  assignment_id?: string | undefined;
  /** Only sessions whose evaluation was last saved at this time or later. */
  since?: string | Date | undefined;
  /** Only sessions whose evaluation was last saved before this time. */
  until?: string | Date | undefined;
  /** The same as `since`. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.assignments.list`. */
export interface AssignmentsListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** Only the assignments of this member. */
  member_id?: string | undefined;
  /** Only assignments with this status. */
  status?: KnownAssignmentStatus | undefined;
  /** Only assignments that are due before this day. Those without a due date are left out. */
  due_before?: string | undefined;
  /** Only assignments whose `updated_at` is this time or later, in the order of `updated_at`. To miss none, begin each read without a `cursor` five minutes before the start of your last one, and ignore duplicates. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.cases.list`. */
export interface CasesListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** Only the cases of this user. */
  user_id?: string | undefined;
  /** Only cases whose `updated_at` is this time or later, in the order of `updated_at`. To miss none, begin each read without a `cursor` five minutes before the start of your last one, and ignore duplicates. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.analytics.team`. */
export interface AnalyticsTeamQuery {
  /** The first day (UTC) whose trainings count. Without it, all count up to `until`. */
  since?: string | undefined;
  /** The last day (UTC) whose trainings count, not before `since`. Without it, today. */
  until?: string | undefined;
}

/** The query parameters of `api.crm.deals.list`. */
export interface CrmDealsListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** Only deals whose `updated_at` is this time or later, in the order of `updated_at`. To miss none, begin each read without a `cursor` five minutes before the start of your last one, and ignore duplicates. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.crm.objections.list`. */
export interface CrmObjectionsListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** Only objections whose `updated_at` is this time or later, in the order of `updated_at`. To miss none, begin each read without a `cursor` five minutes before the start of your last one, and ignore duplicates. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.deletions.list`. */
export interface DeletionsListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** The list that had the rows. */
  resource: DeletionResource;
  /** Only rows that were deleted at this time or later. To miss none, begin each read without a `cursor` five minutes before the start of your last one. A time from which deletions are no longer kept is 422. */
  since?: string | Date | undefined;
}

/** The query parameters of `api.exports.members`. */
export interface ExportsMembersQuery {
  /** The `cursor` in the last line of an earlier export of this resource: only rows that changed since. */
  cursor?: string | undefined;
  /** Only rows whose `updated_at` is this time or later. To go on after an export that broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With `cursor` too, the later of the two times counts. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.exports.trainings`. */
export interface ExportsTrainingsQuery {
  /** The `cursor` in the last line of an earlier export of this resource: only rows that changed since. */
  cursor?: string | undefined;
  /** Only rows whose `updated_at` is this time or later. To go on after an export that broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With `cursor` too, the later of the two times counts. */
  updated_since?: string | Date | undefined;
  /** `evaluation`: each session also has its evaluation. This needs the scope `evaluations:read`. */
  include?: 'evaluation' | undefined;
}

/** The query parameters of `api.exports.assignments`. */
export interface ExportsAssignmentsQuery {
  /** The `cursor` in the last line of an earlier export of this resource: only rows that changed since. */
  cursor?: string | undefined;
  /** Only rows whose `updated_at` is this time or later. To go on after an export that broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With `cursor` too, the later of the two times counts. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.exports.cases`. */
export interface ExportsCasesQuery {
  /** The `cursor` in the last line of an earlier export of this resource: only rows that changed since. */
  cursor?: string | undefined;
  /** Only rows whose `updated_at` is this time or later. To go on after an export that broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With `cursor` too, the later of the two times counts. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.exports.deals`. */
export interface ExportsDealsQuery {
  /** The `cursor` in the last line of an earlier export of this resource: only rows that changed since. */
  cursor?: string | undefined;
  /** Only rows whose `updated_at` is this time or later. To go on after an export that broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With `cursor` too, the later of the two times counts. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.exports.objections`. */
export interface ExportsObjectionsQuery {
  /** The `cursor` in the last line of an earlier export of this resource: only rows that changed since. */
  cursor?: string | undefined;
  /** Only rows whose `updated_at` is this time or later. To go on after an export that broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With `cursor` too, the later of the two times counts. */
  updated_since?: string | Date | undefined;
}

/** The query parameters of `api.events.list`. */
export interface EventsListQuery {
  /** The `next_cursor` of the previous page, unchanged, with the same `type`. Without a cursor the feed is read from `start`. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** Where to start without a cursor. `oldest` (default): with the oldest event that is kept. `now`: after all present events. With a cursor it has no effect. */
  start?: 'oldest' | 'now' | undefined;
  /** Only events of this type. A page with few matches may be short or empty while `has_more` is true. A cursor is valid only with the same `type`. */
  type?:
    | 'training.completed'
    | 'evaluation.completed'
    | 'assignment.created'
    | 'assignment.completed'
    | 'member.joined'
    | 'member.removed'
    | 'crm.sync.failed'
    | 'endpoint.failing'
    | 'endpoint.paused'
    | 'endpoint.recovered'
    | 'ping'
    | undefined;
  /** If there is no further event, wait up to this many seconds for one. The request is answered as soon as there is an event, or with an empty page. The request counts once in the limits. */
  wait?: number | undefined;
}

/** The query parameters of `api.auditEntries.list`. */
export interface AuditEntriesListQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** Only entries of this time or later. To follow the log and miss nothing, read with `order=asc`, begin each read without a `cursor` five minutes before the start of your last one, and ignore duplicates. */
  since?: string | Date | undefined;
  /** Only entries before this time. */
  until?: string | Date | undefined;
  /** Only entries of this action. */
  action?: AuditAction | undefined;
  /** Only entries of this actor: a key’s id, or the user id of a person. While `member_detail_enabled` is off, entries about trainings, assignments and cases are left out. */
  actor_id?: string | undefined;
  /** `desc`: the newest entries first. `asc`: the oldest first, to follow the log. */
  order?: 'desc' | 'asc' | undefined;
}

/** The query parameters of `api.webhooks.endpoints.checks`. */
export interface WebhooksEndpointsChecksQuery {
  /** How many of the newest entries are listed, all on one page. */
  limit?: number | undefined;
}

/** The query parameters of `api.webhooks.deliveries.list`. */
export interface WebhooksDeliveriesListQuery {
  /** How many of the newest entries are listed, all on one page. */
  limit?: number | undefined;
}

/** The query parameters of `api.webhooks.deliveries.listAll`. */
export interface WebhooksDeliveriesListAllQuery {
  /** The `next_cursor` of the previous page, unchanged. It is valid only with the same filters. */
  cursor?: string | undefined;
  /** The maximum number of entries in a page. */
  limit?: number | undefined;
  /** Only deliveries to this endpoint. */
  endpoint_id?: string | undefined;
  /** Only deliveries with this status. */
  status?: KnownWebhookDeliveryStatus | undefined;
  /** Only deliveries of events of this type. */
  event_type?: SentEventType | undefined;
  /** Only deliveries that were created at this time or later. */
  since?: string | Date | undefined;
}

export interface UsersResource {
  /**
   * List members.
   *
   * All members and invitations: the owner first, then by joining or invitation date. With `updated_since`, only members that changed since, in the order of their changes.
   *
   * `GET /users`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  list(query?: UsersListQuery, options?: CallOptions): List<Member>;
  /**
   * Read a member.
   *
   * One member, invited or active. An ended membership is not found.
   *
   * `GET /users/{member_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  get(memberId: string, options?: CallOptions): Call<Member>;
  /**
   * Invite a member.
   *
   * Sends an invitation by mail. The membership exists at once, takes a seat and raises `member.joined`. There are limits (429) of invitations an hour, and of mails a day for each team and each address. [Inviting many people](/developers/limits#many-people) says how thousands get into a team. The role `admin` can be given only by a key that the owner or an active admin created.
   *
   * `POST /users`. Problems besides the common ones: `insufficient_scope`, `conflict`, `seat_limit_reached`, `idempotency_mismatch`.
   */
  invite(body: NewMember, options?: PostOptions): Call<Member>;
  /**
   * Change a member.
   *
   * Gives or takes away the role `admin`. This needs a key that the owner or an active admin created. The team keeps at least one active admin; the owner can’t be changed. `external_id` sets or removes the id of your own system: to change only this id, send the present `role`.
   *
   * `PATCH /users/{member_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`, `conflict`, `last_admin`, `owner`.
   */
  update(memberId: string, body: MemberChanges, options?: CallOptions): Call<Member>;
  /**
   * Remove a member.
   *
   * Ends the membership, revokes the member’s assignments and raises `member.removed`, all or nothing.
   *
   * `DELETE /users/{member_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`, `last_admin`, `owner`.
   */
  remove(memberId: string, options?: CallOptions): Call<Done>;
}

export interface TrainingsResource {
  /**
   * List trainings.
   *
   * Sessions of active members, the most recently started first. `since` and `until` compare the start; a running session changes later. A session may appear here some seconds after its start: to miss none, begin each read five minutes before the start of your last one, and ignore duplicates. With `updated_since`, only sessions that changed since, in the order of their changes. With `include=evaluation` each session has its evaluation.
   *
   * `GET /trainings`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  list(query?: TrainingsListQuery, options?: CallOptions): List<ListedTraining>;
  /**
   * Read a training.
   *
   * One session of an active member. A session of a former member is not found.
   *
   * `GET /trainings/{training_id}`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`, `not_found`.
   */
  get(trainingId: string, options?: CallOptions): Call<Training>;
}

export interface EvaluationsResource {
  /**
   * List scored trainings.
   *
   * Scored sessions of active members, the most recently evaluated first. When an evaluation is corrected, its session comes first again. `since` and `until` compare when the evaluation was last saved; to filter by the start of sessions, use `GET /trainings?status=scored`. To miss none, begin each read five minutes before the start of your last one. With `include=evaluation` each session has its evaluation.
   *
   * `GET /evaluations`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  list(query?: EvaluationsListQuery, options?: CallOptions): List<ListedTraining>;
  /**
   * Read a training’s evaluation.
   *
   * Score, dimensions and tips, as last saved. Not found until the session is scored.
   *
   * `GET /trainings/{training_id}/evaluation`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`, `not_found`.
   */
  get(trainingId: string, options?: CallOptions): Call<Evaluation>;
}

export interface AssignmentsResource {
  /**
   * List assignments.
   *
   * The team’s assignments, newest first. Assignments of former members are `revoked` and stay listed. With `updated_since`, only assignments that changed since, in the order of their changes.
   *
   * `GET /assignments`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  list(query?: AssignmentsListQuery, options?: CallOptions): List<Assignment>;
  /**
   * Read an assignment.
   *
   * One assignment, whatever its status.
   *
   * `GET /assignments/{assignment_id}`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`, `not_found`.
   */
  get(assignmentId: string, options?: CallOptions): Call<Assignment>;
  /**
   * Create an assignment.
   *
   * Gives a member, invited or active, something to practise and raises `assignment.created`. The combination is checked against the catalog and the policies of the team and of the member.
   *
   * `POST /assignments`. Problems besides the common ones: `insufficient_scope`, `vorgabe_gesperrt`, `not_found`, `conflict`, `idempotency_mismatch`, `kombination_ungueltig`.
   */
  create(body: NewAssignment, options?: PostOptions): Call<Assignment>;
  /**
   * Create several assignments.
   *
   * Creates up to 100 assignments, each as `POST /assignments` would: a refused item has the `problem` in its result and does not stop the others, so the answer is 200 even if none was created. The call counts as one request for each 10 items begun; if a budget has fewer requests left, nothing is created. An `Idempotency-Key` applies to all items together.
   *
   * `POST /assignments/bulk`. Problems besides the common ones: `insufficient_scope`, `conflict`, `idempotency_mismatch`.
   *
   * It takes any number of items, and sends at most 100 in a request. If a request fails, it throws. Call it again with the same items and an `idempotencyKey` of your own, and nothing is created twice.
   */
  createMany(items: readonly NewAssignment[], options?: PostOptions): Promise<AssignmentResult[]>;
  /**
   * Change an assignment.
   *
   * Changes status, note and due date; fields that are left out stay as they are. A change to `done` raises `assignment.completed`; a change from `done` to another status sets `completed_training_id` to null.
   *
   * `PATCH /assignments/{assignment_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  update(assignmentId: string, body: AssignmentChanges, options?: CallOptions): Call<Assignment>;
  /**
   * Delete an assignment.
   *
   * Its trainings stay; their `assignment_id` becomes null.
   *
   * `DELETE /assignments/{assignment_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  delete(assignmentId: string, options?: CallOptions): Call<Done>;
}

export interface CasesResource {
  /**
   * List cases.
   *
   * The team’s cases, newest first. Private cases of members are not listed. With `updated_since`, only cases that changed since, in the order of their changes.
   *
   * `GET /cases`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  list(query?: CasesListQuery, options?: CallOptions): List<Case>;
  /**
   * Read a case.
   *
   * One case of the team. A private case of a member is not found.
   *
   * `GET /cases/{case_id}`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`, `not_found`.
   */
  get(caseId: string, options?: CallOptions): Call<Case>;
  /**
   * Create a case.
   *
   * Creates a case for an active member. The whole team can practise with it.
   *
   * `POST /cases`. Problems besides the common ones: `insufficient_scope`, `not_found`, `conflict`, `idempotency_mismatch`.
   */
  create(body: NewCase, options?: PostOptions): Call<Case>;
  /**
   * Change a case.
   *
   * Fields that are left out stay as they are; null removes a value. `fields` and `external_ref` are replaced whole. The answer is the whole case. While `member_detail_enabled` is off, the answer has only the changed values, `id`, `user_id`, `created_at` and `updated_at`; all others are null. A request that changes nothing is then 403 `privacy_restricted`.
   *
   * `PATCH /cases/{case_id}`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`, `not_found`.
   */
  update(caseId: string, body: CaseChanges, options?: CallOptions): Call<Case>;
  /**
   * Delete a case.
   *
   * Deletes the case permanently.
   *
   * `DELETE /cases/{case_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  delete(caseId: string, options?: CallOptions): Call<Done>;
}

export interface CatalogResource {
  /**
   * Read the catalog.
   *
   * The items that the team can practise with: all published ones that its policy releases, those of the service and its own, in its order. Not all can be combined: see POST /assignments.
   *
   * `GET /catalog`. Problems besides the common ones: `insufficient_scope`.
   */
  get(options?: CallOptions): Call<Catalog>;
}

export interface AnalyticsResource {
  /**
   * Read the team’s analytics.
   *
   * The trainings of the team’s active members, added up: all, or those of the days from `since` to `until`. For instance, `since=2026-10-01&until=2026-10-31` is October. A score counts for the day on which its training started (`created_at`). `active_members` is always the present number. Means are exact and rounded half away from zero. While member details are off, means of chosen days with scores of fewer than five members are null.
   *
   * `GET /analytics/team`. Problems besides the common ones: `insufficient_scope`.
   */
  team(query?: AnalyticsTeamQuery, options?: CallOptions): Call<TeamAnalytics>;
}

export interface CrmDealsResource {
  /**
   * List CRM deals.
   *
   * The deals that the last syncs of the team’s CRM connections found. The deal that was first seen most recently comes first. Without a connection the list is empty. With `updated_since`, only deals that changed or that a sync found since, in the order of their changes.
   *
   * `GET /crm/deals`. Problems besides the common ones: `insufficient_scope`.
   */
  list(query?: CrmDealsListQuery, options?: CallOptions): List<CrmDeal>;
}

export interface CrmObjectionsResource {
  /**
   * List CRM objections.
   *
   * The objections that customers raised in the deals of the team’s CRM connections, newest first. With `updated_since`, only objections that changed since, in the order of their changes.
   *
   * `GET /crm/objections`. Problems besides the common ones: `insufficient_scope`.
   */
  list(query?: CrmObjectionsListQuery, options?: CallOptions): List<CrmObjection>;
}

export interface CrmResource {
  readonly deals: CrmDealsResource;
  readonly objections: CrmObjectionsResource;
}

export interface DeletionsResource {
  /**
   * List deletions.
   *
   * The ids of rows that are gone from `GET /users`, `/trainings`, `/assignments`, `/cases`, `/crm/deals` (`deals`) or `/crm/objections` (`objections`), the oldest deletion first. The call needs the scope of that list, and member details to be on if that list needs it. For `users`, the ids are those of memberships that ended. The sessions of somebody who left disappear from `GET /trainings` without an entry here. Deletions are kept for 30 days, unless the operator changes this. An earlier `since` is 422: copy the list anew.
   *
   * `GET /deletions`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  list(query: DeletionsListQuery, options?: CallOptions): List<Deletion>;
}

export interface ExportsResource {
  /**
   * Export members.
   *
   * All rows of `GET /users` in one response, for a copy: one line of JSON for each row, in the order of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again: replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as one request. A team can run one at a time; a second one is 429.
   *
   * `GET /exports/members`. Problems besides the common ones: `insufficient_scope`.
   */
  members(query?: ExportsMembersQuery, options?: ExportOptions): Export<Member>;
  /**
   * Export trainings.
   *
   * All rows of `GET /trainings` in one response, for a copy: one line of JSON for each row, in the order of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again: replace the row with this `id`. Rows that are gone are in `GET /deletions`. With `include=evaluation` each session has its evaluation. An export counts as one request. A team can run one at a time; a second one is 429.
   *
   * `GET /exports/trainings`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  trainings(query?: ExportsTrainingsQuery, options?: ExportOptions): Export<ListedTraining>;
  /**
   * Export assignments.
   *
   * All rows of `GET /assignments` in one response, for a copy: one line of JSON for each row, in the order of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again: replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as one request. A team can run one at a time; a second one is 429.
   *
   * `GET /exports/assignments`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  assignments(query?: ExportsAssignmentsQuery, options?: ExportOptions): Export<Assignment>;
  /**
   * Export cases.
   *
   * All rows of `GET /cases` in one response, for a copy: one line of JSON for each row, in the order of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again: replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as one request. A team can run one at a time; a second one is 429.
   *
   * `GET /exports/cases`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.
   */
  cases(query?: ExportsCasesQuery, options?: ExportOptions): Export<Case>;
  /**
   * Export deals.
   *
   * All rows of `GET /crm/deals` in one response, for a copy: one line of JSON for each row, in the order of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again: replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as one request. A team can run one at a time; a second one is 429.
   *
   * `GET /exports/deals`. Problems besides the common ones: `insufficient_scope`.
   */
  deals(query?: ExportsDealsQuery, options?: ExportOptions): Export<CrmDeal>;
  /**
   * Export objections.
   *
   * All rows of `GET /crm/objections` in one response, for a copy: one line of JSON for each row, in the order of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again: replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as one request. A team can run one at a time; a second one is 429.
   *
   * `GET /exports/objections`. Problems besides the common ones: `insufficient_scope`.
   */
  objections(query?: ExportsObjectionsQuery, options?: ExportOptions): Export<CrmObjection>;
}

export interface EventsResource {
  /**
   * Read the event feed.
   *
   * The team’s events of the last 30 days (unless the operator changes this), each exactly once and in the same order for every reader. They are the events that webhooks deliver, except `audit.recorded`. The feed needs no webhook endpoint, and also has the `ping` of an endpoint’s test. A feed has no end: process a page, store its `next_cursor`, and ask again with it, at once while `has_more` is true, otherwise with `wait`. Events are in the order in which they became readable, so `created_at` may be a little out of order. With `wait` a request is answered as soon as there is an event, after at most 20 seconds. 20 requests of a team can wait at once; further ones may get 429.
   *
   * `GET /events`. Problems besides the common ones: `insufficient_scope`.
   */
  list(query?: EventsListQuery, options?: CallOptions): List<WebhookEvent, FeedPage<WebhookEvent>>;
  /** Follows the feed: gives each event as soon as there is one, and goes on after failures of the network, until its signal is aborted. */
  stream(query?: EventsListQuery, options?: StreamOptions): EventStream<WebhookEvent>;
}

export interface AuditEntriesResource {
  /**
   * List audit log entries.
   *
   * Who did what in the team, when, and from which address: in the app, with a key, by an assistant, by the operator. The list has the entries that the app shows. With `order=asc` a program follows the log. With filters that few entries match, a page may be short or empty and still have a `next_cursor`. While `member_detail_enabled` is off, entries about trainings are left out, entries about assignments and cases name no person, and members have no names. No ready-made selection of scopes has its scope.
   *
   * `GET /audit-entries`. Problems besides the common ones: `insufficient_scope`.
   */
  list(query?: AuditEntriesListQuery, options?: CallOptions): List<AuditEntry>;
}

export interface WebhooksEndpointsResource {
  /**
   * List webhook endpoints.
   *
   * All endpoints of the team, newest first. Their secrets are not shown again.
   *
   * `GET /webhook-endpoints`. Problems besides the common ones: `insufficient_scope`.
   */
  list(options?: CallOptions): List<WebhookEndpoint>;
  /**
   * Read a webhook endpoint.
   *
   * One endpoint of the team, without its secret.
   *
   * `GET /webhook-endpoints/{endpoint_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  get(endpointId: string, options?: CallOptions): Call<WebhookEndpoint>;
  /**
   * Create a webhook endpoint.
   *
   * From now on, events are sent to the URL. Only this response contains the `secret` with which they are signed. The secret can’t be renewed: to change it, create another endpoint with the same events, switch the receiver, then delete this one. An endpoint for `audit.recorded` needs the scope `audit:export` too. A team has at most 50 endpoints; creating another returns 422 with `field` `webhook_endpoints`.
   *
   * `POST /webhook-endpoints`. Problems besides the common ones: `insufficient_scope`, `conflict`, `idempotency_mismatch`.
   */
  create(body: NewWebhookEndpoint, options?: PostOptions): Call<CreatedWebhookEndpoint>;
  /**
   * Change a webhook endpoint.
   *
   * Fields that are left out stay as they are. To subscribe to `audit.recorded`, and to change the `url` of an endpoint for it, the key needs the scope `audit:export` too. `disabled` stops sending: new events are not delivered, and waiting deliveries go on when the endpoint is `active` again.
   *
   * `PATCH /webhook-endpoints/{endpoint_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  update(endpointId: string, body: WebhookEndpointChanges, options?: CallOptions): Call<WebhookEndpoint>;
  /**
   * Delete a webhook endpoint.
   *
   * Deletes the endpoint permanently, with its waiting deliveries. A delivery that is being sent at that moment may still arrive.
   *
   * `DELETE /webhook-endpoints/{endpoint_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  delete(endpointId: string, options?: CallOptions): Call<Done>;
  /**
   * Test a webhook endpoint.
   *
   * Sends one `ping` within seconds, whatever the endpoint’s status, which stays as it is. While the endpoint is not `active`, the ping is attempted once: if this attempt fails, the delivery is `gave_up` at once. The result is in the list of deliveries.
   *
   * `POST /webhook-endpoints/{endpoint_id}/test`. Problems besides the common ones: `insufficient_scope`, `not_found`, `conflict`, `idempotency_mismatch`.
   */
  test(endpointId: string, options?: PostOptions): Call<StartedWebhookDelivery>;
  /**
   * Check a receiver.
   *
   * Sends the endpoint eight requests, one after the other: some that a good receiver accepts, and some that it refuses. Each has the header `Svc-Check`, and none reports a real event. Verdicts are in the list of the endpoint’s checks within a minute or two. A team can start 6 checks an hour (429), one at a time for each endpoint (409).
   *
   * `POST /webhook-endpoints/{endpoint_id}/check`. Problems besides the common ones: `insufficient_scope`, `not_found`, `conflict`, `idempotency_mismatch`.
   */
  check(endpointId: string, options?: PostOptions): Call<WebhookCheck>;
  /**
   * Recover missed events.
   *
   * Sends an `active` endpoint the events of its types since a time that were not delivered to it, unless a delivery is still to send them. Events from while it was paused or disabled are among them. Events older than the endpoint are sent only with `include_older`. With `dry_run` events are only counted: nothing is sent, and no limit is used. At most 10000 events at once, and 20000 for a team within 24 hours (429): if `more` is true, repeat the request with another `Idempotency-Key`.
   *
   * `POST /webhook-endpoints/{endpoint_id}/recover`. Problems besides the common ones: `insufficient_scope`, `not_found`, `conflict`, `idempotency_mismatch`.
   */
  recover(endpointId: string, body: NewWebhookRecovery, options?: PostOptions): Call<WebhookRecovery>;
  /**
   * List checks of a receiver.
   *
   * The newest checks of an endpoint’s receiver, newest first.
   *
   * `GET /webhook-endpoints/{endpoint_id}/checks`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  checks(endpointId: string, query?: WebhooksEndpointsChecksQuery, options?: CallOptions): List<WebhookCheck>;
}

export interface WebhooksDeliveriesResource {
  /**
   * List deliveries to an endpoint.
   *
   * The newest deliveries to an endpoint, newest first.
   *
   * `GET /webhook-endpoints/{endpoint_id}/deliveries`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  list(endpointId: string, query?: WebhooksDeliveriesListQuery, options?: CallOptions): List<WebhookDelivery>;
  /**
   * List deliveries.
   *
   * The deliveries to all endpoints of the team, newest first. With a filter that few deliveries match, a page may be short or empty and still have a `next_cursor`.
   *
   * `GET /webhook-deliveries`. Problems besides the common ones: `insufficient_scope`.
   */
  listAll(query?: WebhooksDeliveriesListAllQuery, options?: CallOptions): List<TeamWebhookDelivery>;
  /**
   * Read a delivery.
   *
   * One delivery, with its attempts: what was sent, and what the receiver answered.
   *
   * `GET /webhook-deliveries/{delivery_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
   */
  get(deliveryId: string, options?: CallOptions): Call<WebhookDeliveryWithAttempts>;
  /**
   * Retry a delivery.
   *
   * Attempts a `failed` or `gave_up` delivery at once, on top of its schedule and whatever its endpoint’s status. If this attempt fails, a delivery that was `failed` continues with its schedule.
   *
   * `POST /webhook-deliveries/{delivery_id}/retry`. Problems besides the common ones: `insufficient_scope`, `not_found`, `conflict`, `idempotency_mismatch`.
   */
  retry(deliveryId: string, options?: PostOptions): Call<WebhookDelivery>;
}

export interface WebhooksResource {
  readonly endpoints: WebhooksEndpointsResource;
  readonly deliveries: WebhooksDeliveriesResource;
}

export interface Api {
  /**
   * Show this key.
   *
   * The team that the key belongs to, the key’s scopes, the team’s limit and its privacy switch.
   *
   * `GET /me`.
   */
  me(options?: CallOptions): Call<Me>;
  readonly users: UsersResource;
  readonly trainings: TrainingsResource;
  readonly evaluations: EvaluationsResource;
  readonly assignments: AssignmentsResource;
  readonly cases: CasesResource;
  readonly catalog: CatalogResource;
  readonly analytics: AnalyticsResource;
  readonly crm: CrmResource;
  readonly deletions: DeletionsResource;
  readonly exports: ExportsResource;
  readonly events: EventsResource;
  readonly auditEntries: AuditEntriesResource;
  readonly webhooks: WebhooksResource;
}

export const resourcesOf = ({ call, list, many, rows, stream }: Sender): Api => ({
  me: (options) => call('GET', '/me', { options }),
  users: {
    list: (query, options) => list('/users', { query, options }),
    get: (memberId, options) => call('GET', `/users/${id(memberId)}`, { options }),
    invite: (body, options) => call('POST', '/users', { body, options }),
    update: (memberId, body, options) => call('PATCH', `/users/${id(memberId)}`, { body, options }),
    remove: (memberId, options) => call('DELETE', `/users/${id(memberId)}`, { options }),
  },
  trainings: {
    list: (query, options) => list('/trainings', { query, options }),
    get: (trainingId, options) => call('GET', `/trainings/${id(trainingId)}`, { options }),
  },
  evaluations: {
    list: (query, options) => list('/evaluations', { query, options }),
    get: (trainingId, options) => call('GET', `/trainings/${id(trainingId)}/evaluation`, { options }),
  },
  assignments: {
    list: (query, options) => list('/assignments', { query, options }),
    get: (assignmentId, options) => call('GET', `/assignments/${id(assignmentId)}`, { options }),
    create: (body, options) => call('POST', '/assignments', { body, options }),
    createMany: (items, options) => many('/assignments/bulk', { items, options }),
    update: (assignmentId, body, options) => call('PATCH', `/assignments/${id(assignmentId)}`, { body, options }),
    delete: (assignmentId, options) => call('DELETE', `/assignments/${id(assignmentId)}`, { options }),
  },
  cases: {
    list: (query, options) => list('/cases', { query, options }),
    get: (caseId, options) => call('GET', `/cases/${id(caseId)}`, { options }),
    create: (body, options) => call('POST', '/cases', { body, options }),
    update: (caseId, body, options) => call('PATCH', `/cases/${id(caseId)}`, { body, options }),
    delete: (caseId, options) => call('DELETE', `/cases/${id(caseId)}`, { options }),
  },
  catalog: {
    get: (options) => call('GET', '/catalog', { options }),
  },
  analytics: {
    team: (query, options) => call('GET', '/analytics/team', { query, options }),
  },
  crm: {
    deals: {
      list: (query, options) => list('/crm/deals', { query, options }),
    },
    objections: {
      list: (query, options) => list('/crm/objections', { query, options }),
    },
  },
  deletions: {
    list: (query, options) => list('/deletions', { query, options }),
  },
  exports: {
    members: (query, options) => rows('/exports/members', { query, options }),
    trainings: (query, options) => rows('/exports/trainings', { query, options }),
    assignments: (query, options) => rows('/exports/assignments', { query, options }),
    cases: (query, options) => rows('/exports/cases', { query, options }),
    deals: (query, options) => rows('/exports/deals', { query, options }),
    objections: (query, options) => rows('/exports/objections', { query, options }),
  },
  events: {
    list: (query, options) => list('/events', { query, options }),
    stream: (query, options) => stream('/events', { query, options }),
  },
  auditEntries: {
    list: (query, options) => list('/audit-entries', { query, options }),
  },
  webhooks: {
    endpoints: {
      list: (options) => list('/webhook-endpoints', { options }),
      get: (endpointId, options) => call('GET', `/webhook-endpoints/${id(endpointId)}`, { options }),
      create: (body, options) => call('POST', '/webhook-endpoints', { body, options }),
      update: (endpointId, body, options) => call('PATCH', `/webhook-endpoints/${id(endpointId)}`, { body, options }),
      delete: (endpointId, options) => call('DELETE', `/webhook-endpoints/${id(endpointId)}`, { options }),
      test: (endpointId, options) => call('POST', `/webhook-endpoints/${id(endpointId)}/test`, { options }),
      check: (endpointId, options) => call('POST', `/webhook-endpoints/${id(endpointId)}/check`, { options }),
      recover: (endpointId, body, options) =>
        call('POST', `/webhook-endpoints/${id(endpointId)}/recover`, { body, options }),
      checks: (endpointId, query, options) => list(`/webhook-endpoints/${id(endpointId)}/checks`, { query, options }),
    },
    deliveries: {
      list: (endpointId, query, options) => list(`/webhook-endpoints/${id(endpointId)}/deliveries`, { query, options }),
      listAll: (query, options) => list('/webhook-deliveries', { query, options }),
      get: (deliveryId, options) => call('GET', `/webhook-deliveries/${id(deliveryId)}`, { options }),
      retry: (deliveryId, options) => call('POST', `/webhook-deliveries/${id(deliveryId)}/retry`, { options }),
    },
  },
});
