import { Code, Text, Tooltip } from '@mantine/core';
import type { Key } from '../../../modules/keys/schema.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Time } from '../../kit/formats.tsx';
import { useText } from '../../language/language.tsx';
import type { Say } from '../../language/language.tsx';

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
