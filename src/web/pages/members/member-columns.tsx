import { Text } from '@mantine/core';
import { Status } from '../../kit/facts.tsx';
import { Time } from '../../kit/formats.tsx';
import { useRoleName } from '../../kit/members.tsx';
import type { Column } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import { MemberActions } from './member-actions.tsx';
import { useMemberQuestions } from './member-questions.tsx';
import { keyRight } from './member-words.ts';
import type { TeamMember } from './member-words.ts';

const Person = ({ member: { id, name, email } }: { member: TeamMember }) => {
  const t = useText();
  const isMe = useHere().team.member_id === id;
  return (
    <div>
      <Text size="sm" fw={600}>
        {name ?? email}
        {isMe && ` ${t('(Sie)', '(you)')}`}
      </Text>
      {name !== null && (
        <Text size="xs" c="dimmed">
          {email}
        </Text>
      )}
    </div>
  );
};

const Membership = ({ member: { status, invitation, joined_at, invited_at } }: { member: TeamMember }) => {
  const t = useText();
  const since = status === 'active' ? joined_at : invited_at;
  return (
    <div>
      {status === 'active' && <Status tone="good">{t('Aktiv', 'Active')}</Status>}
      {status === 'invited' && invitation?.expired === true && (
        <Status tone="warn">{t('Einladung abgelaufen', 'Invitation expired')}</Status>
      )}
      {status === 'invited' && invitation?.expired !== true && (
        <Status tone="info">{t('Eingeladen', 'Invited')}</Status>
      )}
      <Text size="xs" c="dimmed" mt={2}>
        {since !== null && (
          <>
            {status === 'active' ? t('beigetreten', 'joined') : t('eingeladen', 'invited')} <Time at={since} />
          </>
        )}
        {invitation && !invitation.expired && (
          <>
            , {t('läuft ab', 'expires')} <Time at={invitation.expires_at} />
          </>
        )}
      </Text>
    </div>
  );
};

const Rights = ({ member: { role, rights } }: { member: TeamMember }) => {
  const t = useText();
  if (role === 'owner') return t('alle', 'all');
  return rights.includes(keyRight) ? t('API-Schlüssel', 'API keys') : '–';
};

const SecondFactor = ({ member: { status, two_factor } }: { member: TeamMember }) => {
  const t = useText();
  if (status !== 'active') return '–';
  return two_factor ? (
    <Status tone="good">{t('Eingerichtet', 'Set up')}</Status>
  ) : (
    <Status tone="plain">{t('Ohne', 'None')}</Status>
  );
};

/** What the list tells of everybody, and what can be done with them. */
export const useMemberColumns = ({
  onHandOver,
}: {
  onHandOver: (member: TeamMember) => void;
}): readonly Column<TeamMember>[] => {
  const t = useText();
  const roleName = useRoleName();
  const questions = useMemberQuestions();
  return [
    { label: t('Person', 'Person'), cell: (member) => <Person member={member} /> },
    { label: t('Rolle', 'Role'), cell: ({ role }) => roleName(role) },
    { label: t('Status', 'Status'), cell: (member) => <Membership member={member} /> },
    { label: t('Rechte', 'Rights'), cell: (member) => <Rights member={member} /> },
    { label: t('Zweiter Faktor', 'Second factor'), cell: (member) => <SecondFactor member={member} /> },
    {
      label: '',
      align: 'end',
      cell: (member) => <MemberActions member={member} questions={questions} onHandOver={onHandOver} />,
    },
  ];
};
