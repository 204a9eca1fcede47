import { Progress, Stack, Text } from '@mantine/core';
import { useLocale, useText } from '../../language/language.tsx';
import type { TeamSettings } from './team-settings.ts';

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

/** Bytes in words: whole MiB at least, since nobody has to count kilobytes here. */
const useSize = () => {
  const locale = useLocale();
  return (bytes: number): string => {
    const [value, unit] = bytes < gibibyte ? [bytes / mebibyte, 'MiB'] : [bytes / gibibyte, 'GiB'];
    return `${value.toLocaleString(locale, { maximumFractionDigits: 1 })} ${unit}`;
  };
};

/** How much of the plan's storage is used, with a bar that warns before it is full. */
export const StorageUsed = ({ usage: { used, quota } }: { usage: TeamSettings['storage']['stored'] }) => {
  const t = useText();
  const size = useSize();
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
        <Text size="xs" c="dimmed">
          {t(
            'Ist der Speicher voll, lassen sich keine Aufgaben, Fälle und Trainings mehr anlegen. Löschen Sie Aufgaben und Fälle, die Sie nicht mehr brauchen.',
            'Once the storage is full, no assignments, cases and trainings can be added. Delete assignments and cases that you no longer need.',
          )}
        </Text>
      )}
    </Stack>
  );
};

/** How much of it members keep in private cases, which nobody else of the team sees. */
export const PrivateCasesUsed = ({
  usage: { used, quota, kept_days: keptDays },
}: {
  usage: TeamSettings['storage']['private_cases'];
}) => {
  const t = useText();
  const size = useSize();
  return (
    <Stack gap={6} maw={420}>
      <Text size="sm" inherit>
        {t(`${size(used)} von höchstens ${size(quota)}`, `${size(used)} of at most ${size(quota)}`)}
      </Text>
      <Text size="xs" c="dimmed">
        {t(
          `Private Fälle sieht nur das Mitglied selbst. Wird ein Mitglied entfernt, werden sie nach ${keptDays} Tagen gelöscht.`,
          `Only the member sees a private case. When a member is removed, theirs are deleted after ${keptDays} days.`,
        )}
      </Text>
    </Stack>
  );
};
