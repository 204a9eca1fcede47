import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { Time } from '../../kit/text/formats.tsx';
import { roleName } from '../../kit/names/member-words.ts';
import { Notice, notify } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { laterText, roomFor, seatsLeftText } from './figures.ts';
import { inviteeIn, newInvitation } from './invitation-list.ts';
import { languageName, outcomeText } from './invitation-words.ts';

const roles = ['member', 'admin'] as const;

export const InviteOne = ({ onDone }: { onDone: () => void }) => {
  const [refusal, setRefusal] = useState<string>();
  const { data: settings } = useQuery(app.team.settings.queryOptions({}));
  const form = useServerForm({
    initial: newInvitation,
    draft: { name: 'invitation', fields: ['email', 'role', 'lang'] },
    send: (values) => {
      setRefusal(undefined);
      return client.app.members.invite.mutate({ people: [inviteeIn(values)] });
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
            label: settings ? `${languageName('')} (${languageName(settings.language)})` : languageName(''),
          },
          { value: 'de', label: languageName('de') },
          { value: 'en', label: languageName('en') },
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
