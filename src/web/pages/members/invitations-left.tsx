import { Text } from '@mantine/core';
import { Time } from '../../kit/formats.tsx';
import { Notice } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

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
