import { NativeSelect, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Hint, TextLink } from '../../kit/text.tsx';
import { number, count } from '../../kit/formats.tsx';
import { nameMessage } from '../../kit/account-fields.tsx';
import { idFact } from '../../kit/copy.tsx';
import { Facts, Status } from '../../kit/facts.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import { notify } from '../../kit/messages.tsx';
import { Page, Pending } from '../../kit/page.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { CompanyAccount } from './company-account.tsx';
import { Export } from './export.tsx';
import { Limits } from './limits.tsx';
import { Privacy } from './privacy.tsx';
import { SectionPanel, Sections } from './sections.tsx';

export default function SettingsPage() {
  const { may } = useSignedIn();
  const query = useQuery(app.team.settings.queryOptions({}));
  const { data: settings } = query;
  return (
    <Page title={t('Einstellungen', 'Settings')}>
      {!settings && <Pending query={query} height={660} shape="panels" />}
      {settings && (
        <Sections
          sections={[
            'team',
            'privacy',
            ...(may('keys') ? (['company-account', 'required-sign-in'] as const) : []),
            'plan',
            'limits',
            ...(may('owner') ? (['export'] as const) : []),
          ]}
        >
          <TeamForm settings={settings} />
          <Privacy switches={settings.privacy} />
          {may('keys') && <CompanyAccount />}
          <Plan settings={settings} />
          <Limits settings={settings} />
          {may('owner') && <Export hasMemberDetail={settings.privacy.member_detail_enabled} />}
        </Sections>
      )}
    </Page>
  );
}

const TeamForm = ({ settings }: { settings: TeamSettings }) => {
  const form = useServerForm({
    initial: { name: settings.name, language: settings.language },
    send: (values) => client.app.team.change.mutate(values),
    onSent: (saved, sent, { getValues, setFieldValue }) => {
      // The server may have shortened spaces. A name that was changed meanwhile stays as typed.
      if (getValues().name === sent.name) setFieldValue('name', saved.name);
      notify(t('Einstellungen gespeichert.', 'Settings saved.'));
    },
    errorsAt: ({ name }) => ({ name: name && nameMessage() }),
    draft: { name: 'team', fields: ['name', 'language'] },
  });
  const { name, language } = form.values;
  const isChanged = name.trim() !== settings.name || language !== settings.language;
  return (
    <SectionPanel section="team">
      <Form form={form} place="panel" action={t('Speichern', 'Save')} disabled={!isChanged || name.trim() === ''}>
        <TextInput
          label={t('Name', 'Name')}
          description={t(
            'Wird in der App und in jeder Einladung angezeigt.',
            'Shown in the app and in every invitation.',
          )}
          required
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label={t('Sprache', 'Language')}
          description={t(
            'Standardsprache für Einladungen. In der App wählt jedes Mitglied seine Sprache selbst.',
            'Default language for invitations. In the app, members choose their own language.',
          )}
          data={[
            { value: 'de', label: t('Deutsch', 'German') },
            { value: 'en', label: t('Englisch', 'English') },
          ]}
          {...form.getInputProps('language')}
        />
      </Form>
    </SectionPanel>
  );
};

const Seats = ({ seats: { total, taken }, members }: Pick<TeamSettings, 'seats' | 'members'>) => {
  const label = t(
    `${number(taken)} von ${number(total)} Plätzen belegt`,
    `${number(taken)} of ${number(total)} seats taken`,
  );
  const admins = count(members.admin, t('Admin', 'admin'), t('Admins', 'admins'));
  const others = count(members.member, t('Mitglied', 'member'), t('Mitglieder', 'members'));
  return (
    <Stack gap={6} maw={420}>
      <Text size="sm">{label}</Text>
      <Progress.Root size="md" aria-hidden>
        <Progress.Section
          value={total === 0 ? 100 : Math.min(100, (taken / total) * 100)}
          color={taken >= total ? 'yellow' : 'brand'}
          withAria={false}
        />
      </Progress.Root>
      <Hint size="xs">
        {t(
          `1 Inhaber, ${admins}, ${others}, einschließlich offener Einladungen.`,
          `1 owner, ${admins}, ${others}, including pending invitations.`,
        )}{' '}
        <TextLink to="/members" size="xs">
          {t('Mitglieder', 'Members')}
        </TextLink>
      </Hint>
    </Stack>
  );
};

/** The team's plan and seats, which the operator of the platform sets. */
const Plan = ({ settings: { plan, has_api, seats, members } }: { settings: TeamSettings }) => {
  const { team } = useSignedIn();
  const names = { basic: 'Basic', team: 'Team', enterprise: 'Enterprise' } as const;
  return (
    <SectionPanel section="plan">
      <Facts
        facts={[
          { name: t('Tarif', 'Plan'), value: names[plan] },
          {
            name: t('API', 'API'),
            value: has_api ? (
              <Status tone="good">{t('Enthalten', 'Included')}</Status>
            ) : (
              <Status tone="warn">{t('Nicht enthalten', 'Not included')}</Status>
            ),
          },
          { name: t('Plätze', 'Seats'), value: <Seats seats={seats} members={members} /> },
          idFact(team.tenant_id, t('Team-ID', 'Team ID')),
        ]}
      />
      <Hint mt="md">
        {t(
          'Für Änderungen an Tarif, Plätzen und Limits wenden Sie sich an den Betreiber der Plattform.',
          'To change plan, seats or limits, contact the platform operator.',
        )}
      </Hint>
    </SectionPanel>
  );
};

export type TeamSettings = AppOutputs['team']['settings'];
export type Switches = TeamSettings['privacy'];
