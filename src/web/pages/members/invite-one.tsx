import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tone } from '../../kit/page/facts.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { waitInWords } from '../../kit/text/figures.ts';
import { Time } from '../../kit/text/formats.tsx';
import { roleName } from '../../kit/names/members.tsx';
import { Notice, notify } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { laterText, roomFor, seatsLeftText } from './figures.ts';

const roles = ['member', 'admin'] as const;
const languages = ['de', 'en'] as const;

export const InviteOne = ({ onDone }: { onDone: () => void }) => {
  const [refusal, setRefusal] = useState<string>();
  const { data: settings } = useQuery(app.team.settings.queryOptions({}));
  const form = useServerForm({
    initial: { email: '', role: 'member', lang: '' },
    draft: { name: 'invitation', fields: ['email', 'role', 'lang'] },
    send: ({ email, role, lang }) => {
      setRefusal(undefined);
      const person = {
        email,
        role: roles.find((one) => one === role) ?? 'member',
        lang: languages.find((one) => one === lang) ?? null,
      };
      return client.app.members.invite.mutate({ people: [person] });
    },
    onSent: ({ results: [result] }, { email }) => {
      if (result?.outcome === 'waiting') {
        notify(outcomeText(result).advice ?? '');
        return onDone();
      }
      if (result && result.outcome !== 'invited') return setRefusal(outcomeText(result).advice);
      notify(t(`Einladung an ${email} gesendet.`, `Invitation sent to ${email}.`));
      return onDone();
    },
  });
  const teamLanguage = settings?.language === 'en' ? t('Englisch', 'English') : t('Deutsch', 'German');
  return (
    <Form form={form} action={t('Einladung senden', 'Send invitation')} onCancel={onDone}>
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
        description={t(
          'Admins verwalten das Team. Mitglieder nehmen an Trainings teil.',
          'Admins manage the team. Members take part in trainings.',
        )}
        data={roles.map((role) => ({ value: role, label: roleName(role) }))}
        {...form.getInputProps('role')}
      />
      <NativeSelect
        label={t('Sprache der Einladung', 'Invitation language')}
        data={[
          {
            value: '',
            label: settings
              ? t(`Sprache des Teams (${teamLanguage})`, `Team language (${teamLanguage})`)
              : t('Sprache des Teams', 'Team language'),
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

/** Warns if there are fewer free seats than wanted, and says when the invitations beyond the hour's limit are sent. */
export const InvitationsLeft = ({ wanted }: { wanted: number }) => {
  const { data } = useQuery(app.team.settings.queryOptions({}));
  if (!data) return null;
  const { limit, resets_at } = data.invitations;
  const { seats, isShort, later } = roomFor(wanted, data.seats, data.invitations);
  return (
    <>
      {isShort && (
        <Notice tone="warn" role="alert" title={t('Nicht genügend Plätze', 'Not enough seats')}>
          <Text size="sm">{seatsLeftText(seats)}</Text>
        </Notice>
      )}
      {later > 0 && (
        <Notice tone="info" role="status" title={laterText(later)}>
          <Text size="sm">
            {t(
              `Ein Team kann ${limit} Einladungen pro Stunde senden. Weitere werden automatisch gesendet`,
              `A team can send ${limit} invitations per hour. More are sent automatically`,
            )}
            {resets_at === null ? (
              t(', sobald das Limit es zulässt.', ' as soon as the limit allows.')
            ) : (
              <>
                {t(', die nächsten', ', the next ones')} <Time at={resets_at} />.
              </>
            )}
          </Text>
        </Notice>
      )}
    </>
  );
};

export type InvitationResult = AppOutputs['members']['invite']['results'][number];

interface Words {
  tone: Tone;
  word: string;
  /** The meaning of the outcome, or what to do next. */
  advice?: string;
}

export const outcomeText = ({ outcome, retry_after }: InvitationResult): Words => {
  const limitReached = t(
    'Das Limit für Einladungen pro Stunde oder E-Mails pro Tag ist erreicht.',
    'The limit for invitations per hour or emails per day is reached.',
  );
  const words: Readonly<Record<InvitationResult['outcome'], Words>> = {
    invited: { tone: 'good', word: t('Eingeladen', 'Invited') },
    waiting: {
      tone: 'info',
      word: t('Wird später gesendet', 'Will be sent later'),
      advice: limitReached,
    },
    invalid: {
      tone: 'bad',
      word: t('Ungültige E-Mail-Adresse', 'Invalid email address'),
      advice: t('Das ist keine gültige E-Mail-Adresse.', 'This is not a valid email address.'),
    },
    conflict: {
      tone: 'plain',
      word: t('Bereits im Team', 'Already in the team'),
      advice: t('Diese Person ist bereits Mitglied oder eingeladen.', 'This person is already a member or invited.'),
    },
    seat_limit_reached: {
      tone: 'bad',
      word: t('Kein Platz frei', 'No seat available'),
      advice: t(
        'Alle Plätze sind belegt. Entfernen Sie ein Mitglied oder ziehen Sie eine Einladung zurück.',
        'All seats are taken. Remove a member or withdraw an invitation.',
      ),
    },
    rate_limited: {
      tone: 'warn',
      word: t('Limit erreicht', 'Limit reached'),
      advice: limitReached,
    },
    insufficient_scope: {
      tone: 'bad',
      word: t('Nicht erlaubt', 'Not allowed'),
      advice: t(
        'Nur der Inhaber und aktive Admins können Admins einladen.',
        'Only the owner and active admins can invite admins.',
      ),
    },
  };

  const text = words[outcome];
  if (text.advice === undefined || retry_after === undefined) return text;
  const when = waitInWords(retry_after);
  return {
    ...text,
    advice: `${text.advice} ${t(`Die Einladung wird ${when} automatisch gesendet.`, `The invitation is sent automatically ${when}.`)}`,
  };
};
