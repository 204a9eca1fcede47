import { NativeSelect, Text, TextInput } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import { useState } from 'react';
import type { appRouter } from '../../../modules/app-router.ts';
import type { Tone } from '../../kit/facts.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import { Time, useWait } from '../../kit/formats.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { Notice, notify } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

const roles = ['member', 'admin'] as const;
const languages = ['de', 'en'] as const;

/** Invites one person by email. */
export const InviteOne = ({ onDone }: { onDone: () => void }) => {
  const t = useText();
  const roleName = useRoleName();
  const outcomeText = useOutcomeTexts();
  const [refusal, setRefusal] = useState<string>();
  const { data: settings } = app.useQuery('team.settings', {});
  const form = useServerForm({
    initial: { email: '', role: 'member', lang: '' },
    send: ({ email, role, lang }) => {
      setRefusal(undefined);
      const person = {
        email,
        role: roles.find((one) => one === role) ?? 'member',
        lang: languages.find((one) => one === lang) ?? null,
      };
      return app.mutate('members.invite', { people: [person] });
    },
    onSent: ({ results: [result] }, { email }) => {
      if (result && result.outcome !== 'invited') return setRefusal(outcomeText(result).advice);
      notify(t(`Die Einladung an ${email} ist unterwegs.`, `The invitation to ${email} is on its way.`));
      return onDone();
    },
  });
  const teamLanguage = settings?.language === 'en' ? t('Englisch', 'English') : t('Deutsch', 'German');
  return (
    <Form form={form} action={t('Einladung senden', 'Send the invitation')} onCancel={onDone}>
      <InvitationsLeft wanted={1} />
      <TextInput
        label={t('E-Mail', 'Email')}
        type="email"
        autoComplete="off"
        required
        data-autofocus
        {...form.getInputProps('email')}
      />
      <NativeSelect
        label={t('Rolle', 'Role')}
        description={t('Admins verwalten das Team, Mitglieder üben.', 'Admins administer the team, members practise.')}
        data={roles.map((role) => ({ value: role, label: roleName(role) }))}
        {...form.getInputProps('role')}
      />
      <NativeSelect
        label={t('Sprache der Einladung', 'Language of the invitation')}
        data={[
          {
            value: '',
            label: settings
              ? t(`Wie das Team (${teamLanguage})`, `As the team (${teamLanguage})`)
              : t('Wie das Team', 'As the team'),
          },
          { value: 'de', label: t('Deutsch', 'German') },
          { value: 'en', label: t('Englisch', 'English') },
        ]}
        {...form.getInputProps('lang')}
      />
      {refusal !== undefined && (
        <Notice tone="bad" role="alert" title={t('Nicht eingeladen', 'Not invited')}>
          {refusal}
        </Notice>
      )}
    </Form>
  );
};

/** Warns if there are fewer free seats, or fewer invitations left this hour, than wanted. */
export const InvitationsLeft = ({ wanted }: { wanted: number }) => {
  const t = useText();
  const { data } = app.useQuery('team.settings', {});
  if (!data) return null;
  const seats = Math.max(0, data.seats.total - data.seats.taken);
  const { left, resets_at } = data.invitations;
  if (wanted <= seats && wanted <= left) return null;
  return (
    <Notice tone="warn" role="alert" title={t('Das reicht nicht für alle', 'Not enough for everybody')}>
      {wanted > seats && (
        <Text size="sm">
          {seats === 0 && t('Alle Plätze des Teams sind belegt.', 'All seats of the team are taken.')}
          {seats === 1 && t('Nur ein Platz ist frei.', 'Only one seat is free.')}
          {seats > 1 && t(`Nur ${seats} Plätze sind frei.`, `Only ${seats} seats are free.`)}
        </Text>
      )}
      {wanted > left && (
        <Text size="sm">
          {left === 0
            ? t('In dieser Stunde ist keine Einladung mehr übrig.', 'No invitation is left this hour.')
            : t(`In dieser Stunde sind noch ${left} Einladungen übrig.`, `${left} invitations are left this hour.`)}
          {resets_at !== null && (
            <>
              {' '}
              {t('Neue gibt es', 'There will be new ones')} <Time at={resets_at} />.
            </>
          )}
        </Text>
      )}
    </Notice>
  );
};

export type InvitationResult = inferRouterOutputs<typeof appRouter>['members']['invite']['results'][number];

interface Words {
  tone: Tone;
  word: string;
  /** What the outcome means, or what to do. */
  advice?: string;
}

/** The outcome of an invitation, in words. */
export const useOutcomeTexts = (): ((result: InvitationResult) => Words) => {
  const t = useText();
  const formatWait = useWait();
  const words: Readonly<Record<InvitationResult['outcome'], Words>> = {
    invited: { tone: 'good', word: t('Eingeladen', 'Invited') },
    invalid: {
      tone: 'bad',
      word: t('Keine Adresse', 'Not an address'),
      advice: t('Das ist keine gültige E-Mail-Adresse.', 'This is not a valid email address.'),
    },
    conflict: {
      tone: 'plain',
      word: t('Schon im Team', 'Already in the team'),
      advice: t(
        'Die Adresse gehört schon zum Team oder ist eingeladen.',
        'The address is in the team or invited already.',
      ),
    },
    seat_limit_reached: {
      tone: 'bad',
      word: t('Kein Platz frei', 'No seat free'),
      advice: t(
        'Alle Plätze sind belegt. Entfernen Sie jemanden oder ziehen Sie eine Einladung zurück.',
        'All seats are taken. Remove somebody or withdraw an invitation.',
      ),
    },
    rate_limited: {
      tone: 'warn',
      word: t('Limit erreicht', 'Limit reached'),
      advice: t(
        'Die Einladungen dieser Stunde oder die Mails dieses Tages sind verbraucht.',
        'The invitations of this hour or the mails of this day are used up.',
      ),
    },
    insufficient_scope: {
      tone: 'bad',
      word: t('Nicht erlaubt', 'Not allowed'),
      advice: t(
        'Admins einladen dürfen nur der Inhaber und aktive Admins.',
        'Only the owner and active admins may invite admins.',
      ),
    },
  };
  return ({ outcome, retry_after }) => {
    const text = words[outcome];
    if (text.advice === undefined || retry_after === undefined) return text;
    const when = formatWait(retry_after);
    return { ...text, advice: `${text.advice} ${t(`Wieder möglich ${when}.`, `Possible again ${when}.`)}` };
  };
};
