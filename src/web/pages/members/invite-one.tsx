import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { appRouter } from '../../../modules/app-router.ts';
import { DialogButtons } from '../../kit/dialog.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Time, useWait } from '../../kit/formats.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { Notice, ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import type { Invitee } from './invitation-list.ts';

const roles = ['member', 'admin'] as const;
const languages = ['de', 'en'] as const;

/** Invites one person by email. */
export const InviteOne = ({ onDone }: { onDone: () => void }) => {
  const t = useText();
  const roleName = useRoleName();
  const words = useOutcomeWords();
  const invite = app.useChange('members.invite');
  const [person, setPerson] = useState<Invitee>({ email: '', role: 'member', lang: null });
  const [refused, setRefused] = useState<string>();
  const { data: settings } = app.useAnswer('team.settings', {});

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefused(undefined);
    invite.mutate(
      { people: [person] },
      {
        onSuccess: ({ results: [result] }) => {
          if (result && result.outcome !== 'invited') return setRefused(words(result).advice);
          tell(
            t(`Die Einladung an ${person.email} ist unterwegs.`, `The invitation to ${person.email} is on its way.`),
          );
          return onDone();
        },
      },
    );
  };
  const teamLanguage = settings?.language === 'en' ? t('Englisch', 'English') : t('Deutsch', 'German');
  return (
    <form onSubmit={submit}>
      <Stack>
        <InvitationsLeft wanted={1} />
        <TextInput
          label={t('E-Mail', 'Email')}
          type="email"
          autoComplete="off"
          required
          data-autofocus
          value={person.email}
          onChange={(event) => setPerson({ ...person, email: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('Rolle', 'Role')}
          description={t(
            'Admins verwalten das Team, Mitglieder üben.',
            'Admins administer the team, members practise.',
          )}
          value={person.role}
          onChange={({ currentTarget: { value } }) =>
            setPerson({ ...person, role: roles.find((role) => role === value) ?? 'member' })
          }
          data={roles.map((role) => ({ value: role, label: roleName(role) }))}
        />
        <NativeSelect
          label={t('Sprache der Einladung', 'Language of the invitation')}
          value={person.lang ?? ''}
          onChange={({ currentTarget: { value } }) =>
            setPerson({ ...person, lang: languages.find((lang) => lang === value) ?? null })
          }
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
        />
        {refused !== undefined && (
          <Notice tone="bad" role="alert" title={t('Nicht eingeladen', 'Not invited')}>
            {refused}
          </Notice>
        )}
        <ProblemAlert error={invite.error} />
        <DialogButtons
          action={t('Einladung senden', 'Send the invitation')}
          running={invite.isPending}
          onCancel={onDone}
        />
      </Stack>
    </form>
  );
};

/** Says beforehand when there are fewer seats, or invitations in this hour, than are wanted. */
export const InvitationsLeft = ({ wanted }: { wanted: number }) => {
  const t = useText();
  const { data } = app.useAnswer('team.settings', {});
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
  /** What it means, or what to do. */
  advice?: string;
}

/** What became of an invitation, in words. */
export const useOutcomeWords = (): ((result: InvitationResult) => Words) => {
  const t = useText();
  const inWords = useWait();
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
    const said = words[outcome];
    if (said.advice === undefined || retry_after === undefined) return said;
    const when = inWords(retry_after);
    return { ...said, advice: `${said.advice} ${t(`Wieder möglich ${when}.`, `Possible again ${when}.`)}` };
  };
};
