import { Progress, Stack, Text } from '@mantine/core';
import { Hint } from '../../kit/text.tsx';
import { DocsLink } from '../../kit/docs-link.tsx';
import { Facts } from '../../kit/facts.tsx';
import { number, Time } from '../../kit/formats.tsx';
import { locale, t } from '../../language/language.tsx';
import { SectionPanel } from './sections.tsx';
import type { TeamSettings } from './settings.tsx';

/** The team's limits, and how much of them is left. */
export const Limits = ({ settings }: { settings: TeamSettings }) => {
  const { invitations, mails } = settings;
  const perMinute = (value: number) =>
    t(`${number(value)} Anfragen pro Minute`, `${number(value)} requests per minute`);
  return (
    <SectionPanel
      section="limits"
      actions={
        <Text size="sm" component="span">
          <DocsLink page="limits">{t('Alle Limits der API', 'All limits of the API')}</DocsLink>
        </Text>
      }
    >
      <Facts
        facts={[
          { name: t('Pro API-Schlüssel', 'Per API key'), value: perMinute(settings.rate_limit_per_key) },
          {
            name: t('Alle API-Schlüssel zusammen', 'All API keys together'),
            value: perMinute(settings.rate_limit_per_min),
          },
          {
            name: t('Einladungen', 'Invitations'),
            value: (
              <>
                {t(
                  `Noch ${number(invitations.left)} von ${number(invitations.limit)} in dieser Stunde`,
                  `${number(invitations.left)} of ${number(invitations.limit)} left this hour`,
                )}
                {invitations.resets_at !== null && (
                  <>
                    {t(', wird zurückgesetzt ', ', resets ')}
                    <Time at={invitations.resets_at} />
                  </>
                )}
              </>
            ),
          },
          {
            name: t('E-Mails heute', 'Emails today'),
            value: (
              <>
                {t(
                  `${number(mails.used)} von ${number(mails.most)}, wird zurückgesetzt `,
                  `${number(mails.used)} of ${number(mails.most)}, resets `,
                )}
                <Time at={mails.resets_at} />
              </>
            ),
          },
          {
            name: t('Speicher für Aufgaben, Fälle und Trainings', 'Storage for assignments, cases and trainings'),
            value: <StorageUsed usage={settings.storage.stored} />,
          },
          {
            name: t('Davon private Fälle', 'Of which private cases'),
            value: <PrivateCasesUsed usage={settings.storage.private_cases} />,
          },
        ]}
      />
    </SectionPanel>
  );
};

const mebibyteBytes = 1024 ** 2;
const gibibyteBytes = 1024 ** 3;

const size = (bytes: number): string => {
  const [value, unit] = bytes < gibibyteBytes ? [bytes / mebibyteBytes, 'MiB'] : [bytes / gibibyteBytes, 'GiB'];
  return `${value.toLocaleString(locale(), { maximumFractionDigits: 1 })} ${unit}`;
};

/** How much of the plan's storage is used, with a bar that warns before it is full. */
const StorageUsed = ({ usage: { used, quota } }: { usage: TeamSettings['storage']['stored'] }) => {
  const share = used / quota;
  return (
    <Stack gap={6} maw={420}>
      <Text size="sm" inherit>
        {t(`${size(used)} von ${size(quota)} belegt`, `${size(used)} of ${size(quota)} used`)}
      </Text>
      <Progress.Root size="md" aria-hidden>
        <Progress.Section
          value={Math.min(100, share * 100)}
          color={share >= 0.8 ? 'yellow' : 'brand'}
          withAria={false}
        />
      </Progress.Root>
      {share >= 0.8 && (
        <Hint size="xs">
          {t(
            'Ist der Speicher voll, können keine Aufgaben, Fälle und Trainings mehr angelegt werden. Löschen Sie nicht mehr benötigte Aufgaben und Fälle.',
            'When storage is full, no assignments, cases or trainings can be created. Delete assignments and cases that you no longer need.',
          )}
        </Hint>
      )}
    </Stack>
  );
};

/** How much of the storage private cases use. */
const PrivateCasesUsed = ({
  usage: { used, quota, kept_days: keptDays },
}: {
  usage: TeamSettings['storage']['private_cases'];
}) => (
  <Stack gap={6} maw={420}>
    <Text size="sm" inherit>
      {t(`${size(used)} von höchstens ${size(quota)}`, `${size(used)} of at most ${size(quota)}`)}
    </Text>
    <Hint size="xs">
      {t(
        `Private Fälle sieht nur das jeweilige Mitglied. Sie werden ${keptDays} Tage nach dem Entfernen des Mitglieds gelöscht.`,
        `Private cases are visible only to their member. They are deleted ${keptDays} days after the member is removed.`,
      )}
    </Hint>
  </Stack>
);
