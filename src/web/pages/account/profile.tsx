import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { tell } from '../../kit/notify.ts';
import { Panel } from '../../kit/panel.tsx';
import { useNameFlaw } from '../../kit/name-flaw.ts';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { useLanguage, useText } from '../../language/language.ts';
import type { Language } from '../../language/language.ts';
import { entrance } from '../../server/server.ts';
import { useHere } from '../../session/me.ts';

const languages = [
  { value: 'de', label: 'Deutsch' },
  { value: 'en', label: 'English' },
] as const satisfies readonly { value: Language; label: string }[];

const LanguageOfMine = () => {
  const t = useText();
  const { language, choose } = useLanguage();
  const change = entrance.useChange('account.changeMe');
  const pick = (value: string) => {
    const chosen = languages.find((one) => one.value === value)?.value;
    if (chosen === undefined || chosen === language) return;
    choose(chosen);
    change.mutate({ language: chosen });
  };
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} id="language">
        {t('Sprache', 'Language')}
      </Text>
      <SegmentedControl
        aria-labelledby="language"
        data={[...languages]}
        value={language}
        onChange={pick}
        w="fit-content"
      />
      <Text size="xs" c="dimmed">
        {t('Auch die Mails an Sie kommen in dieser Sprache.', 'Mails to you come in this language too.')}
      </Text>
      <ProblemAlert error={change.error} />
    </Stack>
  );
};

/** What somebody is called, and the language they read. */
export const Profile = () => {
  const t = useText();
  const { me } = useHere();
  const { data: rules } = entrance.useAnswer('entrance.rules', {});
  const change = entrance.useChange('account.changeMe');
  const nameFlaw = useNameFlaw()(change.error);
  const [name, setName] = useState(me.name ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { name: name.trim() },
      { onSuccess: () => tell(t('Ihr Name ist gespeichert.', 'Your name is saved.')) },
    );
  };
  return (
    <Panel title={t('Profil', 'Profile')}>
      <Stack>
        <form onSubmit={submit}>
          <Stack maw={480}>
            <TextInput
              label={t('Name', 'Name')}
              name="name"
              autoComplete="name"
              required
              {...(rules && { maxLength: rules.name_characters })}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={nameFlaw}
            />
            <TextInput
              label={t('E-Mail', 'Email')}
              description={t('Damit melden Sie sich an.', 'You sign in with it.')}
              value={me.email}
              readOnly
              variant="filled"
            />
            {nameFlaw === undefined && <ProblemAlert error={change.error} />}
            <Group>
              <Button
                type="submit"
                loading={change.isPending}
                disabled={name.trim() === '' || name.trim() === (me.name ?? '')}
              >
                {t('Namen speichern', 'Save the name')}
              </Button>
            </Group>
          </Stack>
        </form>
        <LanguageOfMine />
      </Stack>
    </Panel>
  );
};
