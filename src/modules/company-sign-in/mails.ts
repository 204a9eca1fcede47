import type { Language } from '../../core/language.ts';
import { quotable } from '../../core/name-text.ts';
import type { SignInDemand } from '../../core/sign-in-demand.ts';
import type { Tx } from '../../db/database.ts';
import type { LockedTeam } from '../../platform/team-row.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';

interface Values {
  teamName: string;
  /** Undefined: the demand holds already. */
  from: Date | undefined;
}

const secondFactorMail = mailTemplate<Values>('sign_in_demanded', {
  de: ({ teamName, from }, { time }) => ({
    lead: `${from ? `Ab dem ${time(from, { withZone: true })}` : 'Ab sofort'} verlangt das Team „${quotable(teamName)}“ bei der Anmeldung einen zweiten Faktor oder einen Passkey. Ihr Konto hat beides noch nicht.`,
    action: 'Jetzt einrichten',
    ending: from
      ? 'Danach können Sie das Team erst öffnen, wenn Sie es eingerichtet haben. Das dauert zwei Minuten.'
      : 'Sie können das Team erst wieder öffnen, wenn Sie es eingerichtet haben. Das dauert zwei Minuten.',
  }),
  en: ({ teamName, from }, { time }) => ({
    lead: `${from ? `From ${time(from, { withZone: true })} on` : 'From now on'}, the team “${quotable(teamName)}” requires a second factor or a passkey to sign in. Your account has neither yet.`,
    action: 'Set it up now',
    ending: from
      ? 'After that, you can open the team only once you have set it up. It takes two minutes.'
      : 'You can open the team again once you have set it up. It takes two minutes.',
  }),
});

const companyMail = mailTemplate<Values>('sign_in_demanded', {
  de: ({ teamName, from }, { time }) => ({
    lead: `${from ? `Ab dem ${time(from, { withZone: true })}` : 'Ab sofort'} öffnet sich das Team „${quotable(teamName)}“ nur noch mit Ihrem Firmenkonto. Sie haben sich damit noch nicht angemeldet.`,
    action: 'Mit dem Firmenkonto anmelden',
    ending: 'Wenn die Anmeldung nicht gelingt, wenden Sie sich an die Admins Ihres Teams.',
  }),
  en: ({ teamName, from }, { time }) => ({
    lead: `${from ? `From ${time(from, { withZone: true })} on` : 'From now on'}, the team “${quotable(teamName)}” opens only with your company account. You have not signed in with it yet.`,
    action: 'Sign in with your company account',
    ending: 'If signing in does not work, contact the admins of your team.',
  }),
});

interface Unready {
  demand: Exclude<SignInDemand, 'none'>;
  from: Date | undefined;
  readers: readonly { email: string; language: Language }[];
}

/** Mails those who can't sign in yet as the team demands it. It must be the transaction's last step. */
export const mailUnready = async (tx: Tx, team: LockedTeam, { demand, from, readers }: Unready): Promise<void> => {
  const { publicUrl } = team.platform;
  const [write, link] =
    demand === 'company'
      ? [companyMail, `${publicUrl}/sign-in/company`]
      : [secondFactorMail, `${publicUrl}/account?team=${team.id}`];
  const values = { teamName: team.row.name, from };
  await queueMails(
    tx,
    team,
    readers.map((reader) => write(reader, link, values)),
  );
};
