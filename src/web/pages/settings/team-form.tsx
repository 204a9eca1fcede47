import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useNameFlaw } from '../../kit/account-fields.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import type { TeamSettings } from './team-settings.ts';

const languages = ['de', 'en'] as const;

/** The team's name and language. */
export const TeamForm = ({ settings }: { settings: TeamSettings }) => {
  const t = useText();
  const change = app.useChange('team.change');
  const [name, setName] = useState(settings.name);
  const [language, setLanguage] = useState(settings.language);
  const isChanged = name.trim() !== settings.name || language !== settings.language;
  const nameFlaw = useNameFlaw()(change.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { name, language },
      {
        onSuccess: (saved) => {
          // As it was saved, unless they went on typing meanwhile.
          setName((now) => (now === name ? saved.name : now));
          tell(t('Die Einstellungen sind gespeichert.', 'The settings are saved.'));
        },
      },
    );
  };
  return (
    <Panel title={t('Team', 'Team')}>
      <form onSubmit={submit}>
        <Stack maw={480}>
          <TextInput
            label={t('Name', 'Name')}
            description={t(
              'Wird in der App und in jeder Einladung angezeigt.',
              'Shown in the app and in every invitation.',
            )}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={nameFlaw}
          />
          <NativeSelect
            label={t('Sprache', 'Language')}
            description={t(
              'Für Einladungen, für die keine andere Sprache gewählt ist. In der App wählt jede Person selbst.',
              'For invitations for which no other language is chosen. In the app, everybody chooses their own language.',
            )}
            value={language}
            onChange={({ currentTarget: { value } }) =>
              setLanguage(languages.find((one) => one === value) ?? settings.language)
            }
            data={[
              { value: 'de', label: t('Deutsch', 'German') },
              { value: 'en', label: t('Englisch', 'English') },
            ]}
          />
          {nameFlaw === undefined && <ProblemAlert error={change.error} />}
          <Group>
            <Button type="submit" disabled={!isChanged || name.trim() === ''} loading={change.isPending}>
              {t('Speichern', 'Save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
};
