import { Code, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Key } from '../../../modules/keys/schema.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { State, Status } from '../../kit/page/facts.tsx';
import { Time } from '../../kit/text/formats.tsx';
import { Owner } from '../../kit/names/owner.tsx';
import { Notice } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { expiresSoon } from './expiry.ts';
import { keyState, scopesInBrief } from './key-state.ts';
import { keyCreation, type KeyCreation } from './rights.ts';

/** The beginning of a key, which is not secret. */
export const Prefix = ({ prefix, breaks = false }: { prefix: string; breaks?: boolean }) => (
  <Code
    fw={400}
    style={breaks ? { overflowWrap: 'anywhere' } : { whiteSpace: 'nowrap' }}
  >{`svck_live_${prefix}…`}</Code>
);

export const KeyState = ({ apiKey }: { apiKey: Key }) => <State words={keyState(apiKey)} />;

export const Expiry = ({ apiKey }: { apiKey: Key }) => {
  if (apiKey.expires_at === null) return <>{t('Nie', 'Never')}</>;
  const time = <Time at={apiKey.expires_at} />;
  return expiresSoon(apiKey) ? <Status tone="warn">{time}</Status> : time;
};

export const ScopeSummary = ({ scopes, reference }: { scopes: readonly string[]; reference?: ScopeReference }) => (
  <Tooltip label={scopes.join(', ')} multiline maw={320}>
    <span style={{ whiteSpace: 'nowrap' }}>{scopesInBrief(scopes, reference?.templates)}</span>
  </Tooltip>
);

export const useKeyCreation = (): KeyCreation => {
  const { may } = useSignedIn();
  const { data } = useQuery(app.team.settings.queryOptions({}));
  return keyCreation(data?.has_api, may);
};

/** Says which requirement is missing if no key can be created. */
export const KeyCreationNotice = ({ creation }: { creation: KeyCreation }) => {
  if (creation === 'no_plan') {
    return (
      <Notice tone="warn" title={t('Ihr Tarif enthält keinen API-Zugang', 'Your plan does not include API access')}>
        {t(
          'API-Schlüssel sind in den Tarifen Team und Enterprise enthalten. Anfragen mit bestehenden Schlüsseln werden abgelehnt: 403 ',
          'API keys are included in the Team and Enterprise plans. Requests with existing keys are rejected: 403 ',
        )}
        <a href="/developers/errors#api_disabled" style={{ color: 'var(--mantine-color-anchor)' }}>
          api_disabled
        </a>
        {t(
          '. Für einen Tarifwechsel wenden Sie sich an den Betreiber der Plattform.',
          '. To change your plan, contact the platform operator.',
        )}
      </Notice>
    );
  }
  if (creation === 'no_permission') {
    return (
      <Notice
        tone="info"
        title={t('Keine Berechtigung zum Anlegen von Schlüsseln', 'You don’t have permission to create keys')}
      >
        {t(
          'Mit der Berechtigung für API-Schlüssel legen Sie Schlüssel an, rotieren und widerrufen sie. Der Inhaber des Teams erteilt sie: ',
          'With the permission for API keys you can create, rotate and revoke keys. The team’s owner grants it: ',
        )}
        <Owner />.
      </Notice>
    );
  }
  return null;
};
