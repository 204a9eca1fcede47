// Made from docs/openapi.v1.json by `npm run client:types`.

export interface Me {
  tenant_id: string;
  kind: 'live' | (string & {}) | null;
  /** What the key may do. */
  scopes: (
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
    | (string & {})
  )[];
  /** Requests a minute that all keys of the team share. */
  rate_limit_per_min: number | null;
  privacy: MePrivacy;
}

export interface MePrivacy {
  member_detail_enabled: boolean;
}

export interface AssignmentPage {
  data: Assignment[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
}

export interface Assignment {
  id: string;
  status: 'open' | 'in_progress' | 'done' | 'revoked' | (string & {});
  title: string | null;
  situation_id: string | null;
  personality_id: string | null;
  industry_id: string | null;
  /** Null until the member accepts the invitation, and while `member_detail_enabled` is off. */
  member_user_id: string | null;
  /** Null while `member_detail_enabled` is off. */
  member_email: string | null;
  note: string | null;
  due_date: string | null;
  /** What to work on above all. */
  focus_dimension:
    | 'closing'
    | 'conversation_control'
    | 'needs_analysis'
    | 'objection_handling'
    | 'value_argument'
    | (string & {})
    | null;
  /** The training that completed it, if one did. */
  completed_training_id: string | null;
  created_at: string | null;
}

export interface Done {
  ok: true;
}

export interface CasePage {
  data: Case[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
}

export interface Case {
  id: string;
  /** Whose case it is. */
  user_id: string;
  title: string | null;
  /** An id of the client’s own, not from the catalog. */
  persona_id: string | null;
  /** Free-form. */
  fields: Record<string, unknown> | unknown[] | null;
  /** Free-form, for instance an id in another system. */
  external_ref: Record<string, unknown> | null;
  created_at: string | null;
}

export interface MemberPage {
  data: Member[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
}

export interface Member {
  /** The member id: `{member_id}` in paths. */
  id: string;
  /** Null until the invitation is accepted. */
  user_id: string | null;
  /** Only while `member_detail_enabled` is on. */
  email?: string;
  role: 'owner' | 'admin' | 'member' | (string & {});
  status: 'invited' | 'active' | (string & {});
  joined_at: string | null;
}

export interface TeamAnalytics {
  totals: TeamTotals;
  /** All five, in alphabetical order. */
  dimensions: DimensionMean[];
  /** The dimensions whose mean is below 60, lowest first. */
  skill_gaps: (
    | 'closing'
    | 'conversation_control'
    | 'needs_analysis'
    | 'objection_handling'
    | 'value_argument'
    | (string & {})
  )[];
  /** The last 12 ISO weeks in UTC, oldest first; the current one is the last. */
  trend: TrendWeek[];
  /** An entry for each active member with an ended training, best mean first, without the member’s identity. Empty unless member details and leaderboard are both on and there are at least five. */
  members: MemberMeans[];
}

export interface TeamTotals {
  /** Active members, the owner and admins included. */
  active_members: number | null;
  /** Trainings with an evaluation. */
  scored: number | null;
  /** Trainings that ended, scored or not. */
  sessions: number | null;
  /** The mean of their total scores, to one decimal; null for none. */
  avg_score: number | null;
}

export interface DimensionMean {
  dimension:
    | 'closing'
    | 'conversation_control'
    | 'needs_analysis'
    | 'objection_handling'
    | 'value_argument'
    | (string & {})
    | null;
  /** The mean of the dimension, to one decimal; null for none. */
  value: number | null;
}

export interface TrendWeek {
  /** The week’s mean total, to an integer; null for none. */
  score: number | null;
}

export interface MemberMeans {
  /** Trainings that ended. */
  sessions: number;
  /** The mean of the total scores, to one decimal; null for none. */
  avg_score: number | null;
  /** The mean of the last 30 days (UTC, today included) less that of the 30 before, to one decimal; null when either has no score. */
  trend_delta: number | null;
}

export interface CrmDealPage {
  data: CrmDeal[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
}

export interface CrmDeal {
  id: string;
  /** The deal’s id in the CRM. */
  external_id: string;
  outcome: 'open' | 'won' | 'lost' | (string & {});
  title: string | null;
  /** Decimal text, exactly as the CRM has it. */
  amount: string | null;
  /** ISO 4217. */
  currency: string | null;
  /** A day, as `YYYY-MM-DD`. */
  close_date: string | null;
  /** Per cent. */
  probability: number | null;
  /** The CRM’s own id. */
  pipeline_id: string | null;
  /** The CRM’s own id. */
  stage_id: string | null;
  /** From the catalog, where the sync found a match. */
  industry_id: string | null;
  lost_reason: string | null;
  /** Whose deal it is, where the sync recognised a person of the team. Only while `member_detail_enabled` is on. */
  owner_user_id?: string | null;
  last_activity_at: string | null;
  /** When a sync last saw it. */
  synced_at: string | null;
}

export interface CrmObjectionPage {
  data: CrmObjection[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
}

export interface CrmObjection {
  id: string;
  /** The id of the deal that it came up in. */
  deal_id: string;
  category: string;
  text: string;
  /** The language of the text. */
  lang: string;
  created_at: string | null;
}

export interface Catalog {
  /** What is practised. */
  situation: CatalogEntry[];
  /** What the other side is like. */
  personality: CatalogEntry[];
  /** Where the other side works. */
  industry: CatalogEntry[];
  /** What the other side does there. */
  role: CatalogEntry[];
  /** How an evaluation looks at the conversation. */
  methodology: CatalogEntry[];
}

export interface CatalogEntry {
  id: string;
  /** In the language of `Accept-Language`, else in the other one. */
  name: string | null;
  /** The name of a Tabler icon. */
  icon: string | null;
}

export interface TrainingPage {
  data: Training[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
}

export interface Training {
  id: string;
  /** Who practised. */
  user_id: string;
  /** `scored` once an evaluation was saved; `running` and `ended` may still change. */
  status: 'running' | 'ended' | 'scored' | 'aborted' | (string & {});
  /** Where it took place. */
  source: 'app' | 'phone' | 'api' | (string & {});
  /** The assignment that it was practised for. */
  assignment_id: string | null;
  /** When it started. */
  created_at: string | null;
  /** Null while it runs. */
  finished_at: string | null;
  /** Seconds. */
  duration_s: number | null;
  /** Free-form, for instance an id in another system. */
  external_ref: Record<string, unknown> | null;
  /** The situation, from the catalog. */
  situation_id: string | null;
  /** The personality, from the catalog. */
  personality_id: string | null;
  /** The industry, from the catalog. */
  industry_id: string | null;
  /** The role, from the catalog. */
  role_id: string | null;
}

export interface Evaluation {
  training_id: string;
  /** Who practised. */
  user_id: string;
  score: Score;
  tips: Tip[];
  /** Whether the goal of the conversation was reached. */
  goal: 'reached' | 'partial' | 'missed' | (string & {}) | null;
  /** The methodology, from the catalog. */
  methodology: string | null;
  /** What went best. */
  strongest: string | null;
  /** What would help most. */
  biggest_lever: string | null;
}

export interface Score {
  /** Each 0 to 100. */
  dimensions: ScoreDimensions;
  /** 0 to 100. */
  total: number | null;
  /** The best dimension less the weakest. */
  spread: number | null;
}

/** Each 0 to 100. */
export interface ScoreDimensions {
  closing: number;
  conversation_control: number;
  needs_analysis: number;
  objection_handling: number;
  value_argument: number;
}

export interface Tip {
  /** What went less well. */
  issue: string;
  /** Where in the conversation. */
  moment: string;
  /** The principle that applies. */
  principle: string;
  /** What could have been said. */
  rewrite: string;
  /** What that would change. */
  impact: string;
}

export interface WebhookEndpointList {
  data: WebhookEndpoint[];
}

export interface WebhookEndpoint {
  id: string;
  /** The normalised URL. */
  url: string;
  /** Subscribed event types. */
  events: (
    | 'training.completed'
    | 'evaluation.completed'
    | 'assignment.created'
    | 'assignment.completed'
    | 'member.joined'
    | 'member.removed'
    | 'crm.sync.failed'
    | (string & {})
  )[];
  /** `disabled`: by a PATCH. `disabled_failures`: by the service, after three days without a successful delivery. */
  status: 'active' | 'disabled' | 'disabled_failures' | (string & {});
  /** The shape of its events, as year-month. */
  api_version: string;
  description: string | null;
  created_at: string | null;
  last_success_at: string | null;
}

export interface CreatedWebhookEndpoint {
  id: string;
  /** The normalised URL. */
  url: string;
  /** Subscribed event types. */
  events: (
    | 'training.completed'
    | 'evaluation.completed'
    | 'assignment.created'
    | 'assignment.completed'
    | 'member.joined'
    | 'member.removed'
    | 'crm.sync.failed'
    | (string & {})
  )[];
  /** `disabled`: by a PATCH. `disabled_failures`: by the service, after three days without a successful delivery. */
  status: 'active' | 'disabled' | 'disabled_failures' | (string & {});
  /** The shape of its events, as year-month. */
  api_version: string;
  description: string | null;
  created_at: string | null;
  last_success_at: string | null;
  /** The secret with which its events are signed. It is shown only here, so store it. */
  secret: string;
}

export interface StartedWebhookDelivery {
  /** Its outcome is in the list of the endpoint’s deliveries. */
  delivery_id: string;
  status: 'pending' | 'failed' | 'ok' | 'gave_up' | (string & {});
}

export interface WebhookDeliveryList {
  data: WebhookDelivery[];
}

export interface WebhookDelivery {
  id: string;
  /** Attempts made; 0 before the first. */
  attempt: number;
  /** `pending`: an attempt waits or runs. `failed`: one failed, `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. */
  status: 'pending' | 'failed' | 'ok' | 'gave_up' | (string & {});
  event_type: string | null;
  created_at: string | null;
  next_try_at: string | null;
  /** Of the last attempt, like the following fields. */
  response_code: number | null;
  /** The answer’s body, cut to 1000 characters. */
  response_excerpt: string | null;
  response_ms: number | null;
  /** Why there was no whole answer. */
  error: string | null;
}

/** An error (RFC 9457). */
export interface Problem {
  /** Opens the page about this error. */
  type: string;
  /** In the language of `Accept-Language`. */
  title: string;
  status: number;
  /** Stable: match on this. */
  code:
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
    | 'unavailable'
    | (string & {});
  /** Also in `X-Request-Id`. */
  request_id: string;
  /** English diagnostic; only on some 4xx. */
  detail?: string;
  /** Only with `validation_error` raised while the request was read. */
  errors?: {
    /** The place in the request: keys and indexes from the outside in. */
    path: (string | number)[];
    /** Which rule was broken. */
    code: string;
    /** A sentence for the developer. */
    message: string;
  }[];
  /** Only with `validation_error` raised by a rule: the field. */
  field?: string;
  /** Only with `kombination_ungueltig`: the catalog dimension. */
  dimension?: string;
  /** Only with `kombination_ungueltig`: the unknown or invisible id. */
  id?: string;
  /** Only with `insufficient_scope`. */
  required_scope?:
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
    | (string & {});
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
  /** The details of the event. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The session, as in `/trainings/{training_id}`. */
    training_id: string;
    /** An evaluation comes later, if one comes. */
    status: 'ended';
    /** Where it took place. */
    source: 'app' | 'phone' | 'api' | (string & {});
    /** The assignment that it was practised for. */
    assignment_id: string | null;
    /** When the session ended. */
    finished_at: string;
    /** Seconds. */
    duration_s: number;
    /** Who practised. Absent while `member_detail_enabled` is off. */
    user_id?: string;
  };
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
  /** The details of the event. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The session; read the rest at `/trainings/{training_id}/evaluation`. */
    training_id: string;
    /** Who practised. Absent while `member_detail_enabled` is off. */
    user_id?: string;
    /** The total, 0 to 100. Absent while `member_detail_enabled` is off, and where the evaluation has no total. */
    score?: number;
  };
}

/** Sent when an assignment was created. */
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
  /** The details of the event. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The assignment, as in `/assignments/{assignment_id}`. */
    assignment_id: string;
    /** As it was when this happened. */
    status: 'open' | 'in_progress' | 'done' | 'revoked' | (string & {});
    /** The day by which it should be done, if it has one. */
    due_date: string | null;
    /** The training that completed it, if one did. */
    completed_training_id: string | null;
    /** Whose assignment it is. Absent while `member_detail_enabled` is off, and until the member accepts the invitation. */
    user_id?: string;
  };
}

/** Sent when an assignment was completed. */
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
  /** The details of the event. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The assignment, as in `/assignments/{assignment_id}`. */
    assignment_id: string;
    /** As it was when this happened. */
    status: 'open' | 'in_progress' | 'done' | 'revoked' | (string & {});
    /** The day by which it should be done, if it has one. */
    due_date: string | null;
    /** The training that completed it, if one did. */
    completed_training_id: string | null;
    /** Whose assignment it is. Absent while `member_detail_enabled` is off, and until the member accepts the invitation. */
    user_id?: string;
  };
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
  /** The details of the event. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The membership, as in `/users/{member_id}`. */
    member_id: string;
    /** What the member is in the team. */
    role: 'owner' | 'admin' | 'member' | (string & {});
    /** The person, as sessions and cases name them. Absent while `member_detail_enabled` is off, and until the member accepts the invitation. */
    user_id?: string;
  };
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
  /** The details of the event. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The membership, as in `/users/{member_id}`. */
    member_id: string;
    /** What the member is in the team. */
    role: 'owner' | 'admin' | 'member' | (string & {});
    /** The person, as sessions and cases name them. Absent while `member_detail_enabled` is off, and until the member accepts the invitation. */
    user_id?: string;
  };
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
  /** The details of the event. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The CRM connection, as the app names it. */
    connection_id: string;
    /** The CRM, for instance `hubspot`. */
    provider: string;
    /** For people: why it failed, at most 1000 characters. */
    reason: string;
  };
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
  /** The details of the event. */
  data: {
    /** The team; the same as `tenant_id`. */
    team_id: string;
    /** The endpoint that is tested. */
    endpoint_id: string;
  };
}

export interface NewAssignment {
  /** The id of a member of this team, invited or active. */
  member_id: string;
  title: string;
  /** What is practised, from the catalog. */
  situation_id: string;
  /** With whom, from the catalog. */
  personality_id: string;
  /** In which industry, from the catalog. */
  industry_id: string;
  /** A note that the member can read. */
  note?: string | null | undefined;
  due_date?: string | null | undefined;
}

export interface AssignmentChanges {
  /** Any of the four, from any other. */
  status?: 'open' | 'in_progress' | 'done' | 'revoked' | undefined;
  /** Null clears it. */
  note?: string | null | undefined;
  /** Null clears it. */
  due_date?: string | null | undefined;
}

export interface NewCase {
  /** The user id of an active member of this team. */
  user_id: string;
  title?: string | null | undefined;
  /** Free-form. Numbers come back digit by digit. At most 64 KiB of JSON, numbers written out in full. */
  fields?: Record<string, unknown> | null | undefined;
  /** An id of your own, not from the catalog. */
  persona_id?: string | null | undefined;
  /** Free-form, for instance an id in your system. At most 64 KiB of JSON, numbers written out in full. */
  external_ref?: Record<string, unknown> | null | undefined;
}

export interface CaseChanges {
  title?: string | null | undefined;
  /** Free-form. Numbers come back digit by digit. At most 64 KiB of JSON, numbers written out in full. */
  fields?: Record<string, unknown> | null | undefined;
  /** An id of your own, not from the catalog. */
  persona_id?: string | null | undefined;
  /** Free-form, for instance an id in your system. At most 64 KiB of JSON, numbers written out in full. */
  external_ref?: Record<string, unknown> | null | undefined;
}

export interface NewMember {
  /** Compared without case; a domain may be written in Unicode or in ASCII. */
  email: string;
  /** `member` or `admin`; `owner` can not be granted. */
  role?: string | undefined;
  /** The invitation's language; by default the team's. */
  lang?: 'de' | 'en' | null | undefined;
}

export interface MemberChanges {
  /** `member` or `admin`; `owner` can not be granted. */
  role: string;
}

export interface NewWebhookEndpoint {
  /** HTTPS, at port 443 or one from 1024 up that is not known for another service (databases, mail, remote desktops and the like), and reachable from the internet: nothing is sent to private addresses. Another URL is 422 with `field` `url` and the reason in `detail`. */
  url: string;
  /** The event types to send. `training.completed`: a training session ended. `evaluation.completed`: an evaluation was saved. `assignment.created`: an assignment was created. `assignment.completed`: an assignment was completed. `member.joined`: a membership started. `member.removed`: a membership ended. `crm.sync.failed`: a CRM sync attempt failed. Duplicates are dropped. */
  events: (
    | 'training.completed'
    | 'evaluation.completed'
    | 'assignment.created'
    | 'assignment.completed'
    | 'member.joined'
    | 'member.removed'
    | 'crm.sync.failed'
  )[];
  /** A text for people. */
  description?: string | null | undefined;
}

export interface WebhookEndpointChanges {
  /** HTTPS, at port 443 or one from 1024 up that is not known for another service (databases, mail, remote desktops and the like), and reachable from the internet: nothing is sent to private addresses. Another URL is 422 with `field` `url` and the reason in `detail`. */
  url?: string | undefined;
  /** The event types to send. `training.completed`: a training session ended. `evaluation.completed`: an evaluation was saved. `assignment.created`: an assignment was created. `assignment.completed`: an assignment was completed. `member.joined`: a membership started. `member.removed`: a membership ended. `crm.sync.failed`: a CRM sync attempt failed. Duplicates are dropped. */
  events?:
    | (
        | 'training.completed'
        | 'evaluation.completed'
        | 'assignment.created'
        | 'assignment.completed'
        | 'member.joined'
        | 'member.removed'
        | 'crm.sync.failed'
      )[]
    | undefined;
  /** Null clears it. */
  description?: string | null | undefined;
  /** `active` or `disabled`; `disabled_failures`, which only the service sets, is refused. `active` lets deliveries that waited go on and starts the three days anew. */
  status?: 'active' | 'disabled' | 'disabled_failures' | undefined;
}

/** The codes that problems have today. */
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

/** What a key may be allowed to do. */
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
  | 'webhooks:manage';

/** The events that the service sends today. */
export type KnownEvent =
  | TrainingCompletedEvent
  | EvaluationCompletedEvent
  | AssignmentCreatedEvent
  | AssignmentCompletedEvent
  | MemberJoinedEvent
  | MemberRemovedEvent
  | CrmSyncFailedEvent
  | PingEvent;
