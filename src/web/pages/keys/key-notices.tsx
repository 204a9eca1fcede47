import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { Notice } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { endsSoon } from './key-words.tsx';

/** What somebody should know or see to about a key. */
export const KeyNotices = ({ of }: { of: Key }) => {
  const t = useText();
  const { status, rotated_to_id: next, expires_at: ends, created_by: maker, scopes } = of;
  const isReplaced = status === 'active' && next !== null && ends !== null;
  // Only changing a role needs somebody who vouches for it.
  const vouches = maker.vouches || status !== 'active' || !scopes.includes('users:write');
  return (
    <>
      {isReplaced && (
        <Notice tone="info" title={t('Dieser Schlüssel wird abgelöst', 'This key is being replaced')}>
          <Text size="sm">
            {t('Er gilt noch bis ', 'It works until ')}
            <ExactTime at={ends} />
            {t('. Tragen Sie bis dahin überall ', '. Until then, put ')}
            <Anchor component={Link} to={`/keys/${next}`} inherit>
              {t('den neuen', 'the new one')}
            </Anchor>
            {t(
              ' ein; unten sehen Sie, ob der alte noch benutzt wird.',
              ' everywhere; below you see whether the old one is still in use.',
            )}
          </Text>
        </Notice>
      )}
      {ends !== null && endsSoon(of) && (
        <Notice tone="warn" title={t('Dieser Schlüssel läuft bald ab', 'This key expires soon')}>
          <Text size="sm">
            {t('Er endet ', 'It ends ')}
            <Time at={ends} />
            {t(
              '. Beim Ablösen bleibt der Ablauftag derselbe; soll es danach weitergehen, legen Sie einen neuen Schlüssel an.',
              '. Replacing it keeps the same day; to go on after it, make a new key.',
            )}
          </Text>
        </Notice>
      )}
      {!vouches && (
        <Notice
          tone="warn"
          title={t(
            'Die Person, die ihn angelegt hat, verwaltet das Team nicht',
            'The person who made it does not administer the team',
          )}
        >
          <Text size="sm">
            {t(
              'Der Schlüssel gilt weiter, kann aber die Rolle Admin weder geben noch nehmen. Wenn Sie ihn ablösen, gilt der neue als von Ihnen angelegt und kann es wieder.',
              'The key still works, but it can’t give or take away the role admin. If you replace it, the new key counts as made by you and can do so again.',
            )}
          </Text>
        </Notice>
      )}
    </>
  );
};
