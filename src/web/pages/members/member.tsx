import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { Cut } from '../../kit/text/cut.tsx';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Facts, Status, type Fact } from '../../kit/page/facts.tsx';
import { ExactTime, LastTime } from '../../kit/text/formats.tsx';
import { ListPanel } from '../../kit/list/list-panel.tsx';
import { roleName } from '../../kit/names/member-words.ts';
import { Empty } from '../../kit/page/messages.tsx';
import { Detail, DetailsOff, Page, Panel, Pending } from '../../kit/page/page.tsx';
import { DimensionBars, type ScoreDimension } from '../../kit/charts/scores.tsx';
import { useBulkActions } from '../../kit/list/bulk-actions.tsx';
import { t } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { AssignmentStatusMark, Due, titleOf } from '../assignments/assignment-parts.tsx';
import { NewAssignmentDialog } from '../assignments/new-assignment.tsx';
import { reminding } from '../assignments/reminding.tsx';
import { PersonTrend } from '../analytics/score-trend.tsx';
import { noneScored, rangeNames, type Range } from '../analytics/trend-words.ts';
import { Activity } from '../audit/activity.tsx';
import { trainingColumns } from '../trainings/training-words.tsx';
import {
  HandOver,
  MemberActions,
  Membership,
  Permissions,
  SecondFactor,
  useMemberChanges,
  type TeamMember,
} from './member-actions.tsx';
import { overwrittenText } from './from-directory.tsx';
import { assignmentsOf, casesOf, entriesAbout, entriesBy, trainingsOf } from './links.ts';

/** How many rows each list on the page shows. The list's own page has all of them. */
const shown = 5;

/** The person's scores: the average, its trend and the areas, all for one range that the reader chooses. */
const Progress = ({ id, userId }: { id: string; userId: string }) => {
  const period = useState<Range>('12_weeks');
  const query = useQuery(app.progress.of.queryOptions({ member_id: id }));
  const { data } = query;
  if (typeof data?.avg_score === 'number') {
    return (
      <>
        <PersonTrend member={{ id, user_id: userId }} period={period} />
        <Areas id={id} range={period[0]} />
      </>
    );
  }
  return (
    <Panel title={t('Fortschritt', 'Progress')}>
      {data ? <Empty title={t('Noch keine Bewertung', 'No evaluation yet')} /> : <Pending query={query} height={120} />}
    </Panel>
  );
};

/** The areas of a range beside the means of the team, and their change since the range of the same length before. */
const Areas = ({ id, range }: { id: string; range: Range }) => {
  const query = useQuery(
    app.progress.areasOf.queryOptions({ member_id: id, range }, { placeholderData: keepPreviousData }),
  );
  const { data } = query;
  const teamOf = (dimension: ScoreDimension) => data?.team.find((one) => one.dimension === dimension)?.value ?? null;
  const isScored = data?.member.some(({ value }) => value !== null) === true;
  return (
    <Panel title={t('Punkte je Bereich', 'Points by area')} lead={rangeNames()[range]}>
      {!data && <Pending query={query} height={200} />}
      {data && !isScored && <Hint>{noneScored()}</Hint>}
      {data && isScored && (
        <DimensionBars
          label={t('Punkte je Bereich', 'Points by area')}
          values={data.member.map((one) => ({ ...one, team: teamOf(one.dimension) }))}
        />
      )}
    </Panel>
  );
};

const Trainings = ({ userId }: { userId: string }) => {
  const query = useQuery(app.sessions.list.queryOptions({ user_id: userId, limit: shown }));
  return (
    <ListPanel
      title={t('Letzte Trainings', 'Latest trainings')}
      query={query}
      all={trainingsOf(userId)}
      columns={trainingColumns()}
      keyOf={({ id }) => id}
      none={t('Noch kein Training', 'No training yet')}
    />
  );
};

const Assignments = ({ memberId }: { memberId: string }) => {
  const query = useQuery(app.assigning.list.queryOptions({ member_id: memberId, limit: shown }));
  return (
    <ListPanel
      title={t('Aufgaben', 'Assignments')}
      query={query}
      all={assignmentsOf(memberId)}
      keyOf={({ id }) => id}
      columns={[
        { label: t('Aufgabe', 'Assignment'), cell: titleOf, to: ({ id }) => `/assignments?assignment_id=${id}` },
        { label: t('Status', 'Status'), cell: ({ status }) => <AssignmentStatusMark status={status} /> },
        {
          label: t('Fällig', 'Due'),
          cell: ({ due_date, overdue }) => (due_date === null ? '–' : <Due on={due_date} overdue={overdue} />),
        },
      ]}
      none={t('Noch keine Aufgabe', 'No assignment yet')}
    />
  );
};

const Cases = ({ userId }: { userId: string }) => {
  const query = useQuery(api.cases.list.queryOptions({ user_id: userId, limit: shown }));
  return (
    <ListPanel
      title={t('Fälle im Team', 'Cases in the team')}
      query={query}
      all={casesOf(userId)}
      keyOf={({ id }) => id}
      columns={[
        {
          label: t('Fall', 'Case'),
          cell: ({ title }) => title ?? t('Fall ohne Titel', 'Untitled case'),
          to: ({ id }) => `/cases?case_id=${id}`,
        },
        { label: t('Angelegt', 'Created'), value: ({ created_at }) => created_at, cell: 'time' },
      ]}
      none={t('Noch kein Fall', 'No case yet')}
    />
  );
};

/** The keys that an admin has created. Nothing for people who have created none. */
const Keys = ({ memberId }: { memberId: string }) => {
  const query = useQuery(app.keys.ofMember.queryOptions({ member_id: memberId }));
  const states = {
    active: <Status tone="good">{t('Aktiv', 'Active')}</Status>,
    expired: <Status tone="plain">{t('Abgelaufen', 'Expired')}</Status>,
    revoked: <Status tone="plain">{t('Widerrufen', 'Revoked')}</Status>,
  };
  if (!query.data?.data.length) return null;
  return (
    <ListPanel
      title={t('Angelegte API-Schlüssel', 'API keys created')}
      query={query}
      all="/keys"
      keyOf={({ key_id }) => key_id}
      columns={[
        { label: t('Schlüssel', 'Key'), cell: ({ name }) => name, to: ({ key_id }) => `/keys/${key_id}` },
        { label: t('Status', 'Status'), cell: ({ status }) => states[status] },
        { label: t('Angelegt', 'Created'), value: ({ created_at }) => created_at, cell: 'time' },
        { label: t('Zuletzt verwendet', 'Last used'), cell: ({ last_used_at: at }) => <LastTime at={at} /> },
      ]}
    />
  );
};

interface EntriesProps {
  title: string;
  filter: { target_type: 'member'; target_id: string } | { actor_kind: 'person'; actor_id: string };
  all: string;
  none: string;
}

const Entries = ({ title, filter, all, none }: EntriesProps) => {
  const query = useQuery(app.audit.list.queryOptions({ ...filter, limit: shown }));
  const entries = query.data?.data;
  return (
    <Panel title={title} link={{ to: all, label: t('Alle ansehen', 'View all') }}>
      {!entries && <Pending query={query} height={120} />}
      {entries?.length === 0 && <Hint>{none}</Hint>}
      {entries && <Activity entries={entries} withoutActor={'actor_id' in filter} />}
    </Panel>
  );
};

const MemberFacts = ({ member, figures }: { member: TeamMember; figures: readonly Fact[] }) => (
  <Panel title={t('Mitglied', 'Member')}>
    <Facts
      sideBySide
      facts={[
        { name: t('Rolle', 'Role'), value: roleName(member.role) },
        { name: t('Status', 'Status'), value: <Membership member={member} /> },
        ...figures,
        member.external_id !== null && {
          name: t('Externe ID', 'External ID'),
          value: <Cut text={member.external_id} />,
        },
        member.joined_at !== null && {
          name: t('Beigetreten', 'Joined'),
          value: <ExactTime at={member.joined_at} />,
        },
        { name: t('Berechtigungen', 'Permissions'), value: <Permissions member={member} /> },
        { name: '2FA', value: <SecondFactor member={member} /> },
        member.from_directory && { name: t('Verzeichnis', 'Directory'), value: overwrittenText(), alone: 'always' },
      ]}
    />
  </Panel>
);

/** A person's trainings, scores, assignments and cases. */
const IndividualData = ({ member: { id, user_id } }: { member: TeamMember }) => {
  if (!useSignedIn().team.privacy.member_detail) {
    return (
      <DetailsOff title={t('Personenbezogene Daten ausgeblendet', 'Member-level data is hidden')}>
        {t(
          'Trainings, Aufgaben und Fälle der Person werden nicht angezeigt.',
          'The person’s trainings, assignments and cases are not shown.',
        )}
      </DetailsOff>
    );
  }
  return (
    <>
      {user_id !== null && (
        <>
          <Progress id={id} userId={user_id} />
          <Trainings userId={user_id} />
        </>
      )}
      <Assignments memberId={id} />
      {user_id !== null && <Cases userId={user_id} />}
    </>
  );
};

/** The keys that the person has created, and the audit entries about the person and of their own actions. */
const Records = ({ member: { id, user_id } }: { member: TeamMember }) => (
  <>
    <Keys memberId={id} />
    <Entries
      title={t('Protokoll zu diesem Mitglied', 'Audit log of this member')}
      filter={{ target_type: 'member', target_id: id }}
      all={entriesAbout(id)}
      none={t('Noch keine Einträge', 'No entries yet')}
    />
    {user_id !== null && (
      <Entries
        title={t('Aktionen dieses Mitglieds', 'Actions by this member')}
        filter={{ actor_kind: 'person', actor_id: user_id }}
        all={entriesBy(user_id)}
        none={t('Keine Aktivität in letzter Zeit', 'No recent activity')}
      />
    )}
  </>
);

/** The maximum of assignments of which a member is reminded at once. Members seldom have more to do. */
const remindedAtOnce = 100;

/**
 * Reminds the member of the assignments that are not done yet, after a question. There is no button if there are none.
 */
const useReminder = ({ id, status }: TeamMember) => {
  const { team } = useSignedIn();
  const { data } = useQuery(
    app.assigning.list.queryOptions(
      { member_id: id, status: 'unfinished', limit: remindedAtOnce },
      { enabled: team.privacy.member_detail && status === 'active' },
    ),
  );
  const unfinished = data?.data ?? [];
  const { ask, isRunning, outcome } = useBulkActions(unfinished, titleOf);
  return {
    outcome,
    button: unfinished.length > 0 && (
      <Button disabled={isRunning} onClick={() => ask(reminding(unfinished))}>
        {t('Erinnern …', 'Remind …')}
      </Button>
    ),
  };
};

const back = () => ({ to: '/members', label: t('Mitglieder', 'Members') });

/** The values about a person in the list of members. */
interface MemberFromList {
  listed: TeamMember | undefined;
  figures: readonly Fact[];
}

const MemberView = ({ member, brief }: { member: TeamMember; brief: MemberFromList | undefined }) => {
  const navigate = useNavigate();
  const changes = useMemberChanges();
  const [handing, setHanding] = useState(false);
  const [assigning, assign] = useDisclosure();
  const reminder = useReminder(member);
  const { team, me } = useSignedIn();
  const { id, name, email } = member;
  const isMe = team.member_id === id;
  return (
    <Page
      title={name ?? email}
      lead={name === null ? undefined : email}
      back={back()}
      actions={
        <>
          <Button variant="filled" onClick={assign.open}>
            {t('Training zuweisen', 'Assign training')}
          </Button>
          {reminder.button}
          <MemberActions member={member} changes={changes} onHandOver={() => setHanding(true)} />
        </>
      }
    >
      <NewAssignmentDialog
        opened={assigning}
        onClose={assign.close}
        recipients={[{ value: id, label: name ?? email }]}
      />
      {reminder.outcome}
      {isMe && (
        <Hint>
          {t('Sie sind angemeldet als ', 'You are signed in as ')}
          {me.email}
          {t('. Ihre Anmeldungen finden Sie unter ', '. Your sign-ins are listed under ')}
          <TextLink to="/account" inherit>
            {t('Konto und Sicherheit', 'Account and security')}
          </TextLink>
          .
        </Hint>
      )}
      {!brief && <IndividualData member={member} />}
      <MemberFacts member={member} figures={brief?.figures ?? []} />
      {!brief && <Records member={member} />}
      <Dialog title={t('Team übergeben', 'Transfer team')} opened={handing} onClose={() => setHanding(false)}>
        <HandOver
          to={member}
          onDone={() => {
            setHanding(false);
            void navigate('/members');
          }}
        />
      </Dialog>
    </Page>
  );
};

export default function MemberPage() {
  const { id = '' } = useParams();
  return <OneMember id={id} />;
}

/** The page of a member. With `brief`, only its head, for the panel beside the list. */
export const OneMember = ({ id, brief }: { id: string; brief?: MemberFromList }) => {
  const query = useQuery(
    app.members.show.queryOptions({ member_id: id }, { ...(brief?.listed && { placeholderData: brief.listed }) }),
  );
  return (
    <Detail
      title={t('Mitglied', 'Member')}
      back={back()}
      query={query}
      missing={t('Mitglied nicht gefunden', 'Member not found')}
      advice={t(
        'Die Person hat das Team verlassen, oder sie gehört zu einem anderen Team.',
        'The person has left the team, or belongs to another team.',
      )}
    >
      {(member) => <MemberView key={id} member={member} brief={brief} />}
    </Detail>
  );
};
