"""The methods of the client. Made from docs/openapi.v1.json by `npm run openapi`."""

from __future__ import annotations

import threading
from datetime import date, datetime
from typing import Any, List, Literal, Optional, Sequence, Union

from ._answer import OnAnswer, Options
from ._entries import Entries
from ._events import EventStream, FeedPage, OnRetry
from ._export import Export
from ._send import Sender, segment
from .types import (
    Assignment,
    AssignmentChanges,
    AssignmentPage,
    AssignmentResult,
    AuditAction,
    AuditEntry,
    AuditEntryPage,
    Case,
    CaseChanges,
    CasePage,
    Catalog,
    CreatedAssignments,
    CreatedWebhookEndpoint,
    CrmDeal,
    CrmDealPage,
    CrmObjection,
    CrmObjectionPage,
    Deletion,
    DeletionPage,
    DeletionResource,
    Done,
    Evaluation,
    Event,
    KnownAssignmentStatus,
    KnownMemberRole,
    KnownMemberStatus,
    KnownTrainingStatus,
    KnownWebhookDeliveryStatus,
    ListedTraining,
    Me,
    Member,
    MemberChanges,
    MemberPage,
    NewAssignment,
    NewCase,
    NewMember,
    NewWebhookEndpoint,
    NewWebhookRecovery,
    SentEventType,
    StartedWebhookDelivery,
    TeamAnalytics,
    TeamWebhookDelivery,
    TeamWebhookDeliveryPage,
    Training,
    TrainingPage,
    WebhookCheck,
    WebhookCheckList,
    WebhookDelivery,
    WebhookDeliveryList,
    WebhookDeliveryWithAttempts,
    WebhookEndpoint,
    WebhookEndpointChanges,
    WebhookEndpointList,
    WebhookRecovery,
)
from .webhooks import WebhookEvent


class UsersResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        email: Optional[str] = None,
        external_id: Optional[str] = None,
        role: Optional[KnownMemberRole] = None,
        status: Optional[KnownMemberStatus] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[MemberPage] = None,
    ) -> Entries[Member, MemberPage]:
        """
        List members.

        All members and invitations: the owner first, then by joining or invitation date. With
        `updated_since`, only members that changed since, in the order of their changes.

        `GET /users`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - email: Only the member with this address, compared without case. Refused while
        `member_detail_enabled` is off.
        - external_id: Only the member with exactly this id of your own system. Refused while
        `member_detail_enabled` is off.
        - role: Only members with this role.
        - status: Only members with this status.
        - updated_since: Only members whose `updated_at` is this time or later, in the order of `updated_at`.
        To miss none, begin each read without a `cursor` five minutes before the start of your last one, and
        ignore duplicates.
        """
        return self._sender.entries("/users", Options[MemberPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "email": email, "external_id": external_id, "role": role, "status": status, "updated_since": updated_since})

    def get(
        self,
        member_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Member] = None,
    ) -> Member:
        """
        Read a member.

        One member, invited or active. An ended membership is not found.

        `GET /users/{member_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
        """
        return self._sender.call("GET", f"/users/{segment(member_id)}", Options[Member](language, timeout, retries, on_answer))

    def invite(
        self,
        body: NewMember,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Member] = None,
        idempotency_key: Optional[str] = None,
    ) -> Member:
        """
        Invite a member.

        Sends an invitation by mail. The membership exists at once, takes a seat and raises `member.joined`.
        There are limits (429) of invitations an hour, and of mails a day for each team and each address.
        [Inviting many people](/developers/limits#many-people) says how thousands get into a team. The role
        `admin` can be given only by a key that the owner or an active admin created.

        `POST /users`. Problems besides the common ones: `insufficient_scope`, `conflict`,
        `seat_limit_reached`, `idempotency_mismatch`.
        """
        return self._sender.call("POST", "/users", Options[Member](language, timeout, retries, on_answer, idempotency_key), body=body)

    def update(
        self,
        member_id: str,
        body: MemberChanges,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Member] = None,
    ) -> Member:
        """
        Change a member.

        Gives or takes away the role `admin`. This needs a key that the owner or an active admin created. The
        team keeps at least one active admin; the owner can’t be changed. `external_id` sets or removes the id
        of your own system: to change only this id, send the present `role`.

        `PATCH /users/{member_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`,
        `conflict`, `last_admin`, `owner`.
        """
        return self._sender.call("PATCH", f"/users/{segment(member_id)}", Options[Member](language, timeout, retries, on_answer), body=body)

    def remove(
        self,
        member_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Done] = None,
    ) -> Done:
        """
        Remove a member.

        Ends the membership, revokes the member’s assignments and raises `member.removed`, all or nothing.

        `DELETE /users/{member_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`,
        `last_admin`, `owner`.
        """
        return self._sender.call("DELETE", f"/users/{segment(member_id)}", Options[Done](language, timeout, retries, on_answer))


class TrainingsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        include: Optional[Literal["evaluation"]] = None,
        user_id: Optional[str] = None,
        assignment_id: Optional[str] = None,
        status: Optional[KnownTrainingStatus] = None,
        since: Optional[Union[str, datetime]] = None,
        until: Optional[Union[str, datetime]] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[TrainingPage] = None,
    ) -> Entries[ListedTraining, TrainingPage]:
        """
        List trainings.

        Sessions of active members, the most recently started first. `since` and `until` compare the start; a
        running session changes later. A session may appear here some seconds after its start: to miss none,
        begin each read five minutes before the start of your last one, and ignore duplicates. With
        `updated_since`, only sessions that changed since, in the order of their changes. With
        `include=evaluation` each session has its evaluation.

        `GET /trainings`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - include: `evaluation`: each session also has its evaluation. This needs the scope
        `evaluations:read`.
        - user_id: Only the sessions of this user.
        - assignment_id: Only the sessions of this assignment.
        - status: Only sessions with this status.
        - since: Only sessions that started at this time or later.
        - until: Only sessions that started before this time.
        - updated_since: Only sessions whose `updated_at` is this time or later, in the order of `updated_at`.
        To miss none, begin each read without a `cursor` five minutes before the start of your last one, and
        ignore duplicates.
        """
        return self._sender.entries("/trainings", Options[TrainingPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "include": include, "user_id": user_id, "assignment_id": assignment_id, "status": status, "since": since, "until": until, "updated_since": updated_since})

    def get(
        self,
        training_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Training] = None,
    ) -> Training:
        """
        Read a training.

        One session of an active member. A session of a former member is not found.

        `GET /trainings/{training_id}`. Problems besides the common ones: `insufficient_scope`,
        `privacy_restricted`, `not_found`.
        """
        return self._sender.call("GET", f"/trainings/{segment(training_id)}", Options[Training](language, timeout, retries, on_answer))


class EvaluationsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        include: Optional[Literal["evaluation"]] = None,
        user_id: Optional[str] = None,
        assignment_id: Optional[str] = None,
        since: Optional[Union[str, datetime]] = None,
        until: Optional[Union[str, datetime]] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[TrainingPage] = None,
    ) -> Entries[ListedTraining, TrainingPage]:
        """
        List scored trainings.

        Scored sessions of active members, the most recently evaluated first. When an evaluation is corrected,
        its session comes first again. `since` and `until` compare when the evaluation was last saved; to
        filter by the start of sessions, use `GET /trainings?status=scored`. To miss none, begin each read
        five minutes before the start of your last one. With `include=evaluation` each session has its
        evaluation.

        `GET /evaluations`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - include: `evaluation`: each session also has its evaluation. This needs the scope
        `evaluations:read`.
        - user_id: Only the sessions of this user.
        - assignment_id: Only the sessions of this assignment.
        - since: Only sessions whose evaluation was last saved at this time or later.
        - until: Only sessions whose evaluation was last saved before this time.
        - updated_since: The same as `since`.
        """
        return self._sender.entries("/evaluations", Options[TrainingPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "include": include, "user_id": user_id, "assignment_id": assignment_id, "since": since, "until": until, "updated_since": updated_since})

    def get(
        self,
        training_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Evaluation] = None,
    ) -> Evaluation:
        """
        Read a training’s evaluation.

        Score, dimensions and tips, as last saved. Not found until the session is scored.

        `GET /trainings/{training_id}/evaluation`. Problems besides the common ones: `insufficient_scope`,
        `privacy_restricted`, `not_found`.
        """
        return self._sender.call("GET", f"/trainings/{segment(training_id)}/evaluation", Options[Evaluation](language, timeout, retries, on_answer))


class AssignmentsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        member_id: Optional[str] = None,
        status: Optional[KnownAssignmentStatus] = None,
        due_before: Optional[Union[str, date]] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[AssignmentPage] = None,
    ) -> Entries[Assignment, AssignmentPage]:
        """
        List assignments.

        The team’s assignments, newest first. Assignments of former members are `revoked` and stay listed.
        With `updated_since`, only assignments that changed since, in the order of their changes.

        `GET /assignments`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - member_id: Only the assignments of this member.
        - status: Only assignments with this status.
        - due_before: Only assignments that are due before this day. Those without a due date are left out.
        - updated_since: Only assignments whose `updated_at` is this time or later, in the order of
        `updated_at`. To miss none, begin each read without a `cursor` five minutes before the start of your
        last one, and ignore duplicates.
        """
        return self._sender.entries("/assignments", Options[AssignmentPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "member_id": member_id, "status": status, "due_before": due_before, "updated_since": updated_since})

    def get(
        self,
        assignment_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Assignment] = None,
    ) -> Assignment:
        """
        Read an assignment.

        One assignment, whatever its status.

        `GET /assignments/{assignment_id}`. Problems besides the common ones: `insufficient_scope`,
        `privacy_restricted`, `not_found`.
        """
        return self._sender.call("GET", f"/assignments/{segment(assignment_id)}", Options[Assignment](language, timeout, retries, on_answer))

    def create(
        self,
        body: NewAssignment,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Assignment] = None,
        idempotency_key: Optional[str] = None,
    ) -> Assignment:
        """
        Create an assignment.

        Gives a member, invited or active, something to practise and raises `assignment.created`. The
        combination is checked against the catalog and the policies of the team and of the member.

        `POST /assignments`. Problems besides the common ones: `insufficient_scope`, `vorgabe_gesperrt`,
        `not_found`, `conflict`, `idempotency_mismatch`, `kombination_ungueltig`.
        """
        return self._sender.call("POST", "/assignments", Options[Assignment](language, timeout, retries, on_answer, idempotency_key), body=body)

    def create_many(
        self,
        items: Sequence[NewAssignment],
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[CreatedAssignments] = None,
        idempotency_key: Optional[str] = None,
    ) -> List[AssignmentResult]:
        """
        Create several assignments.

        Creates up to 100 assignments, each as `POST /assignments` would: a refused item has the `problem` in
        its result and does not stop the others, so the answer is 200 even if none was created. The call
        counts as one request for each 10 items begun; if a budget has fewer requests left, nothing is
        created. An `Idempotency-Key` applies to all items together.

        `POST /assignments/bulk`. Problems besides the common ones: `insufficient_scope`, `conflict`,
        `idempotency_mismatch`.

        It takes any number of items, and sends at most 100 in a request. If a request fails, it raises. Call
        it again with the same items and an `idempotency_key` of your own, and nothing is created twice.
        """
        return self._sender.many("/assignments/bulk", items, Options[CreatedAssignments](language, timeout, retries, on_answer, idempotency_key))

    def update(
        self,
        assignment_id: str,
        body: AssignmentChanges,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Assignment] = None,
    ) -> Assignment:
        """
        Change an assignment.

        Changes status, note and due date; fields that are left out stay as they are. A change to `done`
        raises `assignment.completed`; a change from `done` to another status sets `completed_training_id` to
        null.

        `PATCH /assignments/{assignment_id}`. Problems besides the common ones: `insufficient_scope`,
        `not_found`.
        """
        return self._sender.call("PATCH", f"/assignments/{segment(assignment_id)}", Options[Assignment](language, timeout, retries, on_answer), body=body)

    def delete(
        self,
        assignment_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Done] = None,
    ) -> Done:
        """
        Delete an assignment.

        Its trainings stay; their `assignment_id` becomes null.

        `DELETE /assignments/{assignment_id}`. Problems besides the common ones: `insufficient_scope`,
        `not_found`.
        """
        return self._sender.call("DELETE", f"/assignments/{segment(assignment_id)}", Options[Done](language, timeout, retries, on_answer))


class CasesResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        user_id: Optional[str] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[CasePage] = None,
    ) -> Entries[Case, CasePage]:
        """
        List cases.

        The team’s cases, newest first. Private cases of members are not listed. With `updated_since`, only
        cases that changed since, in the order of their changes.

        `GET /cases`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - user_id: Only the cases of this user.
        - updated_since: Only cases whose `updated_at` is this time or later, in the order of `updated_at`. To
        miss none, begin each read without a `cursor` five minutes before the start of your last one, and
        ignore duplicates.
        """
        return self._sender.entries("/cases", Options[CasePage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "user_id": user_id, "updated_since": updated_since})

    def get(
        self,
        case_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Case] = None,
    ) -> Case:
        """
        Read a case.

        One case of the team. A private case of a member is not found.

        `GET /cases/{case_id}`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`,
        `not_found`.
        """
        return self._sender.call("GET", f"/cases/{segment(case_id)}", Options[Case](language, timeout, retries, on_answer))

    def create(
        self,
        body: NewCase,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Case] = None,
        idempotency_key: Optional[str] = None,
    ) -> Case:
        """
        Create a case.

        Creates a case for an active member. The whole team can practise with it.

        `POST /cases`. Problems besides the common ones: `insufficient_scope`, `not_found`, `conflict`,
        `idempotency_mismatch`.
        """
        return self._sender.call("POST", "/cases", Options[Case](language, timeout, retries, on_answer, idempotency_key), body=body)

    def update(
        self,
        case_id: str,
        body: CaseChanges,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Case] = None,
    ) -> Case:
        """
        Change a case.

        Fields that are left out stay as they are; null removes a value. `fields` and `external_ref` are
        replaced whole. The answer is the whole case. While `member_detail_enabled` is off, the answer has
        only the changed values, `id`, `user_id`, `created_at` and `updated_at`; all others are null. A
        request that changes nothing is then 403 `privacy_restricted`.

        `PATCH /cases/{case_id}`. Problems besides the common ones: `insufficient_scope`,
        `privacy_restricted`, `not_found`.
        """
        return self._sender.call("PATCH", f"/cases/{segment(case_id)}", Options[Case](language, timeout, retries, on_answer), body=body)

    def delete(
        self,
        case_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Done] = None,
    ) -> Done:
        """
        Delete a case.

        Deletes the case permanently.

        `DELETE /cases/{case_id}`. Problems besides the common ones: `insufficient_scope`, `not_found`.
        """
        return self._sender.call("DELETE", f"/cases/{segment(case_id)}", Options[Done](language, timeout, retries, on_answer))


class CatalogResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def get(
        self,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Catalog] = None,
    ) -> Catalog:
        """
        Read the catalog.

        The items that the team can practise with: all published ones that its policy releases, those of the
        service and its own, in its order. Not all can be combined: see POST /assignments.

        `GET /catalog`. Problems besides the common ones: `insufficient_scope`.
        """
        return self._sender.call("GET", "/catalog", Options[Catalog](language, timeout, retries, on_answer))


class AnalyticsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def team(
        self,
        *,
        since: Optional[Union[str, date]] = None,
        until: Optional[Union[str, date]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[TeamAnalytics] = None,
    ) -> TeamAnalytics:
        """
        Read the team’s analytics.

        The trainings of the team’s active members, added up: all, or those of the days from `since` to
        `until`. For instance, `since=2026-10-01&until=2026-10-31` is October. A score counts for the day on
        which its training started (`created_at`). `active_members` is always the present number. Means are
        exact and rounded half away from zero. While member details are off, means of chosen days with scores
        of fewer than five members are null.

        `GET /analytics/team`. Problems besides the common ones: `insufficient_scope`.

        - since: The first day (UTC) whose trainings count. Without it, all count up to `until`.
        - until: The last day (UTC) whose trainings count, not before `since`. Without it, today.
        """
        return self._sender.call("GET", "/analytics/team", Options[TeamAnalytics](language, timeout, retries, on_answer), query={"since": since, "until": until})


class CrmDealsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[CrmDealPage] = None,
    ) -> Entries[CrmDeal, CrmDealPage]:
        """
        List CRM deals.

        The deals that the last syncs of the team’s CRM connections found. The deal that was first seen most
        recently comes first. Without a connection the list is empty. With `updated_since`, only deals that
        changed or that a sync found since, in the order of their changes.

        `GET /crm/deals`. Problems besides the common ones: `insufficient_scope`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - updated_since: Only deals whose `updated_at` is this time or later, in the order of `updated_at`. To
        miss none, begin each read without a `cursor` five minutes before the start of your last one, and
        ignore duplicates.
        """
        return self._sender.entries("/crm/deals", Options[CrmDealPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "updated_since": updated_since})


class CrmObjectionsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[CrmObjectionPage] = None,
    ) -> Entries[CrmObjection, CrmObjectionPage]:
        """
        List CRM objections.

        The objections that customers raised in the deals of the team’s CRM connections, newest first. With
        `updated_since`, only objections that changed since, in the order of their changes.

        `GET /crm/objections`. Problems besides the common ones: `insufficient_scope`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - updated_since: Only objections whose `updated_at` is this time or later, in the order of
        `updated_at`. To miss none, begin each read without a `cursor` five minutes before the start of your
        last one, and ignore duplicates.
        """
        return self._sender.entries("/crm/objections", Options[CrmObjectionPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "updated_since": updated_since})


class CrmResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self.deals = CrmDealsResource(sender)
        self.objections = CrmObjectionsResource(sender)


class DeletionsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        resource: DeletionResource,
        since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[DeletionPage] = None,
    ) -> Entries[Deletion, DeletionPage]:
        """
        List deletions.

        The ids of rows that are gone from `GET /users`, `/trainings`, `/assignments`, `/cases`, `/crm/deals`
        (`deals`) or `/crm/objections` (`objections`), the oldest deletion first. The call needs the scope of
        that list, and member details to be on if that list needs it. For `users`, the ids are those of
        memberships that ended. The sessions of somebody who left disappear from `GET /trainings` without an
        entry here. Deletions are kept for 30 days, unless the operator changes this. An earlier `since` is
        422: copy the list anew.

        `GET /deletions`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - resource: The list that had the rows.
        - since: Only rows that were deleted at this time or later. To miss none, begin each read without a
        `cursor` five minutes before the start of your last one. A time from which deletions are no longer
        kept is 422.
        """
        return self._sender.entries("/deletions", Options[DeletionPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "resource": resource, "since": since})


class ExportsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def members(
        self,
        *,
        cursor: Optional[str] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_retry: OnRetry = None,
    ) -> Export[Member]:
        """
        Export members.

        All rows of `GET /users` in one response, for a copy: one line of JSON for each row, in the order of
        `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that
        `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again:
        replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as one
        request. A team can run one at a time; a second one is 429.

        `GET /exports/members`. Problems besides the common ones: `insufficient_scope`.

        - cursor: The `cursor` in the last line of an earlier export of this resource: only rows that changed
        since.
        - updated_since: Only rows whose `updated_at` is this time or later. To go on after an export that
        broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With
        `cursor` too, the later of the two times counts.
        """
        return self._sender.rows("/exports/members", Options[Any](language, timeout, retries), query={"cursor": cursor, "updated_since": updated_since}, on_retry=on_retry)

    def trainings(
        self,
        *,
        cursor: Optional[str] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        include: Optional[Literal["evaluation"]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_retry: OnRetry = None,
    ) -> Export[ListedTraining]:
        """
        Export trainings.

        All rows of `GET /trainings` in one response, for a copy: one line of JSON for each row, in the order
        of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that
        `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again:
        replace the row with this `id`. Rows that are gone are in `GET /deletions`. With `include=evaluation`
        each session has its evaluation. An export counts as one request. A team can run one at a time; a
        second one is 429.

        `GET /exports/trainings`. Problems besides the common ones: `insufficient_scope`,
        `privacy_restricted`.

        - cursor: The `cursor` in the last line of an earlier export of this resource: only rows that changed
        since.
        - updated_since: Only rows whose `updated_at` is this time or later. To go on after an export that
        broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With
        `cursor` too, the later of the two times counts.
        - include: `evaluation`: each session also has its evaluation. This needs the scope
        `evaluations:read`.
        """
        return self._sender.rows("/exports/trainings", Options[Any](language, timeout, retries), query={"cursor": cursor, "updated_since": updated_since, "include": include}, on_retry=on_retry)

    def assignments(
        self,
        *,
        cursor: Optional[str] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_retry: OnRetry = None,
    ) -> Export[Assignment]:
        """
        Export assignments.

        All rows of `GET /assignments` in one response, for a copy: one line of JSON for each row, in the
        order of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With
        that `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes
        again: replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as
        one request. A team can run one at a time; a second one is 429.

        `GET /exports/assignments`. Problems besides the common ones: `insufficient_scope`,
        `privacy_restricted`.

        - cursor: The `cursor` in the last line of an earlier export of this resource: only rows that changed
        since.
        - updated_since: Only rows whose `updated_at` is this time or later. To go on after an export that
        broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With
        `cursor` too, the later of the two times counts.
        """
        return self._sender.rows("/exports/assignments", Options[Any](language, timeout, retries), query={"cursor": cursor, "updated_since": updated_since}, on_retry=on_retry)

    def cases(
        self,
        *,
        cursor: Optional[str] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_retry: OnRetry = None,
    ) -> Export[Case]:
        """
        Export cases.

        All rows of `GET /cases` in one response, for a copy: one line of JSON for each row, in the order of
        `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that
        `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again:
        replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as one
        request. A team can run one at a time; a second one is 429.

        `GET /exports/cases`. Problems besides the common ones: `insufficient_scope`, `privacy_restricted`.

        - cursor: The `cursor` in the last line of an earlier export of this resource: only rows that changed
        since.
        - updated_since: Only rows whose `updated_at` is this time or later. To go on after an export that
        broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With
        `cursor` too, the later of the two times counts.
        """
        return self._sender.rows("/exports/cases", Options[Any](language, timeout, retries), query={"cursor": cursor, "updated_since": updated_since}, on_retry=on_retry)

    def deals(
        self,
        *,
        cursor: Optional[str] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_retry: OnRetry = None,
    ) -> Export[CrmDeal]:
        """
        Export deals.

        All rows of `GET /crm/deals` in one response, for a copy: one line of JSON for each row, in the order
        of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With that
        `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes again:
        replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as one
        request. A team can run one at a time; a second one is 429.

        `GET /exports/deals`. Problems besides the common ones: `insufficient_scope`.

        - cursor: The `cursor` in the last line of an earlier export of this resource: only rows that changed
        since.
        - updated_since: Only rows whose `updated_at` is this time or later. To go on after an export that
        broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With
        `cursor` too, the later of the two times counts.
        """
        return self._sender.rows("/exports/deals", Options[Any](language, timeout, retries), query={"cursor": cursor, "updated_since": updated_since}, on_retry=on_retry)

    def objections(
        self,
        *,
        cursor: Optional[str] = None,
        updated_since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_retry: OnRetry = None,
    ) -> Export[CrmObjection]:
        """
        Export objections.

        All rows of `GET /crm/objections` in one response, for a copy: one line of JSON for each row, in the
        order of `updated_at`. The last line is `{"cursor": …}`; an export without this line broke off. With
        that `cursor`, the next export has the rows that changed since. A row that changes meanwhile comes
        again: replace the row with this `id`. Rows that are gone are in `GET /deletions`. An export counts as
        one request. A team can run one at a time; a second one is 429.

        `GET /exports/objections`. Problems besides the common ones: `insufficient_scope`.

        - cursor: The `cursor` in the last line of an earlier export of this resource: only rows that changed
        since.
        - updated_since: Only rows whose `updated_at` is this time or later. To go on after an export that
        broke off: the `updated_at` of its last row, or five minutes before its start if that is earlier. With
        `cursor` too, the later of the two times counts.
        """
        return self._sender.rows("/exports/objections", Options[Any](language, timeout, retries), query={"cursor": cursor, "updated_since": updated_since}, on_retry=on_retry)


class EventsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        start: Optional[Literal["oldest", "now"]] = None,
        type: Optional[Literal["training.completed", "evaluation.completed", "assignment.created", "assignment.completed", "member.joined", "member.removed", "crm.sync.failed", "endpoint.failing", "endpoint.paused", "endpoint.recovered", "ping"]] = None,
        wait: Optional[int] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[FeedPage] = None,
    ) -> Entries[WebhookEvent, FeedPage]:
        """
        Read the event feed.

        The team’s events of the last 30 days (unless the operator changes this), each exactly once and in the
        same order for every reader. They are the events that webhooks deliver, except `audit.recorded`. The
        feed needs no webhook endpoint, and also has the `ping` of an endpoint’s test. A feed has no end:
        process a page, store its `next_cursor`, and ask again with it, at once while `has_more` is true,
        otherwise with `wait`. Events are in the order in which they became readable, so `created_at` may be a
        little out of order. With `wait` a request is answered as soon as there is an event, after at most 20
        seconds. 20 requests of a team can wait at once; further ones may get 429.

        `GET /events`. Problems besides the common ones: `insufficient_scope`.

        - cursor: The `next_cursor` of the previous page, unchanged, with the same `type`. Without a cursor
        the feed is read from `start`.
        - limit: The maximum number of entries in a page.
        - start: Where to start without a cursor. `oldest` (default): with the oldest event that is kept.
        `now`: after all present events. With a cursor it has no effect.
        - type: Only events of this type. A page with few matches may be short or empty while `has_more` is
        true. A cursor is valid only with the same `type`.
        - wait: If there is no further event, wait up to this many seconds for one. The request is answered as
        soon as there is an event, or with an empty page. The request counts once in the limits.
        """
        return self._sender.entries("/events", Options[FeedPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "start": start, "type": type, "wait": wait})

    def stream(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        start: Optional[Literal["oldest", "now"]] = None,
        type: Optional[Literal["training.completed", "evaluation.completed", "assignment.created", "assignment.completed", "member.joined", "member.removed", "crm.sync.failed", "endpoint.failing", "endpoint.paused", "endpoint.recovered", "ping"]] = None,
        wait: Optional[int] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[FeedPage] = None,
        stop: Optional[threading.Event] = None,
        on_retry: OnRetry = None,
    ) -> EventStream:
        """
        Follows the feed: gives each event as soon as there is one, and goes on after failures of the network,
        until `stop` is set. A request that waits for an event is not interrupted: it ends after `wait`
        seconds at the latest.

        - cursor: The `next_cursor` of the previous page, unchanged, with the same `type`. Without a cursor
        the feed is read from `start`.
        - limit: The maximum number of entries in a page.
        - start: Where to start without a cursor. `oldest` (default): with the oldest event that is kept.
        `now`: after all present events. With a cursor it has no effect.
        - type: Only events of this type. A page with few matches may be short or empty while `has_more` is
        true. A cursor is valid only with the same `type`.
        - wait: If there is no further event, wait up to this many seconds for one. The request is answered as
        soon as there is an event, or with an empty page. The request counts once in the limits.
        """
        return self._sender.stream("/events", Options[FeedPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "start": start, "type": type, "wait": wait}, stop=stop, on_retry=on_retry)


class AuditEntriesResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        since: Optional[Union[str, datetime]] = None,
        until: Optional[Union[str, datetime]] = None,
        action: Optional[AuditAction] = None,
        actor_id: Optional[str] = None,
        order: Optional[Literal["desc", "asc"]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[AuditEntryPage] = None,
    ) -> Entries[AuditEntry, AuditEntryPage]:
        """
        List audit log entries.

        Who did what in the team, when, and from which address: in the app, with a key, by an assistant, by
        the operator. The list has the entries that the app shows. With `order=asc` a program follows the log.
        With filters that few entries match, a page may be short or empty and still have a `next_cursor`.
        While `member_detail_enabled` is off, entries about trainings are left out, entries about assignments
        and cases name no person, and members have no names. No ready-made selection of scopes has its scope.

        `GET /audit-entries`. Problems besides the common ones: `insufficient_scope`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - since: Only entries of this time or later. To follow the log and miss nothing, read with
        `order=asc`, begin each read without a `cursor` five minutes before the start of your last one, and
        ignore duplicates.
        - until: Only entries before this time.
        - action: Only entries of this action.
        - actor_id: Only entries of this actor: a key’s id, or the user id of a person. While
        `member_detail_enabled` is off, entries about trainings, assignments and cases are left out.
        - order: `desc`: the newest entries first. `asc`: the oldest first, to follow the log.
        """
        return self._sender.entries("/audit-entries", Options[AuditEntryPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "since": since, "until": until, "action": action, "actor_id": actor_id, "order": order})


class WebhooksEndpointsResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookEndpointList] = None,
    ) -> Entries[WebhookEndpoint, WebhookEndpointList]:
        """
        List webhook endpoints.

        All endpoints of the team, newest first. Their secrets are not shown again.

        `GET /webhook-endpoints`. Problems besides the common ones: `insufficient_scope`.
        """
        return self._sender.entries("/webhook-endpoints", Options[WebhookEndpointList](language, timeout, retries, on_answer))

    def get(
        self,
        endpoint_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookEndpoint] = None,
    ) -> WebhookEndpoint:
        """
        Read a webhook endpoint.

        One endpoint of the team, without its secret.

        `GET /webhook-endpoints/{endpoint_id}`. Problems besides the common ones: `insufficient_scope`,
        `not_found`.
        """
        return self._sender.call("GET", f"/webhook-endpoints/{segment(endpoint_id)}", Options[WebhookEndpoint](language, timeout, retries, on_answer))

    def create(
        self,
        body: NewWebhookEndpoint,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[CreatedWebhookEndpoint] = None,
        idempotency_key: Optional[str] = None,
    ) -> CreatedWebhookEndpoint:
        """
        Create a webhook endpoint.

        From now on, events are sent to the URL. Only this response contains the `secret` with which they are
        signed. The secret can’t be renewed: to change it, create another endpoint with the same events,
        switch the receiver, then delete this one. An endpoint for `audit.recorded` needs the scope
        `audit:export` too. A team has at most 50 endpoints; creating another returns 422 with `field`
        `webhook_endpoints`.

        `POST /webhook-endpoints`. Problems besides the common ones: `insufficient_scope`, `conflict`,
        `idempotency_mismatch`.
        """
        return self._sender.call("POST", "/webhook-endpoints", Options[CreatedWebhookEndpoint](language, timeout, retries, on_answer, idempotency_key), body=body)

    def update(
        self,
        endpoint_id: str,
        body: WebhookEndpointChanges,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookEndpoint] = None,
    ) -> WebhookEndpoint:
        """
        Change a webhook endpoint.

        Fields that are left out stay as they are. To subscribe to `audit.recorded`, and to change the `url`
        of an endpoint for it, the key needs the scope `audit:export` too. `disabled` stops sending: new
        events are not delivered, and waiting deliveries go on when the endpoint is `active` again.

        `PATCH /webhook-endpoints/{endpoint_id}`. Problems besides the common ones: `insufficient_scope`,
        `not_found`.
        """
        return self._sender.call("PATCH", f"/webhook-endpoints/{segment(endpoint_id)}", Options[WebhookEndpoint](language, timeout, retries, on_answer), body=body)

    def delete(
        self,
        endpoint_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Done] = None,
    ) -> Done:
        """
        Delete a webhook endpoint.

        Deletes the endpoint permanently, with its waiting deliveries. A delivery that is being sent at that
        moment may still arrive.

        `DELETE /webhook-endpoints/{endpoint_id}`. Problems besides the common ones: `insufficient_scope`,
        `not_found`.
        """
        return self._sender.call("DELETE", f"/webhook-endpoints/{segment(endpoint_id)}", Options[Done](language, timeout, retries, on_answer))

    def test(
        self,
        endpoint_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[StartedWebhookDelivery] = None,
        idempotency_key: Optional[str] = None,
    ) -> StartedWebhookDelivery:
        """
        Test a webhook endpoint.

        Sends one `ping` within seconds, whatever the endpoint’s status, which stays as it is. While the
        endpoint is not `active`, the ping is attempted once: if this attempt fails, the delivery is `gave_up`
        at once. The result is in the list of deliveries.

        `POST /webhook-endpoints/{endpoint_id}/test`. Problems besides the common ones: `insufficient_scope`,
        `not_found`, `conflict`, `idempotency_mismatch`.
        """
        return self._sender.call("POST", f"/webhook-endpoints/{segment(endpoint_id)}/test", Options[StartedWebhookDelivery](language, timeout, retries, on_answer, idempotency_key))

    def check(
        self,
        endpoint_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookCheck] = None,
        idempotency_key: Optional[str] = None,
    ) -> WebhookCheck:
        """
        Check a receiver.

        Sends the endpoint eight requests, one after the other: some that a good receiver accepts, and some
        that it refuses. Each has the header `Svc-Check`, and none reports a real event. Verdicts are in the
        list of the endpoint’s checks within a minute or two. A team can start 6 checks an hour (429), one at
        a time for each endpoint (409).

        `POST /webhook-endpoints/{endpoint_id}/check`. Problems besides the common ones: `insufficient_scope`,
        `not_found`, `conflict`, `idempotency_mismatch`.
        """
        return self._sender.call("POST", f"/webhook-endpoints/{segment(endpoint_id)}/check", Options[WebhookCheck](language, timeout, retries, on_answer, idempotency_key))

    def recover(
        self,
        endpoint_id: str,
        body: NewWebhookRecovery,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookRecovery] = None,
        idempotency_key: Optional[str] = None,
    ) -> WebhookRecovery:
        """
        Recover missed events.

        Sends an `active` endpoint the events of its types since a time that were not delivered to it, unless
        a delivery is still to send them. Events from while it was paused or disabled are among them. Events
        older than the endpoint are sent only with `include_older`. With `dry_run` events are only counted:
        nothing is sent, and no limit is used. At most 10000 events at once, and 20000 for a team within 24
        hours (429): if `more` is true, repeat the request with another `Idempotency-Key`.

        `POST /webhook-endpoints/{endpoint_id}/recover`. Problems besides the common ones:
        `insufficient_scope`, `not_found`, `conflict`, `idempotency_mismatch`.
        """
        return self._sender.call("POST", f"/webhook-endpoints/{segment(endpoint_id)}/recover", Options[WebhookRecovery](language, timeout, retries, on_answer, idempotency_key), body=body)

    def checks(
        self,
        endpoint_id: str,
        *,
        limit: Optional[int] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookCheckList] = None,
    ) -> Entries[WebhookCheck, WebhookCheckList]:
        """
        List checks of a receiver.

        The newest checks of an endpoint’s receiver, newest first.

        `GET /webhook-endpoints/{endpoint_id}/checks`. Problems besides the common ones: `insufficient_scope`,
        `not_found`.

        - limit: How many of the newest entries are listed, all on one page.
        """
        return self._sender.entries(f"/webhook-endpoints/{segment(endpoint_id)}/checks", Options[WebhookCheckList](language, timeout, retries, on_answer), query={"limit": limit})


class WebhooksDeliveriesResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        endpoint_id: str,
        *,
        limit: Optional[int] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookDeliveryList] = None,
    ) -> Entries[WebhookDelivery, WebhookDeliveryList]:
        """
        List deliveries to an endpoint.

        The newest deliveries to an endpoint, newest first.

        `GET /webhook-endpoints/{endpoint_id}/deliveries`. Problems besides the common ones:
        `insufficient_scope`, `not_found`.

        - limit: How many of the newest entries are listed, all on one page.
        """
        return self._sender.entries(f"/webhook-endpoints/{segment(endpoint_id)}/deliveries", Options[WebhookDeliveryList](language, timeout, retries, on_answer), query={"limit": limit})

    def list_all(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        endpoint_id: Optional[str] = None,
        status: Optional[KnownWebhookDeliveryStatus] = None,
        event_type: Optional[SentEventType] = None,
        since: Optional[Union[str, datetime]] = None,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[TeamWebhookDeliveryPage] = None,
    ) -> Entries[TeamWebhookDelivery, TeamWebhookDeliveryPage]:
        """
        List deliveries.

        The deliveries to all endpoints of the team, newest first. With a filter that few deliveries match, a
        page may be short or empty and still have a `next_cursor`.

        `GET /webhook-deliveries`. Problems besides the common ones: `insufficient_scope`.

        - cursor: The `next_cursor` of the previous page, unchanged. It is valid only with the same filters.
        - limit: The maximum number of entries in a page.
        - endpoint_id: Only deliveries to this endpoint.
        - status: Only deliveries with this status.
        - event_type: Only deliveries of events of this type.
        - since: Only deliveries that were created at this time or later.
        """
        return self._sender.entries("/webhook-deliveries", Options[TeamWebhookDeliveryPage](language, timeout, retries, on_answer), query={"cursor": cursor, "limit": limit, "endpoint_id": endpoint_id, "status": status, "event_type": event_type, "since": since})

    def get(
        self,
        delivery_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookDeliveryWithAttempts] = None,
    ) -> WebhookDeliveryWithAttempts:
        """
        Read a delivery.

        One delivery, with its attempts: what was sent, and what the receiver answered.

        `GET /webhook-deliveries/{delivery_id}`. Problems besides the common ones: `insufficient_scope`,
        `not_found`.
        """
        return self._sender.call("GET", f"/webhook-deliveries/{segment(delivery_id)}", Options[WebhookDeliveryWithAttempts](language, timeout, retries, on_answer))

    def retry(
        self,
        delivery_id: str,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[WebhookDelivery] = None,
        idempotency_key: Optional[str] = None,
    ) -> WebhookDelivery:
        """
        Retry a delivery.

        Attempts a `failed` or `gave_up` delivery at once, on top of its schedule and whatever its endpoint’s
        status. If this attempt fails, a delivery that was `failed` continues with its schedule.

        `POST /webhook-deliveries/{delivery_id}/retry`. Problems besides the common ones:
        `insufficient_scope`, `not_found`, `conflict`, `idempotency_mismatch`.
        """
        return self._sender.call("POST", f"/webhook-deliveries/{segment(delivery_id)}/retry", Options[WebhookDelivery](language, timeout, retries, on_answer, idempotency_key))


class WebhooksResource:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self.endpoints = WebhooksEndpointsResource(sender)
        self.deliveries = WebhooksDeliveriesResource(sender)


class Api:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self.users = UsersResource(sender)
        self.trainings = TrainingsResource(sender)
        self.evaluations = EvaluationsResource(sender)
        self.assignments = AssignmentsResource(sender)
        self.cases = CasesResource(sender)
        self.catalog = CatalogResource(sender)
        self.analytics = AnalyticsResource(sender)
        self.crm = CrmResource(sender)
        self.deletions = DeletionsResource(sender)
        self.exports = ExportsResource(sender)
        self.events = EventsResource(sender)
        self.audit_entries = AuditEntriesResource(sender)
        self.webhooks = WebhooksResource(sender)

    def me(
        self,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        on_answer: OnAnswer[Me] = None,
    ) -> Me:
        """
        Show this key.

        The team that the key belongs to, the key’s scopes, the team’s limit and its privacy switch.

        `GET /me`.
        """
        return self._sender.call("GET", "/me", Options[Me](language, timeout, retries, on_answer))
