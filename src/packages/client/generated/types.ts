// Made from docs/openapi.v1.json by `npm run openapi`.

/** Any JSON object. The service stores it and returns it unchanged. */
export type FreeFormObject = Record<string, unknown>;

/** Any JSON object or array. The service returns it unchanged. */
export type FreeFormValue = Record<string, unknown> | unknown[];

/** The status of an assignment. `revoked`: withdrawn, or its member was removed. More values may be added. */
export type AssignmentStatus = KnownAssignmentStatus | (string & {});

/** The status of an assignment. `revoked`: withdrawn, or its member was removed. The values that are known today. */
export type KnownAssignmentStatus = 'open' | 'in_progress' | 'done' | 'revoked';

/** The role of a member in the team. More values may be added. */
export type MemberRole = KnownMemberRole | (string & {});

/** The role of a member in the team. The values that are known today. */
export type KnownMemberRole = 'owner' | 'admin' | 'member';

/** `active` once the invitation is accepted. More values may be added. */
export type MemberStatus = KnownMemberStatus | (string & {});

/** `active` once the invitation is accepted. The values that are known today. */
export type KnownMemberStatus = 'invited' | 'active';

/** `member` or `admin`; `owner` can not be granted. */
export type GrantableRole = 'admin' | 'member';

/** The language of texts for people. */
export type Language = 'de' | 'en';

/** `scored` once an evaluation was saved; `running` and `ended` may still change. More values may be added. */
export type TrainingStatus = KnownTrainingStatus | (string & {});

/** `scored` once an evaluation was saved; `running` and `ended` may still change. The values that are known today. */
export type KnownTrainingStatus = 'running' | 'ended' | 'scored' | 'aborted';

/** A type of event to which endpoints can subscribe. More values may be added. */
export type EventType = KnownEventType | (string & {});

/** A type of event to which endpoints can subscribe. The values that are known today. */
export type KnownEventType =
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
  | 'audit.recorded';

/** `active` sends deliveries that waited, and counts failures from zero. `disabled` stops sending. `disabled_failures` can’t be set. */
export type SettableWebhookEndpointStatus = 'active' | 'disabled';

/** `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added. */
export type WebhookDeliveryStatus = KnownWebhookDeliveryStatus | (string & {});

/** `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. The values that are known today. */
export type KnownWebhookDeliveryStatus = 'pending' | 'failed' | 'ok' | 'gave_up';

/** A type of event that is sent: one to which endpoints can subscribe, or `ping`. */
export type SentEventType =
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
  | 'audit.recorded'
  | 'ping';

/** The list that had the rows. */
export type DeletionResource = 'users' | 'trainings' | 'assignments' | 'cases' | 'deals' | 'objections';

/** An action that the audit log has. */
export type AuditAction =
  | 'assignment.created'
  | 'assignment.changed'
  | 'assignment.reminded'
  | 'assignment.deleted'
  | 'assistant.connected'
  | 'assistant.disconnected'
  | 'case.created'
  | 'case.changed'
  | 'case.shared'
  | 'case.deleted'
  | 'case.private_cases_deleted'
  | 'catalog.item_created'
  | 'catalog.item_changed'
  | 'catalog.rules_changed'
  | 'company_sign_in.set_up'
  | 'company_sign_in.changed'
  | 'company_sign_in.removed'
  | 'crm_connection.created'
  | 'crm_connection.changed'
  | 'crm_connection.token_renewed'
  | 'crm_connection.sync_requested'
  | 'crm_connection.paused'
  | 'crm_connection.resumed'
  | 'crm_connection.credentials_refused'
  | 'crm_connection.disconnected'
  | 'evaluation.saved'
  | 'evaluation.corrected'
  | 'invitation.queued'
  | 'invitation.canceled'
  | 'key.created'
  | 'key.reported'
  | 'key.rotated'
  | 'key.revoked'
  | 'member.joined'
  | 'member.invited_again'
  | 'member.accepted'
  | 'member.role_changed'
  | 'member.external_id_changed'
  | 'member.rights_changed'
  | 'member.password_link_made'
  | 'member.erased'
  | 'member.removed'
  | 'passkey.added'
  | 'passkey.removed'
  | 'password.reset'
  | 'policy.team_changed'
  | 'policy.member_changed'
  | 'second_factor.locked'
  | 'sign_in.demand_called_off'
  | 'sign_in.demand_planned'
  | 'sign_in.demand_changed'
  | 'sign_in.locked'
  | 'team.created'
  | 'team.changed'
  | 'team.exported'
  | 'team.handed_over'
  | 'training.started'
  | 'training.ended'
  | 'training.aborted'
  | 'webhook_deliveries.given_up'
  | 'webhook_delivery.retried'
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.changed'
  | 'webhook_endpoint.deleted'
  | 'webhook_endpoint.tested'
  | 'webhook_endpoint.checked'
  | 'webhook_endpoint.warned'
  | 'webhook_endpoint.paused'
  | 'webhook_endpoint.recovered'
  | 'webhook_event.replayed';

/** Which error it is. It never changes: match on it. More values may be added. */
export type ProblemCode = KnownProblemCode | (string & {});

/** Which error it is. It never changes: match on it. The values that are known today. */
export type KnownProblemCode =
  | 'bad_request'
  | 'unauthorized'
  | 'insufficient_scope'
  | 'privacy_restricted'
  | 'api_disabled'
  | 'vorgabe_gesperrt'
  | 'not_found'
  | 'conflict'
  | 'seat_limit_reached'
  | 'last_admin'
  | 'owner'
  | 'validation_error'
  | 'idempotency_mismatch'
  | 'kombination_ungueltig'
  | 'rate_limited'
  | 'internal'
  | 'unavailable';

/** One invalid value in a request. */
export interface InvalidValue {
  /** The place in the request: keys and indexes from the outside in. */
  path: (string | number)[];
  /** The part of the request that `path` leads into: `query`, `path` or `body`. More values may be added. */
  in?: string;
  /** Which rule was broken. */
  code: string;
  /** A sentence for the developer. */
  message: string;
}

/** Something that a key may be allowed to do. More values may be added. */
export type Scope = KnownScope | (string & {});

/** Something that a key may be allowed to do. The values that are known today. */
export type KnownScope =
  | 'users:read'
  | 'users:write'
  | 'trainings:read'
  | 'evaluations:read'
  | 'assignments:read'
  | 'assignments:write'
  | 'cases:read'
  | 'cases:write'
  | 'catalog:read'
  | 'analytics:read'
  | 'webhooks:manage'
  | 'audit:export'
  | 'directory:manage';

/** The data of `training.completed`. */
export interface TrainingCompletedEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The session, as in `/trainings/{training_id}`. */
  training_id: string;
  /** Not every session gets an evaluation. If it does, `evaluation.completed` follows. */
  status: 'ended';
  /** Where it took place. */
  source: TrainingSource;
  /** The assignment that it was practised for. */
  assignment_id: string | null;
  /** When the session ended. */
  finished_at: string;
  /** Seconds. */
  duration_s: number;
  /** The person who practised. Absent while `member_detail_enabled` is off. */
  user_id?: string;
}

/** Where a training took place. More values may be added. */
export type TrainingSource = KnownTrainingSource | (string & {});

/** Where a training took place. The values that are known today. */
export type KnownTrainingSource = 'app' | 'phone' | 'api';

/** The data of `evaluation.completed`. */
export interface EvaluationCompletedEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The session; read the rest at `/trainings/{training_id}/evaluation`. */
  training_id: string;
  /** The person who practised. Absent while `member_detail_enabled` is off. */
  user_id?: string;
  /** The total, 0 to 100. Absent while `member_detail_enabled` is off, and where the evaluation has no total. */
  score?: number;
}

/** The data of `assignment.created` and `assignment.completed`. */
export interface AssignmentEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The assignment, as in `/assignments/{assignment_id}`. */
  assignment_id: string;
  /** As it was when this happened. */
  status: AssignmentStatus;
  /** The day by which it should be done, if it has one. */
  due_date: string | null;
  /** The training that completed it, if one did. */
  completed_training_id: string | null;
  /** The member who has the assignment. Absent while `member_detail_enabled` is off, and until the member accepts the invitation. */
  user_id?: string;
}

/** The data of `member.joined` and `member.removed`. */
export interface MemberEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The membership, as in `/users/{member_id}`. */
  member_id: string;
  /** The member’s role in the team. */
  role: MemberRole;
  /** The person, as sessions and cases name them. Absent while `member_detail_enabled` is off, and until the member accepts the invitation. */
  user_id?: string;
}

/** The data of `crm.sync.failed`. */
export interface CrmSyncFailedEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The CRM connection, as the app names it. */
  connection_id: string;
  /** The CRM, for instance `hubspot`. */
  provider: string;
  /** For people: why it failed, at most 1000 characters. */
  reason: string;
}

/** The data of `endpoint.failing`. */
export interface EndpointFailingEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The endpoint that the event is about. It does not get the event itself. */
  endpoint_id: string;
  /** Since when: the time of its first failed attempt. */
  since: string;
  /** For people: why its last attempt failed, at most 200 characters. */
  reason: string | null;
}

/** The data of `endpoint.paused`. */
export interface EndpointPausedEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The endpoint that the event is about. It does not get the event itself. */
  endpoint_id: string;
  /** Since when: the time of its first failed attempt. */
  since: string;
  /** For people: why its last attempt failed, at most 200 characters. */
  reason: string | null;
}

/** The data of `endpoint.recovered`. */
export interface EndpointRecoveredEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The endpoint that the event is about. It does not get the event itself. */
  endpoint_id: string;
  /** Since when: the time of a successful delivery. */
  since: string;
}

/** The data of `audit.recorded`. */
export interface AuditRecordedEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The id of the entry. Use it to detect duplicates. */
  id: string;
  /** The action, for instance `key.created`. New ones may be added. */
  action: string;
  /** The actor: `kind` and `id`. */
  actor: {
    /** `operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs. More values may be added. */
    kind: AuditActorKind;
    /** The key’s id, or the user id of a person. */
    id: string | null;
  };
  /** The target: `type` and `id`. */
  target: {
    /** For instance `member`, `key` or `webhook_endpoint`. */
    type: string;
    /** Its id. */
    id: string | null;
  };
  /** The changes, by action. It never contains a secret. Long texts and lists are shortened. */
  data: Record<string, unknown>;
  /** The `X-Request-Id` of the request that did it, if there was one. */
  request_id: string | null;
  /** The IP address from which it was done, if it is known. */
  address: string | null;
  /** When it was done. */
  created_at: string;
}

/** `operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs. More values may be added. */
export type AuditActorKind = KnownAuditActorKind | (string & {});

/** `operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs. The values that are known today. */
export type KnownAuditActorKind = 'key' | 'person' | 'operator' | 'service';

/** The data of `ping`. */
export interface PingEventData {
  /** The team; the same as `tenant_id`. */
  team_id: string;
  /** The endpoint that is tested. */
  endpoint_id: string;
}

/** The key of the request, and its team. */
export interface Me {
  /** The team that the key belongs to. */
  tenant_id: string;
  /** The kind of the key. */
  kind: KeyKind | null;
  /** The scopes of the key. */
  scopes: Scope[];
  /** Requests a minute that all keys of the team share. */
  rate_limit_per_min: number | null;
  /** The team’s privacy settings, as far as they concern the API. */
  privacy: PrivacySettings;
}

/** The kind of a key. More values may be added. */
export type KeyKind = KnownKeyKind | (string & {});

/** The kind of a key. The values that are known today. */
export type KnownKeyKind = 'live';

/** The team’s privacy settings, as far as they concern the API. */
export interface PrivacySettings {
  /** Whether answers and events contain data that names individual people. */
  member_detail_enabled: boolean;
}

/** A page of assignments. */
export interface AssignmentPage {
  /** The entries of this page. */
  data: Assignment[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** A task for a member: the conversation to practise, and by when. */
export interface Assignment {
  /** The assignment id: `{assignment_id}` in paths. */
  id: string;
  /** The status of an assignment. `revoked`: withdrawn, or its member was removed. More values may be added. */
  status: AssignmentStatus;
  /** A short text for people, on one line. */
  title: string | null;
  /** The situation to practise, from the catalog. */
  situation_id: string | null;
  /** The personality, from the catalog. */
  personality_id: string | null;
  /** The industry, from the catalog. */
  industry_id: string | null;
  /** The member’s user id; null until they accept the invitation, and while `member_detail_enabled` is off. */
  member_user_id: string | null;
  /** The member’s email address; null while `member_detail_enabled` is off. */
  member_email: string | null;
  /** A note that the member can read. */
  note: string | null;
  /** The day by which it should be done, if it has one. */
  due_date: string | null;
  /** The dimension to work on above all. */
  focus_dimension: ScoreDimension | null;
  /** The training that completed it, if one did. */
  completed_training_id: string | null;
  /** When it was created. */
  created_at: string | null;
  /** When one of these fields last changed. */
  updated_at: string;
}

/** One of the dimensions in which a conversation is scored. More values may be added. */
export type ScoreDimension = KnownScoreDimension | (string & {});

/** One of the dimensions in which a conversation is scored. The values that are known today. */
export type KnownScoreDimension =
  | 'closing'
  | 'conversation_control'
  | 'needs_analysis'
  | 'objection_handling'
  | 'value_argument';

/** The results of all items. */
export interface CreatedAssignments {
  /** The results of the items, in the same order. */
  results: AssignmentResult[];
}

/** The result of one item: the new assignment, or the problem. */
export interface AssignmentResult {
  /** The HTTP status that `POST /assignments` with this item would have. */
  status: number;
  /** The new assignment, if it was created (status 201). */
  assignment?: Assignment;
  /** Why the assignment was not created. */
  problem?: Problem;
}

/** The action was done. */
export interface Done {
  /** Always true: otherwise the answer is a problem. */
  ok: true;
}

/** A page of cases. */
export interface CasePage {
  /** The entries of this page. */
  data: Case[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** A customer situation that the whole team can practise with. */
export interface Case {
  /** The case id: `{case_id}` in paths. */
  id: string;
  /** The `user_id` of the member to whom the case belongs. */
  user_id: string;
  /** A short text for people, on one line. */
  title: string | null;
  /** An id of your own, not from the catalog. */
  persona_id: string | null;
  /** Free-form. */
  fields: FreeFormValue | null;
  /** Free-form, for instance an id in another system. */
  external_ref: FreeFormObject | null;
  /** When it was created. */
  created_at: string | null;
  /** When one of these fields last changed, or the case was shared with the team. */
  updated_at: string;
}

/** A page of members. */
export interface MemberPage {
  /** The entries of this page. */
  data: Member[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** Somebody’s membership in the team. */
export interface Member {
  /** The member id: `{member_id}` in paths. */
  id: string;
  /** The person’s user id; null until the invitation is accepted. */
  user_id: string | null;
  /** The email address. Only while `member_detail_enabled` is on. */
  email?: string;
  /** The person’s name; null until the invitation is accepted, or if there is none. Only while `member_detail_enabled` is on. */
  name?: string | null;
  /** The id of the person in your own system; null if you have given none. Only while `member_detail_enabled` is on. */
  external_id?: string | null;
  /** The role of a member in the team. More values may be added. */
  role: MemberRole;
  /** `active` once the invitation is accepted. More values may be added. */
  status: MemberStatus;
  /** When the person joined; null until the invitation is accepted. */
  joined_at: string | null;
  /** When one of these fields last changed. */
  updated_at: string;
}

/** Figures of the team, its skill gaps and its trend. */
export interface TeamAnalytics {
  /** The trainings of all active members together. */
  totals: TeamTotals;
  /** All five, in alphabetical order. */
  dimensions: DimensionMean[];
  /** The dimensions whose mean is below 60, lowest first. */
  skill_gaps: ScoreDimension[];
  /** The last 12 ISO weeks in UTC, oldest first. The last one is the week of `until`, or the current week. `since` does not shorten it. */
  trend: TrendWeek[];
  /** An entry for each active member with an ended training, best mean first, without the member’s identity. Empty unless member details and leaderboard are on and there are at least five such members. */
  members: MemberMeans[];
}

/** The trainings of all active members together. */
export interface TeamTotals {
  /** Active members now, the owner and admins included; `since` and `until` do not change it. */
  active_members: number | null;
  /** Trainings with an evaluation. */
  scored: number | null;
  /** Trainings that ended, scored or not. */
  sessions: number | null;
  /** The mean of their total scores, to one decimal; null for none. */
  avg_score: number | null;
}

/** The team’s mean in one dimension. */
export interface DimensionMean {
  /** The dimension. */
  dimension: ScoreDimension | null;
  /** The mean of the dimension, to one decimal; null for none. */
  value: number | null;
}

/** One week of the trend. */
export interface TrendWeek {
  /** The week’s mean total, to an integer; null for none. */
  score: number | null;
}

/** The figures of one member, without a name or an id. */
export interface MemberMeans {
  /** Trainings that ended. */
  sessions: number;
  /** The mean of the total scores, to one decimal; null for none. */
  avg_score: number | null;
  /** The mean of the last 30 days (UTC, today or `until` included) less that of the 30 days before, to one decimal; null if either mean has no score. */
  trend_delta: number | null;
}

/** A page of deals. */
export interface CrmDealPage {
  /** The entries of this page. */
  data: CrmDeal[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** A deal, as the last sync of the CRM found it. */
export interface CrmDeal {
  /** The deal’s id in this service. */
  id: string;
  /** The deal’s id in the CRM. */
  external_id: string;
  /** The result of a deal: `open` while it has none. More values may be added. */
  outcome: CrmDealOutcome;
  /** The deal’s name in the CRM. */
  title: string | null;
  /** Decimal text, exactly as the CRM has it. */
  amount: string | null;
  /** The currency of `amount`, as in ISO 4217. */
  currency: string | null;
  /** A day, as `YYYY-MM-DD`. */
  close_date: string | null;
  /** The probability of winning it, in per cent. */
  probability: number | null;
  /** The pipeline’s id in the CRM. */
  pipeline_id: string | null;
  /** The stage’s id in the CRM. */
  stage_id: string | null;
  /** The industry, from the catalog; null if the sync found no match. */
  industry_id: string | null;
  /** Why it was lost, as the CRM has it. */
  lost_reason: string | null;
  /** The owner of the deal, where the sync recognised a person of the team. Only while `member_detail_enabled` is on. */
  owner_user_id?: string | null;
  /** The time of its last activity, as the CRM has it. */
  last_activity_at: string | null;
  /** The start of the last sync that found it. */
  synced_at: string | null;
  /** When one of these fields, `synced_at` included, last changed. */
  updated_at: string;
}

/** The result of a deal: `open` while it has none. More values may be added. */
export type CrmDealOutcome = KnownCrmDealOutcome | (string & {});

/** The result of a deal: `open` while it has none. The values that are known today. */
export type KnownCrmDealOutcome = 'open' | 'won' | 'lost';

/** A page of objections. */
export interface CrmObjectionPage {
  /** The entries of this page. */
  data: CrmObjection[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** An objection of a customer in a deal. */
export interface CrmObjection {
  /** The objection’s id in this service. */
  id: string;
  /** The id of the deal that it came up in. */
  deal_id: string;
  /** The kind of objection, such as `price`. */
  category: string;
  /** The text of the objection, from the CRM. */
  text: string;
  /** The language of the text. */
  lang: string;
  /** When it was raised. */
  created_at: string | null;
  /** When one of these fields last changed. */
  updated_at: string;
}

/** The items with which the team can practise, by dimension. */
export interface Catalog {
  /** The kinds of conversations to practise. */
  situation: CatalogEntry[];
  /** The characters of the person on the other side. */
  personality: CatalogEntry[];
  /** Where the other side works. */
  industry: CatalogEntry[];
  /** The jobs of the person on the other side. */
  role: CatalogEntry[];
  /** The sales methods by which a conversation is evaluated. */
  methodology: CatalogEntry[];
}

/** An item of the catalog. */
export interface CatalogEntry {
  /** The item’s id, as assignments and trainings name it. */
  id: string;
  /** The name, in the language of `Accept-Language` or else the other one. */
  name: string | null;
  /** The name of a Tabler icon. */
  icon: string | null;
}

/** A page of trainings. */
export interface TrainingPage {
  /** The entries of this page. */
  data: ListedTraining[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** A training in a list, with its evaluation if it was asked for. */
export interface ListedTraining {
  /** The training id: `{training_id}` in paths. */
  id: string;
  /** The person who practised. */
  user_id: string;
  /** `scored` once an evaluation was saved; `running` and `ended` may still change. More values may be added. */
  status: TrainingStatus;
  /** Where it took place. */
  source: TrainingSource;
  /** The assignment that it was practised for. */
  assignment_id: string | null;
  /** When it started. */
  created_at: string | null;
  /** When it ended; null while it runs. */
  finished_at: string | null;
  /** The length of the conversation in seconds. */
  duration_s: number | null;
  /** Free-form, for instance an id in another system. */
  external_ref: FreeFormObject | null;
  /** The situation, from the catalog. */
  situation_id: string | null;
  /** The personality, from the catalog. */
  personality_id: string | null;
  /** The industry, from the catalog. */
  industry_id: string | null;
  /** The role, from the catalog. */
  role_id: string | null;
  /** When it last changed, or its evaluation was last saved. */
  updated_at: string;
  /** Only with `include=evaluation`: the evaluation; null until the session is scored. */
  evaluation?: Evaluation | null;
}

/** The score of a training, and tips. */
export interface Evaluation {
  /** The training that was evaluated. */
  training_id: string;
  /** The person who practised. */
  user_id: string;
  /** The score of a conversation. */
  score: Score;
  /** Improvements, the most important first. */
  tips: Tip[];
  /** Whether the goal of the conversation was reached; null for none. */
  goal: TrainingGoal | null;
  /** The methodology, from the catalog. */
  methodology: string | null;
  /** The strongest point. */
  strongest: string | null;
  /** The change that would help most. */
  biggest_lever: string | null;
}

/** The score of a conversation. */
export interface Score {
  /** The points for each dimension. */
  dimensions: DimensionScores;
  /** The points for the whole conversation. */
  total: number | null;
  /** The best dimension less the weakest. */
  spread: number | null;
}

/** The points for each dimension. */
export interface DimensionScores {
  /** How well the next step was agreed. */
  closing: number;
  /** How well the conversation was led. */
  conversation_control: number;
  /** How well the need was found out. */
  needs_analysis: number;
  /** How well objections were answered. */
  objection_handling: number;
  /** How well the benefit was argued. */
  value_argument: number;
}

/** An improvement for one moment of the conversation. */
export interface Tip {
  /** The weak point. */
  issue: string;
  /** The moment of the conversation. */
  moment: string;
  /** The principle that applies. */
  principle: string;
  /** A better wording for that moment. */
  rewrite: string;
  /** The effect of the better wording. */
  impact: string;
}

/** Whether the goal of a conversation was reached. More values may be added. */
export type TrainingGoal = KnownTrainingGoal | (string & {});

/** Whether the goal of a conversation was reached. The values that are known today. */
export type KnownTrainingGoal = 'reached' | 'partial' | 'missed';

/** One practised conversation: metadata, no transcript. */
export interface Training {
  /** The training id: `{training_id}` in paths. */
  id: string;
  /** The person who practised. */
  user_id: string;
  /** `scored` once an evaluation was saved; `running` and `ended` may still change. More values may be added. */
  status: TrainingStatus;
  /** Where it took place. */
  source: TrainingSource;
  /** The assignment that it was practised for. */
  assignment_id: string | null;
  /** When it started. */
  created_at: string | null;
  /** When it ended; null while it runs. */
  finished_at: string | null;
  /** The length of the conversation in seconds. */
  duration_s: number | null;
  /** Free-form, for instance an id in another system. */
  external_ref: FreeFormObject | null;
  /** The situation, from the catalog. */
  situation_id: string | null;
  /** The personality, from the catalog. */
  personality_id: string | null;
  /** The industry, from the catalog. */
  industry_id: string | null;
  /** The role, from the catalog. */
  role_id: string | null;
  /** When it last changed, or its evaluation was last saved. */
  updated_at: string;
}

/** All endpoints of the team. */
export interface WebhookEndpointList {
  /** The entries. */
  data: WebhookEndpoint[];
}

/** A URL to which events of the team are sent. */
export interface WebhookEndpoint {
  /** The endpoint id: `{endpoint_id}` in paths. */
  id: string;
  /** The normalised URL. */
  url: string;
  /** Subscribed event types. */
  events: EventType[];
  /** `disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery failed. More values may be added. */
  status: WebhookEndpointStatus;
  /** The shape of its events, as year-month. */
  api_version: string;
  /** A text for people. */
  description: string | null;
  /** The names of the headers that you add to its requests. Their values are never shown, so each is null. */
  headers: Record<string, null>;
  /** When it was created. */
  created_at: string | null;
  /** When a delivery was last answered with 2xx. */
  last_success_at: string | null;
}

/** `disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery failed. More values may be added. */
export type WebhookEndpointStatus = KnownWebhookEndpointStatus | (string & {});

/** `disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery failed. The values that are known today. */
export type KnownWebhookEndpointStatus = 'active' | 'disabled' | 'disabled_failures';

/** A new endpoint, with its secret. */
export interface CreatedWebhookEndpoint {
  /** The endpoint id: `{endpoint_id}` in paths. */
  id: string;
  /** The normalised URL. */
  url: string;
  /** Subscribed event types. */
  events: EventType[];
  /** `disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery failed. More values may be added. */
  status: WebhookEndpointStatus;
  /** The shape of its events, as year-month. */
  api_version: string;
  /** A text for people. */
  description: string | null;
  /** The names of the headers that you add to its requests. Their values are never shown, so each is null. */
  headers: Record<string, null>;
  /** When it was created. */
  created_at: string | null;
  /** When a delivery was last answered with 2xx. */
  last_success_at: string | null;
  /** The secret with which its events are signed. It is shown only here, so store it. */
  secret: string;
}

/** A delivery that was just started. */
export interface StartedWebhookDelivery {
  /** The id of the delivery. Its outcome is in the list of deliveries. */
  delivery_id: string;
  /** `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added. */
  status: WebhookDeliveryStatus;
}

/** A check of an endpoint’s receiver. */
export interface WebhookCheck {
  /** The id of the check. */
  id: string;
  /** `running`, `completed`, or `failed`: the service could not complete it within 5 minutes. More values may be added. */
  status: string;
  /** The worst verdict; null unless `completed`. */
  grade: WebhookCheckVerdict | null;
  /** When the check was started. */
  created_at: string;
  /** When the last probe was answered. */
  completed_at: string | null;
  /** Its requests, in the order in which they are sent. */
  probes: WebhookCheckProbe[];
}

/** The verdict on a receiver’s answer: `improvable` is safe, but should be better. More values may be added. */
export type WebhookCheckVerdict = KnownWebhookCheckVerdict | (string & {});

/** The verdict on a receiver’s answer: `improvable` is safe, but should be better. The values that are known today. */
export type KnownWebhookCheckVerdict = 'passed' | 'improvable' | 'failed';

/** One request of a check, and what the receiver did with it. */
export interface WebhookCheckProbe {
  /** The request that was sent, as in its header `Svc-Check`. `valid`: a genuine ping. `duplicate`: the same event again. `unknown_type`: a type that no receiver knows. `large`: a body of 16 KiB. `slow`: a body that arrives over two seconds. `tampered`: a body that was changed after it was signed. `stale`: a signature that is ten minutes old. `wrong_secret`: a signature with another secret. More values may be added. */
  probe: string;
  /** The outcome with a good receiver: `accepted` or `refused`. */
  expected: WebhookCheckOutcome;
  /** The outcome with this receiver. Null if the request was not sent (yet). */
  outcome: WebhookCheckOutcome | null;
  /** The verdict on the outcome. Null if the request was not sent (yet). */
  verdict: WebhookCheckVerdict | null;
  /** The HTTP status of the answer. */
  response_code: number | null;
  /** The time until the answer, in milliseconds. */
  response_ms: number | null;
  /** Why there was no whole answer. */
  error: string | null;
  /** The advice on what to change, in the language of `Accept-Language`. */
  advice: string | null;
  /** Where the documentation explains it. */
  docs_url: string | null;
}

/** A receiver’s answer: 2xx, 4xx, 3xx, 5xx, or no complete one within 10 seconds (in the order of the values). More values may be added. */
export type WebhookCheckOutcome = KnownWebhookCheckOutcome | (string & {});

/** A receiver’s answer: 2xx, 4xx, 3xx, 5xx, or no complete one within 10 seconds (in the order of the values). The values that are known today. */
export type KnownWebhookCheckOutcome = 'accepted' | 'refused' | 'redirected' | 'server_error' | 'no_answer';

/** The missed events that are sent. */
export interface WebhookRecovery {
  /** The number of events that are sent; with `dry_run`, that would be sent. */
  recovered: number;
  /** The number of missed events that are older than the endpoint, counted up to 10000. They are in `recovered` only with `include_older`. */
  older: number;
  /** Whether more missed events are left: repeat the request, with the same `since`. */
  more: boolean;
}

/** The newest checks of an endpoint’s receiver. */
export interface WebhookCheckList {
  /** The entries. */
  data: WebhookCheck[];
}

/** The newest deliveries to an endpoint. */
export interface WebhookDeliveryList {
  /** The entries. */
  data: WebhookDelivery[];
}

/** One event for one endpoint, until it is `ok` or `gave_up`. */
export interface WebhookDelivery {
  /** The delivery id: `{delivery_id}` in paths. */
  id: string;
  /** Attempts made; 0 before the first. */
  attempt: number;
  /** `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added. */
  status: WebhookDeliveryStatus;
  /** The id of its event, as in the body, the headers of the request and the event feed. */
  event_id: string;
  /** The type of its event, or `ping`. */
  event_type: string | null;
  /** When it was created. */
  created_at: string | null;
  /** When the next attempt is due; null if none follows. */
  next_try_at: string | null;
  /** The HTTP status of the last attempt’s answer. The other `response_` fields, `error` and `member_detail` are of that attempt, too. */
  response_code: number | null;
  /** The answer’s body, cut to 1000 characters. Null also while `member_detail_enabled` is off if `member_detail` is true: a receiver may repeat the request. */
  response_excerpt: string | null;
  /** The time until the answer, in milliseconds. */
  response_ms: number | null;
  /** Why there was no whole answer. */
  error: string | null;
  /** Whether the request of the last attempt had member details, for instance `user_id` or `score`. Null before the first. */
  member_detail: boolean | null;
}

/** A page of deliveries. */
export interface TeamWebhookDeliveryPage {
  /** The entries of this page. */
  data: TeamWebhookDelivery[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** A delivery, with its endpoint. */
export interface TeamWebhookDelivery {
  /** The delivery id: `{delivery_id}` in paths. */
  id: string;
  /** Attempts made; 0 before the first. */
  attempt: number;
  /** `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added. */
  status: WebhookDeliveryStatus;
  /** The id of its event, as in the body, the headers of the request and the event feed. */
  event_id: string;
  /** The type of its event, or `ping`. */
  event_type: string | null;
  /** When it was created. */
  created_at: string | null;
  /** When the next attempt is due; null if none follows. */
  next_try_at: string | null;
  /** The HTTP status of the last attempt’s answer. The other `response_` fields, `error` and `member_detail` are of that attempt, too. */
  response_code: number | null;
  /** The answer’s body, cut to 1000 characters. Null also while `member_detail_enabled` is off if `member_detail` is true: a receiver may repeat the request. */
  response_excerpt: string | null;
  /** The time until the answer, in milliseconds. */
  response_ms: number | null;
  /** Why there was no whole answer. */
  error: string | null;
  /** Whether the request of the last attempt had member details, for instance `user_id` or `score`. Null before the first. */
  member_detail: boolean | null;
  /** Its endpoint. */
  endpoint_id: string;
}

/** A delivery, with its attempts. */
export interface WebhookDeliveryWithAttempts {
  /** The delivery id: `{delivery_id}` in paths. */
  id: string;
  /** Attempts made; 0 before the first. */
  attempt: number;
  /** `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added. */
  status: WebhookDeliveryStatus;
  /** The id of its event, as in the body, the headers of the request and the event feed. */
  event_id: string;
  /** The type of its event, or `ping`. */
  event_type: string | null;
  /** When it was created. */
  created_at: string | null;
  /** When the next attempt is due; null if none follows. */
  next_try_at: string | null;
  /** The HTTP status of the last attempt’s answer. The other `response_` fields, `error` and `member_detail` are of that attempt, too. */
  response_code: number | null;
  /** The answer’s body, cut to 1000 characters. Null also while `member_detail_enabled` is off if `member_detail` is true: a receiver may repeat the request. */
  response_excerpt: string | null;
  /** The time until the answer, in milliseconds. */
  response_ms: number | null;
  /** Why there was no whole answer. */
  error: string | null;
  /** Whether the request of the last attempt had member details, for instance `user_id` or `score`. Null before the first. */
  member_detail: boolean | null;
  /** Its endpoint. */
  endpoint_id: string;
  /** Its attempts, the newest first; at most 50. */
  attempts: WebhookAttempt[];
}

/** One request of a delivery. */
export interface WebhookAttempt {
  /** Its number among the attempts of this delivery. */
  number: number;
  /** Whether it was started by hand, not by the schedule. */
  manual: boolean;
  /** When it began. */
  started_at: string;
  /** The URL of the endpoint at that time. */
  url: string;
  /** The headers that were sent; the values of your own headers are replaced by `[redacted]`. */
  request_headers: Record<string, string>;
  /** The HTTP status of the answer. */
  response_code: number | null;
  /** The headers of the answer, as many as are stored. Null also while `member_detail_enabled` is off if `member_detail` is true: a receiver may repeat the request. */
  response_headers: Record<string, string> | null;
  /** The answer’s body, cut to 1000 characters. Null also while `member_detail_enabled` is off if `member_detail` is true: a receiver may repeat the request. */
  response_excerpt: string | null;
  /** The time until the answer, in milliseconds. */
  response_ms: number | null;
  /** Why there was no whole answer. */
  error: string | null;
  /** Whether the request had member details, for instance `user_id` or `score`. */
  member_detail: boolean;
}

/** A page of the event feed. */
export interface EventPage {
  /** The events of this page. */
  data: Event[];
  /** Where to go on. Unlike in lists it is never null, because a feed has no end: store it once you have processed the page, and send it as `cursor` in the next request. */
  next_cursor: string;
  /** True: further events may be read at once. False: this was the end of the feed for now; ask again later, or with `wait`. */
  has_more: boolean;
  /** True: events after the cursor were deleted because of their age before this request. The page goes on with the oldest event that is kept. Read what you copied from the lists again. */
  has_gap: boolean;
}

/** An event, exactly as webhooks deliver it. */
export interface Event {
  /** The id of the event, the same as in webhooks. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. New types may be added. */
  type: string;
  /** When it happened. */
  created_at: string;
  /** The shape of `data`, as year-month. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The details of the event: the `data` of the webhook of the same type. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The person. Present only if `member_detail_enabled` is on, and was on when the event happened. */
    user_id?: string;
    /** The total of the evaluation. Present only if `member_detail_enabled` is on, and was on when the event happened. */
    score?: number;
  };
}

/** A page of deletions. */
export interface DeletionPage {
  /** The entries of this page. */
  data: Deletion[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** A row that a list no longer has. */
export interface Deletion {
  /** The id that the row had. */
  id: string;
  /** When it was deleted, or the membership ended. */
  deleted_at: string;
}

/** A page of the audit log. */
export interface AuditEntryPage {
  /** The entries of this page. */
  data: AuditEntry[];
  /** Send it as `cursor` to get the next page, with the same filters. Null on the last page. */
  next_cursor: string | null;
}

/** An entry of the audit log: who did what, when and from where. */
export interface AuditEntry {
  /** The id of the entry. Use it to detect duplicates. */
  id: string;
  /** The action, for instance `key.created`. New ones may be added. */
  action: string;
  /** The actor of an entry. */
  actor: AuditActor;
  /** The target of an entry: the thing that was changed. */
  target: AuditTarget;
  /** The changes, by action. It never contains a secret. Long texts and lists are shortened. */
  data: Record<string, unknown>;
  /** The present names of things whose ids are in `data`, by id. */
  names: Record<string, string>;
  /** The `X-Request-Id` of the request that did it, if there was one. */
  request_id: string | null;
  /** The IP address from which it was done, if it is known. */
  address: string | null;
  /** When it was done. */
  created_at: string;
}

/** The actor of an entry. */
export interface AuditActor {
  /** `operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs. More values may be added. */
  kind: AuditActorKind;
  /** The key’s id, or the user id of a person. */
  id: string | null;
  /** Its present name; if a person has no name, the email address. Null for a person while `member_detail_enabled` is off. */
  name: string | null;
}

/** The target of an entry: the thing that was changed. */
export interface AuditTarget {
  /** For instance `member`, `key` or `webhook_endpoint`. */
  type: string;
  /** Its id. */
  id: string | null;
  /** Its present name; null if it has none or was deleted. Null for a person while `member_detail_enabled` is off. */
  name: string | null;
}

/** An error (RFC 9457). */
export interface Problem {
  /** Opens the page about this error. */
  type: string;
  /** A short text for people, in the language of `Accept-Language`. */
  title: string;
  /** The HTTP status of the answer. */
  status: number;
  /** Which error it is. It never changes: match on it. More values may be added. */
  code: ProblemCode;
  /** The id of the request, for support. Also in `X-Request-Id`. */
  request_id: string;
  /** English diagnostic; only on some 4xx. */
  detail?: string;
  /** Only with `validation_error` raised while the request was read. */
  errors?: InvalidValue[];
  /** Only with `validation_error` raised by a rule: the field. */
  field?: string;
  /** Only with `kombination_ungueltig`: the catalog dimension. */
  dimension?: string;
  /** Only with `kombination_ungueltig`: the unknown or invisible id. */
  id?: string;
  /** Only with `insufficient_scope`. */
  required_scope?: Scope;
  /** Seconds; only with `rate_limited`. */
  retry_after?: number;
}

/** Sent when a training session ended. */
export interface TrainingCompletedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'training.completed';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `training.completed`. */
  data: TrainingCompletedEventData;
}

/** Sent when an evaluation was saved. */
export interface EvaluationCompletedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'evaluation.completed';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `evaluation.completed`. */
  data: EvaluationCompletedEventData;
}

/** Sent when an assignment was created through the API. */
export interface AssignmentCreatedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'assignment.created';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `assignment.created` and `assignment.completed`. */
  data: AssignmentEventData;
}

/** Sent when an assignment was set to `done` through the API. */
export interface AssignmentCompletedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'assignment.completed';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `assignment.created` and `assignment.completed`. */
  data: AssignmentEventData;
}

/** Sent when a membership started. */
export interface MemberJoinedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'member.joined';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `member.joined` and `member.removed`. */
  data: MemberEventData;
}

/** Sent when a membership ended. */
export interface MemberRemovedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'member.removed';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `member.joined` and `member.removed`. */
  data: MemberEventData;
}

/** Sent when a CRM sync attempt failed. */
export interface CrmSyncFailedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'crm.sync.failed';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `crm.sync.failed`. */
  data: CrmSyncFailedEventData;
}

/** Sent when another webhook endpoint of the team has been failing for a while. */
export interface EndpointFailingEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'endpoint.failing';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `endpoint.failing`. */
  data: EndpointFailingEventData;
}

/** Sent when another webhook endpoint of the team was paused. */
export interface EndpointPausedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'endpoint.paused';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `endpoint.paused`. */
  data: EndpointPausedEventData;
}

/** Sent when another webhook endpoint of the team works again. */
export interface EndpointRecoveredEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'endpoint.recovered';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `endpoint.recovered`. */
  data: EndpointRecoveredEventData;
}

/** Sent when an action was recorded in the audit log. */
export interface AuditRecordedEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'audit.recorded';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `audit.recorded`. */
  data: AuditRecordedEventData;
}

/** Sent when an endpoint is tested. */
export interface PingEvent {
  /** The id of the event, the same in every attempt. Use it to detect duplicates. */
  id: string;
  /** The event type. It determines the fields of `data`. */
  type: 'ping';
  /** When it happened. */
  created_at: string;
  /** The version that the endpoint was created with. */
  api_version: string;
  /** The team. */
  tenant_id: string;
  /** The data of `ping`. */
  data: PingEventData;
}

/** The body of `POST /assignments`. */
export interface NewAssignment {
  /** The id of a member of this team, invited or active. */
  member_id: string;
  /** A short text for people, on one line: the app shows line breaks as spaces. */
  title: string;
  /** The situation to practise, from the catalog. */
  situation_id: string;
  /** The personality, from the catalog. */
  personality_id: string;
  /** The industry, from the catalog. */
  industry_id: string;
  /** A note that the member can read. */
  note?: string | null | undefined;
  /** The day by which it should be done. With a day in the past the assignment is overdue at once. */
  due_date?: string | null | undefined;
}

/** The body of `POST /assignments/bulk`. */
export interface NewAssignments {
  /** The bodies of `POST /assignments`, one for each assignment. */
  items: NewAssignment[];
}

/** The body of `PATCH /assignments/{assignment_id}`. */
export interface AssignmentChanges {
  /** Any status may follow any other. */
  status?: KnownAssignmentStatus | undefined;
  /** Null clears it. */
  note?: string | null | undefined;
  /** Null clears it. It may be a day in the past. */
  due_date?: string | null | undefined;
}

/** The body of `POST /cases`. */
export interface NewCase {
  /** The user id of an active member of this team. */
  user_id: string;
  /** A short text for people, on one line. */
  title?: string | null | undefined;
  /** Free-form. Numbers come back digit by digit. At most 64 KiB of JSON. */
  fields?: FreeFormObject | null | undefined;
  /** An id of your own, not from the catalog. */
  persona_id?: string | null | undefined;
  /** Free-form, for instance an id in your system. At most 64 KiB of JSON. */
  external_ref?: FreeFormObject | null | undefined;
}

/** The body of `PATCH /cases/{case_id}`. */
export interface CaseChanges {
  /** A short text for people, on one line. */
  title?: string | null | undefined;
  /** Free-form. Numbers come back digit by digit. At most 64 KiB of JSON. */
  fields?: FreeFormObject | null | undefined;
  /** An id of your own, not from the catalog. */
  persona_id?: string | null | undefined;
  /** Free-form, for instance an id in your system. At most 64 KiB of JSON. */
  external_ref?: FreeFormObject | null | undefined;
}

/** The body of `POST /users`. */
export interface NewMember {
  /** An email address. Compared without case; a domain may be written in Unicode or in ASCII. */
  email: string;
  /** `member` or `admin`; `owner` can not be granted. */
  role?: GrantableRole | undefined;
  /** The id of the person in your own system. No other invited or active member of the team may have it. */
  external_id?: string | null | undefined;
  /** The invitation’s language; by default the team’s. */
  lang?: Language | null | undefined;
}

/** The body of `PATCH /users/{member_id}`. */
export interface MemberChanges {
  /** `member` or `admin`; `owner` can not be granted. */
  role: GrantableRole;
  /** The id of the person in your own system; null removes it. Without this field the id stays as it is. No other invited or active member of the team may have it. */
  external_id?: string | null | undefined;
}

/** The body of `POST /webhook-endpoints`. */
export interface NewWebhookEndpoint {
  /** HTTPS, at port 443 or one from 1024 up that is not known for another service (databases, mail, remote desktops and the like), and reachable from the internet: nothing is sent to private addresses. Any other URL is 422 with `field` `url` and the reason in `detail`. */
  url: string;
  /** The event types to send. `training.completed`: a training session ended. `evaluation.completed`: an evaluation was saved. `assignment.created`: an assignment was created through the API. `assignment.completed`: an assignment was set to `done` through the API. `member.joined`: a membership started. `member.removed`: a membership ended. `crm.sync.failed`: a CRM sync attempt failed. `endpoint.failing`: another webhook endpoint of the team has been failing for a while. `endpoint.paused`: another webhook endpoint of the team was paused. `endpoint.recovered`: another webhook endpoint of the team works again. `audit.recorded`: an action was recorded in the audit log. Duplicates are dropped. */
  events: KnownEventType[];
  /** A text for people. */
  description?: string | null | undefined;
  /** Up to 10 headers that are added to every request to this endpoint, for instance for a gateway. A value has visible ASCII characters, and spaces between them. Names that HTTP or the signature uses are refused: 422 with `field` `headers`. Values are stored encrypted and never shown. */
  headers?: Record<string, string> | null | undefined;
}

/** The body of `PATCH /webhook-endpoints/{endpoint_id}`. */
export interface WebhookEndpointChanges {
  /** HTTPS, at port 443 or one from 1024 up that is not known for another service (databases, mail, remote desktops and the like), and reachable from the internet: nothing is sent to private addresses. Any other URL is 422 with `field` `url` and the reason in `detail`. */
  url?: string | undefined;
  /** The event types to send. `training.completed`: a training session ended. `evaluation.completed`: an evaluation was saved. `assignment.created`: an assignment was created through the API. `assignment.completed`: an assignment was set to `done` through the API. `member.joined`: a membership started. `member.removed`: a membership ended. `crm.sync.failed`: a CRM sync attempt failed. `endpoint.failing`: another webhook endpoint of the team has been failing for a while. `endpoint.paused`: another webhook endpoint of the team was paused. `endpoint.recovered`: another webhook endpoint of the team works again. `audit.recorded`: an action was recorded in the audit log. Duplicates are dropped. */
  events?: KnownEventType[] | undefined;
  /** Null clears it. */
  description?: string | null | undefined;
  /** Replaces all headers of your own; null removes them. If `url` changes, even only its path or query, send the headers again: otherwise 422 with `field` `headers`. */
  headers?: Record<string, string> | null | undefined;
  /** `active` sends deliveries that waited, and counts failures from zero. `disabled` stops sending. `disabled_failures` can’t be set. */
  status?: SettableWebhookEndpointStatus | undefined;
}

/** The body of `POST /webhook-endpoints/{endpoint_id}/recover`. */
export interface NewWebhookRecovery {
  /** Events that were created at this time or later. */
  since: string;
  /** Sends events that are older than the endpoint, too. */
  include_older?: boolean | undefined;
  /** Only counts: sends nothing. */
  dry_run?: boolean | undefined;
}

/** The events that the service sends today. */
export type KnownEvent =
  | TrainingCompletedEvent
  | EvaluationCompletedEvent
  | AssignmentCreatedEvent
  | AssignmentCompletedEvent
  | MemberJoinedEvent
  | MemberRemovedEvent
  | CrmSyncFailedEvent
  | EndpointFailingEvent
  | EndpointPausedEvent
  | EndpointRecoveredEvent
  | AuditRecordedEvent
  | PingEvent;
