import { Menu } from '@mantine/core';
import { Link } from 'react-router';
import { RowActions } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import type { MemberQuestions } from './member-questions.tsx';
import { keyRight, nameOf } from './member-words.ts';
import type { TeamMember } from './member-words.ts';

interface MemberActionsProps {
  member: TeamMember;
  questions: MemberQuestions;
  onHandOver: (member: TeamMember) => void;
}

const Elsewhere = ({ member: { id, user_id } }: { member: TeamMember }) => {
  const t = useText();
  const { team } = useHere();
  return (
    <>
      {team.privacy.member_detail && (
        <>
          {user_id !== null && (
            <Menu.Item component={Link} to={`/trainings?user_id=${user_id}`}>
              {t('Trainings ansehen', 'See trainings')}
            </Menu.Item>
          )}
          <Menu.Item component={Link} to={`/assignments?member=${id}`}>
            {t('Aufgaben ansehen', 'See assignments')}
          </Menu.Item>
        </>
      )}
      <Menu.Item component={Link} to={`/catalog?member=${id}`}>
        {t('Vorgaben ansehen', 'See their policy')}
      </Menu.Item>
    </>
  );
};

/** What can be done with somebody, by who looks. */
export const MemberActions = ({ member, questions, onHandOver }: MemberActionsProps) => {
  const t = useText();
  const { may } = useHere();
  const { role, status, rights } = member;
  return (
    <RowActions of={nameOf(member)}>
      <Elsewhere member={member} />
      {role !== 'owner' && (
        <>
          <Menu.Divider />
          {status === 'invited' && (
            <Menu.Item onClick={() => questions.resend(member)}>
              {t('Einladung noch einmal senden', 'Send the invitation again')}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => questions.changeRole(member)}>
            {role === 'admin' ? t('Zum Mitglied machen', 'Make a member') : t('Zum Admin machen', 'Make an admin')}
          </Menu.Item>
          {may('owner') && (
            <Menu.Item onClick={() => questions.changeRights(member)}>
              {rights.includes(keyRight)
                ? t('Recht auf API-Schlüssel nehmen', 'Take the right to API keys')
                : t('Recht auf API-Schlüssel geben', 'Give the right to API keys')}
            </Menu.Item>
          )}
          {may('owner') && status === 'active' && (
            <Menu.Item onClick={() => onHandOver(member)}>{t('Team übergeben …', 'Hand the team over …')}</Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item c="var(--bad)" onClick={() => questions.remove(member)}>
            {status === 'invited'
              ? t('Einladung zurückziehen …', 'Withdraw the invitation …')
              : t('Aus dem Team entfernen …', 'Remove from the team …')}
          </Menu.Item>
        </>
      )}
    </RowActions>
  );
};
