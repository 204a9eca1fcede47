import { Text } from '@mantine/core';
import { Status } from '../../kit/facts.tsx';
import { Time } from '../../kit/formats.tsx';
import { useText } from '../../language/language.tsx';
import { keyPermission } from './member-actions.tsx';
import type { TeamMember } from './member-actions.tsx';

// The facts about a member that the list and the member's own page show.

export const Membership = ({ member: { status, invitation, joined_at, invited_at } }: { member: TeamMember }) => {
  const t = useText();
  const since = status === 'active' ? joined_at : invited_at;
  return (
    <div>
      {status === 'active' && <Status tone="good">{t('Aktiv', 'Active')}</Status>}
      {status === 'invited' && invitation?.expired === true && (
        <Status tone="warn">{t('Einladung abgelaufen', 'Invitation expired')}</Status>
      )}
      {status === 'invited' && invitation?.expired !== true && (
        <Status tone="info">{t('Eingeladen', 'Invited')}</Status>
      )}
      <Text size="xs" c="dimmed" mt={2}>
        {since !== null && (
          <>
            {status === 'active' ? t('beigetreten', 'joined') : t('eingeladen', 'invited')} <Time at={since} />
          </>
        )}
        {invitation && !invitation.expired && (
          <>
            , {t('läuft ab', 'expires')} <Time at={invitation.expires_at} />
          </>
        )}
      </Text>
    </div>
  );
};

export const Permissions = ({ member: { role, rights } }: { member: TeamMember }) => {
  const t = useText();
  if (role === 'owner') return t('alle', 'all');
  return rights.includes(keyPermission) ? t('API-Schlüssel', 'API keys') : '–';
};

export const SecondFactor = ({ member: { status, two_factor } }: { member: TeamMember }) => {
  const t = useText();
  if (status !== 'active') return '–';
  return two_factor ? (
    <Status tone="good">{t('Aktiviert', 'Enabled')}</Status>
  ) : (
    <Status tone="plain">{t('Nicht aktiviert', 'Not enabled')}</Status>
  );
};
