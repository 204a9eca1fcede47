import { Code, Text, Tooltip } from '@mantine/core';
import type { Key } from '../../../modules/keys/schema.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Time } from '../../kit/formats.tsx';
import { Notice } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import type { Say } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';

const dayLength = 86_400_000;
const warnDays = 14;

/** The part of a key that is no secret, as it begins in a program’s settings. */
export const Prefix = ({ of }: { of: string }) => (
  <Code fw={400} style={{ whiteSpace: 'nowrap' }}>{`svck_live_${of}…`}</Code>
);

type State = 'active' | 'replacing' | 'replaced' | 'expired' | 'revoked';

const stateOf = ({ status, rotated_to_id: next }: Key): State => {
  if (status === 'active') return next === null ? 'active' : 'replacing';
  return next === null ? status : 'replaced';
};

const tones: Readonly<Record<State, Tone>> = {
  active: 'good',
  replacing: 'info',
  replaced: 'plain',
  expired: 'plain',
  revoked: 'plain',
};

export const KeyState = ({ of }: { of: Key }) => {
  const t = useText();
  const words: Record<State, string> = {
    active: t('Aktiv', 'Active'),
    replacing: t('Wird abgelöst', 'Being replaced'),
    replaced: t('Abgelöst', 'Replaced'),
    expired: t('Abgelaufen', 'Expired'),
    revoked: t('Widerrufen', 'Revoked'),
  };
  const state = stateOf(of);
  return <Status tone={tones[state]}>{words[state]}</Status>;
};

/** Whether it ends so soon that somebody should see to it. */
export const endsSoon = ({ status, expires_at: at, rotated_to_id: next }: Key): boolean =>
  status === 'active' && next === null && at !== null && Date.parse(at) - Date.now() < warnDays * dayLength;

export const Expiry = ({ of }: { of: Key }) => {
  const t = useText();
  if (of.expires_at === null) return <>{t('nie', 'never')}</>;
  const time = <Time at={of.expires_at} />;
  return endsSoon(of) ? <Status tone="warn">{time}</Status> : <span style={{ whiteSpace: 'nowrap' }}>{time}</span>;
};

export const LastUse = ({ of }: { of: Key }) => {
  const t = useText();
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {of.last_used_at === null ? t('noch nie', 'never yet') : <Time at={of.last_used_at} />}
    </span>
  );
};

/** The email address of the person who made the key, or “hidden” while the team hides details about individual people. */
export const Maker = ({ of: { created_by: by } }: { of: Key }) => {
  const t = useText();
  return (
    <Text span inherit display="block" truncate maw={200} title={by.email}>
      {by.email ?? t('verborgen', 'hidden')}
    </Text>
  );
};

const countOf = (scopes: readonly string[], t: Say): string =>
  scopes.length === 1
    ? t('1 Berechtigung', '1 scope')
    : t(`${scopes.length} Berechtigungen`, `${scopes.length} scopes`);

/** What it may do, in a word: the ready-made selection’s name, or how many scopes. */
export const ScopesInShort = ({ scopes, reference }: { scopes: readonly string[]; reference?: ScopeReference }) => {
  const t = useText();
  const template = reference?.templates.find(
    (one) => one.scopes.length === scopes.length && one.scopes.every((scope) => scopes.includes(scope)),
  );
  return (
    <Tooltip label={scopes.join(', ')} multiline maw={320}>
      <span style={{ whiteSpace: 'nowrap' }}>{template?.name ?? countOf(scopes, t)}</span>
    </Tooltip>
  );
};

/** Whether keys can be made here, and by whoever looks; undefined while that is not known. */
type Making = 'open' | 'no_plan' | 'no_right' | undefined;

export const useMaking = (): Making => {
  const { may } = useHere();
  const { data } = app.useAnswer('team.settings', {});
  if (!data) return undefined;
  if (!data.has_api) return 'no_plan';
  return may('keys') ? 'open' : 'no_right';
};

/** What is needed where no key can be made. */
export const MakingNotice = ({ making }: { making: Making }) => {
  const t = useText();
  if (making === 'no_plan') {
    return (
      <Notice tone="warn" title={t('Ihr Tarif enthält die API nicht', 'Your plan does not include the API')}>
        <Text size="sm">
          {t(
            'Schlüssel lassen sich mit den Tarifen Team und Enterprise anlegen. Schlüssel von früher bekommen bis dahin die Antwort 403 ',
            'Keys can be made with the plans Team and Enterprise. Until then, keys from before are answered with 403 ',
          )}
          <a href="/developers/errors#api_disabled" style={{ color: 'var(--mantine-color-anchor)' }}>
            api_disabled
          </a>
          {t('. Den Tarif ändert der Betreiber der Plattform.', '. The operator of the platform changes the plan.')}
        </Text>
      </Notice>
    );
  }
  if (making === 'no_right') {
    return (
      <Notice
        tone="info"
        title={t('Anlegen kann, wer das Recht „Schnittstellen“ hat', 'Making keys needs the right “Schnittstellen”')}
      >
        <Text size="sm">
          {t(
            'Sie sehen die Schlüssel und die Anfragen mit ihnen. Um Schlüssel anzulegen, abzulösen oder zu widerrufen, bitten Sie die Inhaberin oder den Inhaber des Teams um dieses Recht.',
            'You see the keys and the requests with them. To make, replace or revoke keys, ask the team’s owner for this right.',
          )}
        </Text>
      </Notice>
    );
  }
  return null;
};
