import { Group, Text } from '@mantine/core';
import { Notice } from '../kit/page/messages.tsx';
import { MinuteTime } from '../kit/text/formats.tsx';
import { TextLink } from '../kit/text/text.tsx';
import { t } from '../language/language.tsx';
import { closingTexts } from '../session/closing-words.ts';
import { CompanyButton, startFor } from '../session/company-account.tsx';
import { useSignedIn } from '../session/signed-in.tsx';

/**
 * Tells a person that this session can soon no longer open the team, and by when they have to sign in in another way.
 */
export const ClosingNotice = () => {
  const { me, team } = useSignedIn();
  const { closes } = team;
  if (!closes) return null;
  const isCompany = closes.demand === 'company';
  const { title, rest } = closingTexts(closes.demand);
  return (
    <Notice tone="warn" role="status" title={title}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 240px">
          {t('Ab ', 'From ')}
          <MinuteTime at={closes.at} />
          {rest}
          {!isCompany && me.two_factor && (
            <>
              {' '}
              {t(
                'Melden Sie sich bis dahin ab und mit Ihrem Code wieder an.',
                'Until then, sign out and in again with your code.',
              )}
            </>
          )}
        </Text>
        {isCompany ? (
          <CompanyButton size="compact-sm" start={() => startFor(me.email, team.tenant_id, location.pathname)} />
        ) : (
          !me.two_factor && <TextLink to="/account">{t('Jetzt einrichten', 'Set it up now')}</TextLink>
        )}
      </Group>
    </Notice>
  );
};
