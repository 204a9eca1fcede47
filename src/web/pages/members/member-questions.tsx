import { useConfirm } from '../../kit/dialog.tsx';
import { tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { Consequences } from './consequences.tsx';
import { keyRight, nameOf } from './member-words.ts';
import type { TeamMember } from './member-words.ts';
import { useConsequences } from './use-consequences.ts';

type Question = 'changeRole' | 'changeRights' | 'resend' | 'remove';
export type MemberQuestions = Readonly<Record<Question, (member: TeamMember) => void>>;

/** Asks before anything changes for somebody, and says what follows from it. */
export const useMemberQuestions = (): MemberQuestions => {
  const t = useText();
  const ask = useConfirm();
  const consequences = useConsequences();
  const changeRole = api.useChange('members.changeRole');
  const remove = api.useChange('members.remove');
  const setRights = app.useChange('members.setRights');
  const resend = app.useChange('members.resend');

  return {
    changeRole: (member) => {
      const name = nameOf(member);
      const up = member.role !== 'admin';
      ask({
        title: up
          ? t(`${name} zum Admin machen?`, `Make ${name} an admin?`)
          : t(`${name} zum Mitglied machen?`, `Make ${name} a member?`),
        consequences: <Consequences of={up ? consequences.promotion() : consequences.demotion(member)} />,
        action: up ? t('Zum Admin machen', 'Make an admin') : t('Zum Mitglied machen', 'Make a member'),
        harmless: up,
        act: async () => {
          await changeRole.mutateAsync({ member_id: member.id, role: up ? 'admin' : 'member' });
          tell(
            up
              ? t(`${name} ist jetzt Admin.`, `${name} is an admin now.`)
              : t(`${name} ist jetzt Mitglied.`, `${name} is a member now.`),
          );
        },
      });
    },

    changeRights: (member) => {
      const name = nameOf(member);
      const give = !member.rights.includes(keyRight);
      ask({
        title: give
          ? t(`${name} das Recht auf API-Schlüssel geben?`, `Give ${name} the right to API keys?`)
          : t(`${name} das Recht auf API-Schlüssel nehmen?`, `Take the right to API keys from ${name}?`),
        consequences: <Consequences of={give ? consequences.rightGiven(member) : consequences.rightTaken(member)} />,
        action: give ? t('Recht geben', 'Give the right') : t('Recht nehmen', 'Take the right'),
        harmless: give,
        act: async () => {
          await setRights.mutateAsync({ member_id: member.id, rights: give ? [keyRight] : [] });
          tell(t('Das Recht ist geändert.', 'The right is changed.'));
        },
      });
    },

    resend: (member) => {
      ask({
        title: t('Einladung noch einmal senden?', 'Send the invitation again?'),
        consequences: <Consequences of={consequences.resent(member)} />,
        action: t('Noch einmal senden', 'Send again'),
        harmless: true,
        act: async () => {
          await resend.mutateAsync({ member_id: member.id });
          tell(
            t(`Die Einladung an ${member.email} ist unterwegs.`, `The invitation to ${member.email} is on its way.`),
          );
        },
      });
    },

    remove: (member) => {
      const name = nameOf(member);
      const invited = member.status === 'invited';
      ask({
        title: invited
          ? t(`Einladung an ${name} zurückziehen?`, `Withdraw the invitation to ${name}?`)
          : t(`${name} aus dem Team entfernen?`, `Remove ${name} from the team?`),
        consequences: <Consequences of={invited ? consequences.withdrawn() : consequences.removed(member)} />,
        action: invited ? t('Zurückziehen', 'Withdraw') : t('Entfernen', 'Remove'),
        act: async () => {
          await remove.mutateAsync({ member_id: member.id });
          tell(
            invited
              ? t('Die Einladung ist zurückgezogen.', 'The invitation is withdrawn.')
              : t(`${name} gehört nicht mehr zum Team.`, `${name} is no longer in the team.`),
          );
        },
      });
    },
  };
};
