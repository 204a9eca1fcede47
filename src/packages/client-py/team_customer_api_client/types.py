"""The types of requests and answers. Made from docs/openapi.v1.json by `npm run openapi`."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


FreeFormObject = Dict[str, Any]
"""Any JSON object. The service stores it and returns it unchanged."""


FreeFormValue = Union[Dict[str, Any], List[Any]]
"""Any JSON object or array. The service returns it unchanged."""


KnownAssignmentStatus = Literal["open", "in_progress", "done", "revoked"]
"""The status of an assignment. `revoked`: withdrawn, or its member was removed. The values that are known today."""


AssignmentStatus = Union[KnownAssignmentStatus, str]
"""The status of an assignment. `revoked`: withdrawn, or its member was removed. More values may be added."""


KnownMemberRole = Literal["owner", "admin", "member"]
"""The role of a member in the team. The values that are known today."""


MemberRole = Union[KnownMemberRole, str]
"""The role of a member in the team. More values may be added."""


KnownMemberStatus = Literal["invited", "active"]
"""`active` once the invitation is accepted. The values that are known today."""


MemberStatus = Union[KnownMemberStatus, str]
"""`active` once the invitation is accepted. More values may be added."""


GrantableRole = Literal["admin", "member"]
"""`member` or `admin`; `owner` can not be granted."""


Language = Literal["de", "en"]
"""The language of texts for people."""


KnownTrainingStatus = Literal["running", "ended", "scored", "aborted"]
"""
`scored` once an evaluation was saved; `running` and `ended` may still change. The values that are known
today.
"""


TrainingStatus = Union[KnownTrainingStatus, str]
"""`scored` once an evaluation was saved; `running` and `ended` may still change. More values may be added."""


KnownEventType = Literal["training.completed", "evaluation.completed", "assignment.created", "assignment.completed", "member.joined", "member.removed", "crm.sync.failed", "endpoint.failing", "endpoint.paused", "endpoint.recovered", "audit.recorded"]
"""A type of event to which endpoints can subscribe. The values that are known today."""


EventType = Union[KnownEventType, str]
"""A type of event to which endpoints can subscribe. More values may be added."""


SettableWebhookEndpointStatus = Literal["active", "disabled"]
"""
`active` sends deliveries that waited, and counts failures from zero. `disabled` stops sending.
`disabled_failures` can’t be set.
"""


KnownWebhookDeliveryStatus = Literal["pending", "failed", "ok", "gave_up"]
"""
`pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes.
`ok`: answered with 2xx. `gave_up`: no automatic attempt follows. The values that are known today.
"""


WebhookDeliveryStatus = Union[KnownWebhookDeliveryStatus, str]
"""
`pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes.
`ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added.
"""


SentEventType = Literal["training.completed", "evaluation.completed", "assignment.created", "assignment.completed", "member.joined", "member.removed", "crm.sync.failed", "endpoint.failing", "endpoint.paused", "endpoint.recovered", "audit.recorded", "ping"]
"""A type of event that is sent: one to which endpoints can subscribe, or `ping`."""


DeletionResource = Literal["users", "trainings", "assignments", "cases", "deals", "objections"]
"""The list that had the rows."""


AuditAction = Literal["assignment.created", "assignment.changed", "assignment.reminded", "assignment.deleted", "assistant.connected", "assistant.disconnected", "case.created", "case.changed", "case.shared", "case.deleted", "case.private_cases_deleted", "catalog.item_created", "catalog.item_changed", "catalog.rules_changed", "company_sign_in.set_up", "company_sign_in.changed", "company_sign_in.removed", "crm_connection.created", "crm_connection.changed", "crm_connection.token_renewed", "crm_connection.sync_requested", "crm_connection.paused", "crm_connection.resumed", "crm_connection.credentials_refused", "crm_connection.disconnected", "evaluation.saved", "evaluation.corrected", "invitation.queued", "invitation.canceled", "key.created", "key.reported", "key.rotated", "key.revoked", "member.joined", "member.invited_again", "member.accepted", "member.role_changed", "member.external_id_changed", "member.rights_changed", "member.password_link_made", "member.erased", "member.removed", "passkey.added", "passkey.removed", "password.reset", "policy.team_changed", "policy.member_changed", "second_factor.locked", "sign_in.demand_called_off", "sign_in.demand_planned", "sign_in.demand_changed", "sign_in.locked", "team.created", "team.changed", "team.exported", "team.handed_over", "training.started", "training.ended", "training.aborted", "webhook_deliveries.given_up", "webhook_delivery.retried", "webhook_endpoint.created", "webhook_endpoint.changed", "webhook_endpoint.deleted", "webhook_endpoint.tested", "webhook_endpoint.checked", "webhook_endpoint.warned", "webhook_endpoint.paused", "webhook_endpoint.recovered", "webhook_event.replayed"]
"""An action that the audit log has."""


KnownProblemCode = Literal["bad_request", "unauthorized", "insufficient_scope", "privacy_restricted", "api_disabled", "vorgabe_gesperrt", "not_found", "conflict", "seat_limit_reached", "last_admin", "owner", "validation_error", "idempotency_mismatch", "kombination_ungueltig", "rate_limited", "internal", "unavailable"]
"""Which error it is. It never changes: match on it. The values that are known today."""


ProblemCode = Union[KnownProblemCode, str]
"""Which error it is. It never changes: match on it. More values may be added."""


_InvalidValueOdd = TypedDict("_InvalidValueOdd", {"in": "str"}, total=False)


class InvalidValue(_InvalidValueOdd):
    """One invalid value in a request."""

    path: List[Union[str, int]]
    """The place in the request: keys and indexes from the outside in."""

    code: str
    """Which rule was broken."""

    message: str
    """A sentence for the developer."""


KnownScope = Literal["users:read", "users:write", "trainings:read", "evaluations:read", "assignments:read", "assignments:write", "cases:read", "cases:write", "catalog:read", "analytics:read", "webhooks:manage", "audit:export", "directory:manage"]
"""Something that a key may be allowed to do. The values that are known today."""


Scope = Union[KnownScope, str]
"""Something that a key may be allowed to do. More values may be added."""


class _TrainingCompletedEventDataOptional(TypedDict, total=False):
    user_id: str
    """The person who practised. Absent while `member_detail_enabled` is off."""


class TrainingCompletedEventData(_TrainingCompletedEventDataOptional):
    """The data of `training.completed`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    training_id: str
    """The session, as in `/trainings/{training_id}`."""

    status: Literal["ended"]
    """Not every session gets an evaluation. If it does, `evaluation.completed` follows."""

    source: TrainingSource
    """Where it took place."""

    assignment_id: Optional[str]
    """The assignment that it was practised for."""

    finished_at: str
    """When the session ended."""

    duration_s: int
    """Seconds."""


KnownTrainingSource = Literal["app", "phone", "api"]
"""Where a training took place. The values that are known today."""


TrainingSource = Union[KnownTrainingSource, str]
"""Where a training took place. More values may be added."""


class _EvaluationCompletedEventDataOptional(TypedDict, total=False):
    user_id: str
    """The person who practised. Absent while `member_detail_enabled` is off."""

    score: int
    """The total, 0 to 100. Absent while `member_detail_enabled` is off, and where the evaluation has no total."""


class EvaluationCompletedEventData(_EvaluationCompletedEventDataOptional):
    """The data of `evaluation.completed`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    training_id: str
    """The session; read the rest at `/trainings/{training_id}/evaluation`."""


class _AssignmentEventDataOptional(TypedDict, total=False):
    user_id: str
    """
    The member who has the assignment. Absent while `member_detail_enabled` is off, and until the member
    accepts the invitation.
    """


class AssignmentEventData(_AssignmentEventDataOptional):
    """The data of `assignment.created` and `assignment.completed`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    assignment_id: str
    """The assignment, as in `/assignments/{assignment_id}`."""

    status: AssignmentStatus
    """As it was when this happened."""

    due_date: Optional[str]
    """The day by which it should be done, if it has one."""

    completed_training_id: Optional[str]
    """The training that completed it, if one did."""


class _MemberEventDataOptional(TypedDict, total=False):
    user_id: str
    """
    The person, as sessions and cases name them. Absent while `member_detail_enabled` is off, and until the
    member accepts the invitation.
    """


class MemberEventData(_MemberEventDataOptional):
    """The data of `member.joined` and `member.removed`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    member_id: str
    """The membership, as in `/users/{member_id}`."""

    role: MemberRole
    """The member’s role in the team."""


class CrmSyncFailedEventData(TypedDict):
    """The data of `crm.sync.failed`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    connection_id: str
    """The CRM connection, as the app names it."""

    provider: str
    """The CRM, for instance `hubspot`."""

    reason: str
    """For people: why it failed, at most 1000 characters."""


class EndpointFailingEventData(TypedDict):
    """The data of `endpoint.failing`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    endpoint_id: str
    """The endpoint that the event is about. It does not get the event itself."""

    since: str
    """Since when: the time of its first failed attempt."""

    reason: Optional[str]
    """For people: why its last attempt failed, at most 200 characters."""


class EndpointPausedEventData(TypedDict):
    """The data of `endpoint.paused`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    endpoint_id: str
    """The endpoint that the event is about. It does not get the event itself."""

    since: str
    """Since when: the time of its first failed attempt."""

    reason: Optional[str]
    """For people: why its last attempt failed, at most 200 characters."""


class EndpointRecoveredEventData(TypedDict):
    """The data of `endpoint.recovered`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    endpoint_id: str
    """The endpoint that the event is about. It does not get the event itself."""

    since: str
    """Since when: the time of a successful delivery."""


class AuditRecordedEventDataActor(TypedDict):
    """The actor: `kind` and `id`."""

    kind: AuditActorKind
    """
    `operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs.
    More values may be added.
    """

    id: Optional[str]
    """The key’s id, or the user id of a person."""


class AuditRecordedEventDataTarget(TypedDict):
    """The target: `type` and `id`."""

    type: str
    """For instance `member`, `key` or `webhook_endpoint`."""

    id: Optional[str]
    """Its id."""


class AuditRecordedEventData(TypedDict):
    """The data of `audit.recorded`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    id: str
    """The id of the entry. Use it to detect duplicates."""

    action: str
    """The action, for instance `key.created`. New ones may be added."""

    actor: AuditRecordedEventDataActor
    """The actor: `kind` and `id`."""

    target: AuditRecordedEventDataTarget
    """The target: `type` and `id`."""

    data: Dict[str, Any]
    """The changes, by action. It never contains a secret. Long texts and lists are shortened."""

    request_id: Optional[str]
    """The `X-Request-Id` of the request that did it, if there was one."""

    address: Optional[str]
    """The IP address from which it was done, if it is known."""

    created_at: str
    """When it was done."""


KnownAuditActorKind = Literal["key", "person", "operator", "service"]
"""
`operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs. The
values that are known today.
"""


AuditActorKind = Union[KnownAuditActorKind, str]
"""
`operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs. More
values may be added.
"""


class PingEventData(TypedDict):
    """The data of `ping`."""

    team_id: str
    """The team; the same as `tenant_id`."""

    endpoint_id: str
    """The endpoint that is tested."""


class Me(TypedDict):
    """The key of the request, and its team."""

    tenant_id: str
    """The team that the key belongs to."""

    kind: Optional[KeyKind]
    """The kind of the key."""

    scopes: List[Scope]
    """The scopes of the key."""

    rate_limit_per_min: Optional[int]
    """Requests a minute that all keys of the team share."""

    privacy: PrivacySettings
    """The team’s privacy settings, as far as they concern the API."""


KnownKeyKind = Literal["live"]
"""The kind of a key. The values that are known today."""


KeyKind = Union[KnownKeyKind, str]
"""The kind of a key. More values may be added."""


class PrivacySettings(TypedDict):
    """The team’s privacy settings, as far as they concern the API."""

    member_detail_enabled: bool
    """Whether answers and events contain data that names individual people."""


class AssignmentPage(TypedDict):
    """A page of assignments."""

    data: List[Assignment]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class Assignment(TypedDict):
    """A task for a member: the conversation to practise, and by when."""

    id: str
    """The assignment id: `{assignment_id}` in paths."""

    status: AssignmentStatus
    """The status of an assignment. `revoked`: withdrawn, or its member was removed. More values may be added."""

    title: Optional[str]
    """A short text for people, on one line."""

    situation_id: Optional[str]
    """The situation to practise, from the catalog."""

    personality_id: Optional[str]
    """The personality, from the catalog."""

    industry_id: Optional[str]
    """The industry, from the catalog."""

    member_user_id: Optional[str]
    """The member’s user id; null until they accept the invitation, and while `member_detail_enabled` is off."""

    member_email: Optional[str]
    """The member’s email address; null while `member_detail_enabled` is off."""

    note: Optional[str]
    """A note that the member can read."""

    due_date: Optional[str]
    """The day by which it should be done, if it has one."""

    focus_dimension: Optional[ScoreDimension]
    """The dimension to work on above all."""

    completed_training_id: Optional[str]
    """The training that completed it, if one did."""

    created_at: Optional[str]
    """When it was created."""

    updated_at: str
    """When one of these fields last changed."""


KnownScoreDimension = Literal["closing", "conversation_control", "needs_analysis", "objection_handling", "value_argument"]
"""One of the dimensions in which a conversation is scored. The values that are known today."""


ScoreDimension = Union[KnownScoreDimension, str]
"""One of the dimensions in which a conversation is scored. More values may be added."""


class CreatedAssignments(TypedDict):
    """The results of all items."""

    results: List[AssignmentResult]
    """The results of the items, in the same order."""


class _AssignmentResultOptional(TypedDict, total=False):
    assignment: Assignment
    """The new assignment, if it was created (status 201)."""

    problem: Problem
    """Why the assignment was not created."""


class AssignmentResult(_AssignmentResultOptional):
    """The result of one item: the new assignment, or the problem."""

    status: int
    """The HTTP status that `POST /assignments` with this item would have."""


class Done(TypedDict):
    """The action was done."""

    ok: Literal[True]
    """Always true: otherwise the answer is a problem."""


class CasePage(TypedDict):
    """A page of cases."""

    data: List[Case]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class Case(TypedDict):
    """A customer situation that the whole team can practise with."""

    id: str
    """The case id: `{case_id}` in paths."""

    user_id: str
    """The `user_id` of the member to whom the case belongs."""

    title: Optional[str]
    """A short text for people, on one line."""

    persona_id: Optional[str]
    """An id of your own, not from the catalog."""

    fields: Optional[FreeFormValue]
    """Free-form."""

    external_ref: Optional[FreeFormObject]
    """Free-form, for instance an id in another system."""

    created_at: Optional[str]
    """When it was created."""

    updated_at: str
    """When one of these fields last changed, or the case was shared with the team."""


class MemberPage(TypedDict):
    """A page of members."""

    data: List[Member]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class _MemberOptional(TypedDict, total=False):
    email: str
    """The email address. Only while `member_detail_enabled` is on."""

    name: Optional[str]
    """
    The person’s name; null until the invitation is accepted, or if there is none. Only while
    `member_detail_enabled` is on.
    """

    external_id: Optional[str]
    """
    The id of the person in your own system; null if you have given none. Only while `member_detail_enabled`
    is on.
    """


class Member(_MemberOptional):
    """Somebody’s membership in the team."""

    id: str
    """The member id: `{member_id}` in paths."""

    user_id: Optional[str]
    """The person’s user id; null until the invitation is accepted."""

    role: MemberRole
    """The role of a member in the team. More values may be added."""

    status: MemberStatus
    """`active` once the invitation is accepted. More values may be added."""

    joined_at: Optional[str]
    """When the person joined; null until the invitation is accepted."""

    updated_at: str
    """When one of these fields last changed."""


class TeamAnalytics(TypedDict):
    """Figures of the team, its skill gaps and its trend."""

    totals: TeamTotals
    """The trainings of all active members together."""

    dimensions: List[DimensionMean]
    """All five, in alphabetical order."""

    skill_gaps: List[ScoreDimension]
    """The dimensions whose mean is below 60, lowest first."""

    trend: List[TrendWeek]
    """
    The last 12 ISO weeks in UTC, oldest first. The last one is the week of `until`, or the current week.
    `since` does not shorten it.
    """

    members: List[MemberMeans]
    """
    An entry for each active member with an ended training, best mean first, without the member’s identity.
    Empty unless member details and leaderboard are on and there are at least five such members.
    """


class TeamTotals(TypedDict):
    """The trainings of all active members together."""

    active_members: Optional[int]
    """Active members now, the owner and admins included; `since` and `until` do not change it."""

    scored: Optional[int]
    """Trainings with an evaluation."""

    sessions: Optional[int]
    """Trainings that ended, scored or not."""

    avg_score: Optional[float]
    """The mean of their total scores, to one decimal; null for none."""


class DimensionMean(TypedDict):
    """The team’s mean in one dimension."""

    dimension: Optional[ScoreDimension]
    """The dimension."""

    value: Optional[float]
    """The mean of the dimension, to one decimal; null for none."""


class TrendWeek(TypedDict):
    """One week of the trend."""

    score: Optional[int]
    """The week’s mean total, to an integer; null for none."""


class MemberMeans(TypedDict):
    """The figures of one member, without a name or an id."""

    sessions: int
    """Trainings that ended."""

    avg_score: Optional[float]
    """The mean of the total scores, to one decimal; null for none."""

    trend_delta: Optional[float]
    """
    The mean of the last 30 days (UTC, today or `until` included) less that of the 30 days before, to one
    decimal; null if either mean has no score.
    """


class CrmDealPage(TypedDict):
    """A page of deals."""

    data: List[CrmDeal]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class _CrmDealOptional(TypedDict, total=False):
    owner_user_id: Optional[str]
    """
    The owner of the deal, where the sync recognised a person of the team. Only while `member_detail_enabled`
    is on.
    """


class CrmDeal(_CrmDealOptional):
    """A deal, as the last sync of the CRM found it."""

    id: str
    """The deal’s id in this service."""

    external_id: str
    """The deal’s id in the CRM."""

    outcome: CrmDealOutcome
    """The result of a deal: `open` while it has none. More values may be added."""

    title: Optional[str]
    """The deal’s name in the CRM."""

    amount: Optional[str]
    """Decimal text, exactly as the CRM has it."""

    currency: Optional[str]
    """The currency of `amount`, as in ISO 4217."""

    close_date: Optional[str]
    """A day, as `YYYY-MM-DD`."""

    probability: Optional[int]
    """The probability of winning it, in per cent."""

    pipeline_id: Optional[str]
    """The pipeline’s id in the CRM."""

    stage_id: Optional[str]
    """The stage’s id in the CRM."""

    industry_id: Optional[str]
    """The industry, from the catalog; null if the sync found no match."""

    lost_reason: Optional[str]
    """Why it was lost, as the CRM has it."""

    last_activity_at: Optional[str]
    """The time of its last activity, as the CRM has it."""

    synced_at: Optional[str]
    """The start of the last sync that found it."""

    updated_at: str
    """When one of these fields, `synced_at` included, last changed."""


KnownCrmDealOutcome = Literal["open", "won", "lost"]
"""The result of a deal: `open` while it has none. The values that are known today."""


CrmDealOutcome = Union[KnownCrmDealOutcome, str]
"""The result of a deal: `open` while it has none. More values may be added."""


class CrmObjectionPage(TypedDict):
    """A page of objections."""

    data: List[CrmObjection]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class CrmObjection(TypedDict):
    """An objection of a customer in a deal."""

    id: str
    """The objection’s id in this service."""

    deal_id: str
    """The id of the deal that it came up in."""

    category: str
    """The kind of objection, such as `price`."""

    text: str
    """The text of the objection, from the CRM."""

    lang: str
    """The language of the text."""

    created_at: Optional[str]
    """When it was raised."""

    updated_at: str
    """When one of these fields last changed."""


class Catalog(TypedDict):
    """The items with which the team can practise, by dimension."""

    situation: List[CatalogEntry]
    """The kinds of conversations to practise."""

    personality: List[CatalogEntry]
    """The characters of the person on the other side."""

    industry: List[CatalogEntry]
    """Where the other side works."""

    role: List[CatalogEntry]
    """The jobs of the person on the other side."""

    methodology: List[CatalogEntry]
    """The sales methods by which a conversation is evaluated."""


class CatalogEntry(TypedDict):
    """An item of the catalog."""

    id: str
    """The item’s id, as assignments and trainings name it."""

    name: Optional[str]
    """The name, in the language of `Accept-Language` or else the other one."""

    icon: Optional[str]
    """The name of a Tabler icon."""


class TrainingPage(TypedDict):
    """A page of trainings."""

    data: List[ListedTraining]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class _ListedTrainingOptional(TypedDict, total=False):
    evaluation: Optional[Evaluation]
    """Only with `include=evaluation`: the evaluation; null until the session is scored."""


class ListedTraining(_ListedTrainingOptional):
    """A training in a list, with its evaluation if it was asked for."""

    id: str
    """The training id: `{training_id}` in paths."""

    user_id: str
    """The person who practised."""

    status: TrainingStatus
    """`scored` once an evaluation was saved; `running` and `ended` may still change. More values may be added."""

    source: TrainingSource
    """Where it took place."""

    assignment_id: Optional[str]
    """The assignment that it was practised for."""

    created_at: Optional[str]
    """When it started."""

    finished_at: Optional[str]
    """When it ended; null while it runs."""

    duration_s: Optional[int]
    """The length of the conversation in seconds."""

    external_ref: Optional[FreeFormObject]
    """Free-form, for instance an id in another system."""

    situation_id: Optional[str]
    """The situation, from the catalog."""

    personality_id: Optional[str]
    """The personality, from the catalog."""

    industry_id: Optional[str]
    """The industry, from the catalog."""

    role_id: Optional[str]
    """The role, from the catalog."""

    updated_at: str
    """When it last changed, or its evaluation was last saved."""


class Evaluation(TypedDict):
    """The score of a training, and tips."""

    training_id: str
    """The training that was evaluated."""

    user_id: str
    """The person who practised."""

    score: Score
    """The score of a conversation."""

    tips: List[Tip]
    """Improvements, the most important first."""

    goal: Optional[TrainingGoal]
    """Whether the goal of the conversation was reached; null for none."""

    methodology: Optional[str]
    """The methodology, from the catalog."""

    strongest: Optional[str]
    """The strongest point."""

    biggest_lever: Optional[str]
    """The change that would help most."""


class Score(TypedDict):
    """The score of a conversation."""

    dimensions: DimensionScores
    """The points for each dimension."""

    total: Optional[int]
    """The points for the whole conversation."""

    spread: Optional[float]
    """The best dimension less the weakest."""


class DimensionScores(TypedDict):
    """The points for each dimension."""

    closing: int
    """How well the next step was agreed."""

    conversation_control: int
    """How well the conversation was led."""

    needs_analysis: int
    """How well the need was found out."""

    objection_handling: int
    """How well objections were answered."""

    value_argument: int
    """How well the benefit was argued."""


class Tip(TypedDict):
    """An improvement for one moment of the conversation."""

    issue: str
    """The weak point."""

    moment: str
    """The moment of the conversation."""

    principle: str
    """The principle that applies."""

    rewrite: str
    """A better wording for that moment."""

    impact: str
    """The effect of the better wording."""


KnownTrainingGoal = Literal["reached", "partial", "missed"]
"""Whether the goal of a conversation was reached. The values that are known today."""


TrainingGoal = Union[KnownTrainingGoal, str]
"""Whether the goal of a conversation was reached. More values may be added."""


class Training(TypedDict):
    """One practised conversation: metadata, no transcript."""

    id: str
    """The training id: `{training_id}` in paths."""

    user_id: str
    """The person who practised."""

    status: TrainingStatus
    """`scored` once an evaluation was saved; `running` and `ended` may still change. More values may be added."""

    source: TrainingSource
    """Where it took place."""

    assignment_id: Optional[str]
    """The assignment that it was practised for."""

    created_at: Optional[str]
    """When it started."""

    finished_at: Optional[str]
    """When it ended; null while it runs."""

    duration_s: Optional[int]
    """The length of the conversation in seconds."""

    external_ref: Optional[FreeFormObject]
    """Free-form, for instance an id in another system."""

    situation_id: Optional[str]
    """The situation, from the catalog."""

    personality_id: Optional[str]
    """The personality, from the catalog."""

    industry_id: Optional[str]
    """The industry, from the catalog."""

    role_id: Optional[str]
    """The role, from the catalog."""

    updated_at: str
    """When it last changed, or its evaluation was last saved."""


class WebhookEndpointList(TypedDict):
    """All endpoints of the team."""

    data: List[WebhookEndpoint]
    """The entries."""


class WebhookEndpoint(TypedDict):
    """A URL to which events of the team are sent."""

    id: str
    """The endpoint id: `{endpoint_id}` in paths."""

    url: str
    """The normalised URL."""

    events: List[EventType]
    """Subscribed event types."""

    status: WebhookEndpointStatus
    """
    `disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery
    failed. More values may be added.
    """

    api_version: str
    """The shape of its events, as year-month."""

    description: Optional[str]
    """A text for people."""

    headers: Dict[str, None]
    """The names of the headers that you add to its requests. Their values are never shown, so each is null."""

    created_at: Optional[str]
    """When it was created."""

    last_success_at: Optional[str]
    """When a delivery was last answered with 2xx."""


KnownWebhookEndpointStatus = Literal["active", "disabled", "disabled_failures"]
"""
`disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery failed.
The values that are known today.
"""


WebhookEndpointStatus = Union[KnownWebhookEndpointStatus, str]
"""
`disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery failed.
More values may be added.
"""


class CreatedWebhookEndpoint(TypedDict):
    """A new endpoint, with its secret."""

    id: str
    """The endpoint id: `{endpoint_id}` in paths."""

    url: str
    """The normalised URL."""

    events: List[EventType]
    """Subscribed event types."""

    status: WebhookEndpointStatus
    """
    `disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery
    failed. More values may be added.
    """

    api_version: str
    """The shape of its events, as year-month."""

    description: Optional[str]
    """A text for people."""

    headers: Dict[str, None]
    """The names of the headers that you add to its requests. Their values are never shown, so each is null."""

    created_at: Optional[str]
    """When it was created."""

    last_success_at: Optional[str]
    """When a delivery was last answered with 2xx."""

    secret: str
    """The secret with which its events are signed. It is shown only here, so store it."""


class StartedWebhookDelivery(TypedDict):
    """A delivery that was just started."""

    delivery_id: str
    """The id of the delivery. Its outcome is in the list of deliveries."""

    status: WebhookDeliveryStatus
    """
    `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes.
    `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added.
    """


class WebhookCheck(TypedDict):
    """A check of an endpoint’s receiver."""

    id: str
    """The id of the check."""

    status: str
    """
    `running`, `completed`, or `failed`: the service could not complete it within 5 minutes. More values may
    be added.
    """

    grade: Optional[WebhookCheckVerdict]
    """The worst verdict; null unless `completed`."""

    created_at: str
    """When the check was started."""

    completed_at: Optional[str]
    """When the last probe was answered."""

    probes: List[WebhookCheckProbe]
    """Its requests, in the order in which they are sent."""


KnownWebhookCheckVerdict = Literal["passed", "improvable", "failed"]
"""
The verdict on a receiver’s answer: `improvable` is safe, but should be better. The values that are known
today.
"""


WebhookCheckVerdict = Union[KnownWebhookCheckVerdict, str]
"""The verdict on a receiver’s answer: `improvable` is safe, but should be better. More values may be added."""


class WebhookCheckProbe(TypedDict):
    """One request of a check, and what the receiver did with it."""

    probe: str
    """
    The request that was sent, as in its header `Svc-Check`. `valid`: a genuine ping. `duplicate`: the same
    event again. `unknown_type`: a type that no receiver knows. `large`: a body of 16 KiB. `slow`: a body that
    arrives over two seconds. `tampered`: a body that was changed after it was signed. `stale`: a signature
    that is ten minutes old. `wrong_secret`: a signature with another secret. More values may be added.
    """

    expected: WebhookCheckOutcome
    """The outcome with a good receiver: `accepted` or `refused`."""

    outcome: Optional[WebhookCheckOutcome]
    """The outcome with this receiver. Null if the request was not sent (yet)."""

    verdict: Optional[WebhookCheckVerdict]
    """The verdict on the outcome. Null if the request was not sent (yet)."""

    response_code: Optional[int]
    """The HTTP status of the answer."""

    response_ms: Optional[int]
    """The time until the answer, in milliseconds."""

    error: Optional[str]
    """Why there was no whole answer."""

    advice: Optional[str]
    """The advice on what to change, in the language of `Accept-Language`."""

    docs_url: Optional[str]
    """Where the documentation explains it."""


KnownWebhookCheckOutcome = Literal["accepted", "refused", "redirected", "server_error", "no_answer"]
"""
A receiver’s answer: 2xx, 4xx, 3xx, 5xx, or no complete one within 10 seconds (in the order of the values).
The values that are known today.
"""


WebhookCheckOutcome = Union[KnownWebhookCheckOutcome, str]
"""
A receiver’s answer: 2xx, 4xx, 3xx, 5xx, or no complete one within 10 seconds (in the order of the values).
More values may be added.
"""


class WebhookRecovery(TypedDict):
    """The missed events that are sent."""

    recovered: int
    """The number of events that are sent; with `dry_run`, that would be sent."""

    older: int
    """
    The number of missed events that are older than the endpoint, counted up to 10000. They are in `recovered`
    only with `include_older`.
    """

    more: bool
    """Whether more missed events are left: repeat the request, with the same `since`."""


class WebhookCheckList(TypedDict):
    """The newest checks of an endpoint’s receiver."""

    data: List[WebhookCheck]
    """The entries."""


class WebhookDeliveryList(TypedDict):
    """The newest deliveries to an endpoint."""

    data: List[WebhookDelivery]
    """The entries."""


class WebhookDelivery(TypedDict):
    """One event for one endpoint, until it is `ok` or `gave_up`."""

    id: str
    """The delivery id: `{delivery_id}` in paths."""

    attempt: int
    """Attempts made; 0 before the first."""

    status: WebhookDeliveryStatus
    """
    `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes.
    `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added.
    """

    event_id: str
    """The id of its event, as in the body, the headers of the request and the event feed."""

    event_type: Optional[str]
    """The type of its event, or `ping`."""

    created_at: Optional[str]
    """When it was created."""

    next_try_at: Optional[str]
    """When the next attempt is due; null if none follows."""

    response_code: Optional[int]
    """
    The HTTP status of the last attempt’s answer. The other `response_` fields, `error` and `member_detail`
    are of that attempt, too.
    """

    response_excerpt: Optional[str]
    """
    The answer’s body, cut to 1000 characters. Null also while `member_detail_enabled` is off if
    `member_detail` is true: a receiver may repeat the request.
    """

    response_ms: Optional[int]
    """The time until the answer, in milliseconds."""

    error: Optional[str]
    """Why there was no whole answer."""

    member_detail: Optional[bool]
    """
    Whether the request of the last attempt had member details, for instance `user_id` or `score`. Null before
    the first.
    """


class TeamWebhookDeliveryPage(TypedDict):
    """A page of deliveries."""

    data: List[TeamWebhookDelivery]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class TeamWebhookDelivery(TypedDict):
    """A delivery, with its endpoint."""

    id: str
    """The delivery id: `{delivery_id}` in paths."""

    attempt: int
    """Attempts made; 0 before the first."""

    status: WebhookDeliveryStatus
    """
    `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes.
    `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added.
    """

    event_id: str
    """The id of its event, as in the body, the headers of the request and the event feed."""

    event_type: Optional[str]
    """The type of its event, or `ping`."""

    created_at: Optional[str]
    """When it was created."""

    next_try_at: Optional[str]
    """When the next attempt is due; null if none follows."""

    response_code: Optional[int]
    """
    The HTTP status of the last attempt’s answer. The other `response_` fields, `error` and `member_detail`
    are of that attempt, too.
    """

    response_excerpt: Optional[str]
    """
    The answer’s body, cut to 1000 characters. Null also while `member_detail_enabled` is off if
    `member_detail` is true: a receiver may repeat the request.
    """

    response_ms: Optional[int]
    """The time until the answer, in milliseconds."""

    error: Optional[str]
    """Why there was no whole answer."""

    member_detail: Optional[bool]
    """
    Whether the request of the last attempt had member details, for instance `user_id` or `score`. Null before
    the first.
    """

    endpoint_id: str
    """Its endpoint."""


class WebhookDeliveryWithAttempts(TypedDict):
    """A delivery, with its attempts."""

    id: str
    """The delivery id: `{delivery_id}` in paths."""

    attempt: int
    """Attempts made; 0 before the first."""

    status: WebhookDeliveryStatus
    """
    `pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes.
    `ok`: answered with 2xx. `gave_up`: no automatic attempt follows. More values may be added.
    """

    event_id: str
    """The id of its event, as in the body, the headers of the request and the event feed."""

    event_type: Optional[str]
    """The type of its event, or `ping`."""

    created_at: Optional[str]
    """When it was created."""

    next_try_at: Optional[str]
    """When the next attempt is due; null if none follows."""

    response_code: Optional[int]
    """
    The HTTP status of the last attempt’s answer. The other `response_` fields, `error` and `member_detail`
    are of that attempt, too.
    """

    response_excerpt: Optional[str]
    """
    The answer’s body, cut to 1000 characters. Null also while `member_detail_enabled` is off if
    `member_detail` is true: a receiver may repeat the request.
    """

    response_ms: Optional[int]
    """The time until the answer, in milliseconds."""

    error: Optional[str]
    """Why there was no whole answer."""

    member_detail: Optional[bool]
    """
    Whether the request of the last attempt had member details, for instance `user_id` or `score`. Null before
    the first.
    """

    endpoint_id: str
    """Its endpoint."""

    attempts: List[WebhookAttempt]
    """Its attempts, the newest first; at most 50."""


class WebhookAttempt(TypedDict):
    """One request of a delivery."""

    number: int
    """Its number among the attempts of this delivery."""

    manual: bool
    """Whether it was started by hand, not by the schedule."""

    started_at: str
    """When it began."""

    url: str
    """The URL of the endpoint at that time."""

    request_headers: Dict[str, str]
    """The headers that were sent; the values of your own headers are replaced by `[redacted]`."""

    response_code: Optional[int]
    """The HTTP status of the answer."""

    response_headers: Optional[Dict[str, str]]
    """
    The headers of the answer, as many as are stored. Null also while `member_detail_enabled` is off if
    `member_detail` is true: a receiver may repeat the request.
    """

    response_excerpt: Optional[str]
    """
    The answer’s body, cut to 1000 characters. Null also while `member_detail_enabled` is off if
    `member_detail` is true: a receiver may repeat the request.
    """

    response_ms: Optional[int]
    """The time until the answer, in milliseconds."""

    error: Optional[str]
    """Why there was no whole answer."""

    member_detail: bool
    """Whether the request had member details, for instance `user_id` or `score`."""


class EventPage(TypedDict):
    """A page of the event feed."""

    data: List[Event]
    """The events of this page."""

    next_cursor: str
    """
    Where to go on. Unlike in lists it is never null, because a feed has no end: store it once you have
    processed the page, and send it as `cursor` in the next request.
    """

    has_more: bool
    """
    True: further events may be read at once. False: this was the end of the feed for now; ask again later, or
    with `wait`.
    """

    has_gap: bool
    """
    True: events after the cursor were deleted because of their age before this request. The page goes on with
    the oldest event that is kept. Read what you copied from the lists again.
    """


class _EventDataOptional(TypedDict, total=False):
    user_id: str
    """The person. Present only if `member_detail_enabled` is on, and was on when the event happened."""

    score: int
    """
    The total of the evaluation. Present only if `member_detail_enabled` is on, and was on when the event
    happened.
    """


class EventData(_EventDataOptional):
    """The details of the event: the `data` of the webhook of the same type."""

    team_id: str
    """The team; the same as `tenant_id`."""


class Event(TypedDict):
    """An event, exactly as webhooks deliver it."""

    id: str
    """The id of the event, the same as in webhooks. Use it to detect duplicates."""

    type: str
    """The event type. It determines the fields of `data`. New types may be added."""

    created_at: str
    """When it happened."""

    api_version: str
    """The shape of `data`, as year-month."""

    tenant_id: str
    """The team."""

    data: EventData
    """The details of the event: the `data` of the webhook of the same type."""


class DeletionPage(TypedDict):
    """A page of deletions."""

    data: List[Deletion]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class Deletion(TypedDict):
    """A row that a list no longer has."""

    id: str
    """The id that the row had."""

    deleted_at: str
    """When it was deleted, or the membership ended."""


class AuditEntryPage(TypedDict):
    """A page of the audit log."""

    data: List[AuditEntry]
    """The entries of this page."""

    next_cursor: Optional[str]
    """Send it as `cursor` to get the next page, with the same filters. Null on the last page."""


class AuditEntry(TypedDict):
    """An entry of the audit log: who did what, when and from where."""

    id: str
    """The id of the entry. Use it to detect duplicates."""

    action: str
    """The action, for instance `key.created`. New ones may be added."""

    actor: AuditActor
    """The actor of an entry."""

    target: AuditTarget
    """The target of an entry: the thing that was changed."""

    data: Dict[str, Any]
    """The changes, by action. It never contains a secret. Long texts and lists are shortened."""

    names: Dict[str, str]
    """The present names of things whose ids are in `data`, by id."""

    request_id: Optional[str]
    """The `X-Request-Id` of the request that did it, if there was one."""

    address: Optional[str]
    """The IP address from which it was done, if it is known."""

    created_at: str
    """When it was done."""


class AuditActor(TypedDict):
    """The actor of an entry."""

    kind: AuditActorKind
    """
    `operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs.
    More values may be added.
    """

    id: Optional[str]
    """The key’s id, or the user id of a person."""

    name: Optional[str]
    """
    Its present name; if a person has no name, the email address. Null for a person while
    `member_detail_enabled` is off.
    """


class AuditTarget(TypedDict):
    """The target of an entry: the thing that was changed."""

    type: str
    """For instance `member`, `key` or `webhook_endpoint`."""

    id: Optional[str]
    """Its id."""

    name: Optional[str]
    """
    Its present name; null if it has none or was deleted. Null for a person while `member_detail_enabled` is
    off.
    """


class _ProblemOptional(TypedDict, total=False):
    detail: str
    """English diagnostic; only on some 4xx."""

    errors: List[InvalidValue]
    """Only with `validation_error` raised while the request was read."""

    field: str
    """Only with `validation_error` raised by a rule: the field."""

    dimension: str
    """Only with `kombination_ungueltig`: the catalog dimension."""

    id: str
    """Only with `kombination_ungueltig`: the unknown or invisible id."""

    required_scope: Scope
    """Only with `insufficient_scope`."""

    retry_after: int
    """Seconds; only with `rate_limited`."""


class Problem(_ProblemOptional):
    """An error (RFC 9457)."""

    type: str
    """Opens the page about this error."""

    title: str
    """A short text for people, in the language of `Accept-Language`."""

    status: int
    """The HTTP status of the answer."""

    code: ProblemCode
    """Which error it is. It never changes: match on it. More values may be added."""

    request_id: str
    """The id of the request, for support. Also in `X-Request-Id`."""


class TrainingCompletedEvent(TypedDict):
    """Sent when a training session ended."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["training.completed"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: TrainingCompletedEventData
    """The data of `training.completed`."""


class EvaluationCompletedEvent(TypedDict):
    """Sent when an evaluation was saved."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["evaluation.completed"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: EvaluationCompletedEventData
    """The data of `evaluation.completed`."""


class AssignmentCreatedEvent(TypedDict):
    """Sent when an assignment was created through the API."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["assignment.created"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: AssignmentEventData
    """The data of `assignment.created` and `assignment.completed`."""


class AssignmentCompletedEvent(TypedDict):
    """Sent when an assignment was set to `done` through the API."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["assignment.completed"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: AssignmentEventData
    """The data of `assignment.created` and `assignment.completed`."""


class MemberJoinedEvent(TypedDict):
    """Sent when a membership started."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["member.joined"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: MemberEventData
    """The data of `member.joined` and `member.removed`."""


class MemberRemovedEvent(TypedDict):
    """Sent when a membership ended."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["member.removed"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: MemberEventData
    """The data of `member.joined` and `member.removed`."""


class CrmSyncFailedEvent(TypedDict):
    """Sent when a CRM sync attempt failed."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["crm.sync.failed"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: CrmSyncFailedEventData
    """The data of `crm.sync.failed`."""


class EndpointFailingEvent(TypedDict):
    """Sent when another webhook endpoint of the team has been failing for a while."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["endpoint.failing"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: EndpointFailingEventData
    """The data of `endpoint.failing`."""


class EndpointPausedEvent(TypedDict):
    """Sent when another webhook endpoint of the team was paused."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["endpoint.paused"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: EndpointPausedEventData
    """The data of `endpoint.paused`."""


class EndpointRecoveredEvent(TypedDict):
    """Sent when another webhook endpoint of the team works again."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["endpoint.recovered"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: EndpointRecoveredEventData
    """The data of `endpoint.recovered`."""


class AuditRecordedEvent(TypedDict):
    """Sent when an action was recorded in the audit log."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["audit.recorded"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: AuditRecordedEventData
    """The data of `audit.recorded`."""


class PingEvent(TypedDict):
    """Sent when an endpoint is tested."""

    id: str
    """The id of the event, the same in every attempt. Use it to detect duplicates."""

    type: Literal["ping"]
    """The event type. It determines the fields of `data`."""

    created_at: str
    """When it happened."""

    api_version: str
    """The version that the endpoint was created with."""

    tenant_id: str
    """The team."""

    data: PingEventData
    """The data of `ping`."""


class _NewAssignmentOptional(TypedDict, total=False):
    note: Optional[str]
    """A note that the member can read."""

    due_date: Optional[str]
    """The day by which it should be done. With a day in the past the assignment is overdue at once."""


class NewAssignment(_NewAssignmentOptional):
    """The body of `POST /assignments`."""

    member_id: str
    """The id of a member of this team, invited or active."""

    title: str
    """A short text for people, on one line: the app shows line breaks as spaces."""

    situation_id: str
    """The situation to practise, from the catalog."""

    personality_id: str
    """The personality, from the catalog."""

    industry_id: str
    """The industry, from the catalog."""


class NewAssignments(TypedDict):
    """The body of `POST /assignments/bulk`."""

    items: List[NewAssignment]
    """The bodies of `POST /assignments`, one for each assignment."""


class AssignmentChanges(TypedDict, total=False):
    """The body of `PATCH /assignments/{assignment_id}`."""

    status: KnownAssignmentStatus
    """Any status may follow any other."""

    note: Optional[str]
    """Null clears it."""

    due_date: Optional[str]
    """Null clears it. It may be a day in the past."""


class _NewCaseOptional(TypedDict, total=False):
    title: Optional[str]
    """A short text for people, on one line."""

    fields: Optional[FreeFormObject]
    """Free-form. Numbers come back digit by digit. At most 64 KiB of JSON."""

    persona_id: Optional[str]
    """An id of your own, not from the catalog."""

    external_ref: Optional[FreeFormObject]
    """Free-form, for instance an id in your system. At most 64 KiB of JSON."""


class NewCase(_NewCaseOptional):
    """The body of `POST /cases`."""

    user_id: str
    """The user id of an active member of this team."""


class CaseChanges(TypedDict, total=False):
    """The body of `PATCH /cases/{case_id}`."""

    title: Optional[str]
    """A short text for people, on one line."""

    fields: Optional[FreeFormObject]
    """Free-form. Numbers come back digit by digit. At most 64 KiB of JSON."""

    persona_id: Optional[str]
    """An id of your own, not from the catalog."""

    external_ref: Optional[FreeFormObject]
    """Free-form, for instance an id in your system. At most 64 KiB of JSON."""


class _NewMemberOptional(TypedDict, total=False):
    role: GrantableRole
    """`member` or `admin`; `owner` can not be granted."""

    external_id: Optional[str]
    """The id of the person in your own system. No other invited or active member of the team may have it."""

    lang: Optional[Language]
    """The invitation’s language; by default the team’s."""


class NewMember(_NewMemberOptional):
    """The body of `POST /users`."""

    email: str
    """An email address. Compared without case; a domain may be written in Unicode or in ASCII."""


class _MemberChangesOptional(TypedDict, total=False):
    external_id: Optional[str]
    """
    The id of the person in your own system; null removes it. Without this field the id stays as it is. No
    other invited or active member of the team may have it.
    """


class MemberChanges(_MemberChangesOptional):
    """The body of `PATCH /users/{member_id}`."""

    role: GrantableRole
    """`member` or `admin`; `owner` can not be granted."""


class _NewWebhookEndpointOptional(TypedDict, total=False):
    description: Optional[str]
    """A text for people."""

    headers: Optional[Dict[str, str]]
    """
    Up to 10 headers that are added to every request to this endpoint, for instance for a gateway. A value has
    visible ASCII characters, and spaces between them. Names that HTTP or the signature uses are refused: 422
    with `field` `headers`. Values are stored encrypted and never shown.
    """


class NewWebhookEndpoint(_NewWebhookEndpointOptional):
    """The body of `POST /webhook-endpoints`."""

    url: str
    """
    HTTPS, at port 443 or one from 1024 up that is not known for another service (databases, mail, remote
    desktops and the like), and reachable from the internet: nothing is sent to private addresses. Any other
    URL is 422 with `field` `url` and the reason in `detail`.
    """

    events: List[KnownEventType]
    """
    The event types to send. `training.completed`: a training session ended. `evaluation.completed`: an
    evaluation was saved. `assignment.created`: an assignment was created through the API.
    `assignment.completed`: an assignment was set to `done` through the API. `member.joined`: a membership
    started. `member.removed`: a membership ended. `crm.sync.failed`: a CRM sync attempt failed.
    `endpoint.failing`: another webhook endpoint of the team has been failing for a while. `endpoint.paused`:
    another webhook endpoint of the team was paused. `endpoint.recovered`: another webhook endpoint of the
    team works again. `audit.recorded`: an action was recorded in the audit log. Duplicates are dropped.
    """


class WebhookEndpointChanges(TypedDict, total=False):
    """The body of `PATCH /webhook-endpoints/{endpoint_id}`."""

    url: str
    """
    HTTPS, at port 443 or one from 1024 up that is not known for another service (databases, mail, remote
    desktops and the like), and reachable from the internet: nothing is sent to private addresses. Any other
    URL is 422 with `field` `url` and the reason in `detail`.
    """

    events: List[KnownEventType]
    """
    The event types to send. `training.completed`: a training session ended. `evaluation.completed`: an
    evaluation was saved. `assignment.created`: an assignment was created through the API.
    `assignment.completed`: an assignment was set to `done` through the API. `member.joined`: a membership
    started. `member.removed`: a membership ended. `crm.sync.failed`: a CRM sync attempt failed.
    `endpoint.failing`: another webhook endpoint of the team has been failing for a while. `endpoint.paused`:
    another webhook endpoint of the team was paused. `endpoint.recovered`: another webhook endpoint of the
    team works again. `audit.recorded`: an action was recorded in the audit log. Duplicates are dropped.
    """

    description: Optional[str]
    """Null clears it."""

    headers: Optional[Dict[str, str]]
    """
    Replaces all headers of your own; null removes them. If `url` changes, even only its path or query, send
    the headers again: otherwise 422 with `field` `headers`.
    """

    status: SettableWebhookEndpointStatus
    """
    `active` sends deliveries that waited, and counts failures from zero. `disabled` stops sending.
    `disabled_failures` can’t be set.
    """


class _NewWebhookRecoveryOptional(TypedDict, total=False):
    include_older: bool
    """Sends events that are older than the endpoint, too."""

    dry_run: bool
    """Only counts: sends nothing."""


class NewWebhookRecovery(_NewWebhookRecoveryOptional):
    """The body of `POST /webhook-endpoints/{endpoint_id}/recover`."""

    since: str
    """Events that were created at this time or later."""


KnownEvent = Union[TrainingCompletedEvent, EvaluationCompletedEvent, AssignmentCreatedEvent, AssignmentCompletedEvent, MemberJoinedEvent, MemberRemovedEvent, CrmSyncFailedEvent, EndpointFailingEvent, EndpointPausedEvent, EndpointRecoveredEvent, AuditRecordedEvent, PingEvent]
"""The events that the service sends today."""
