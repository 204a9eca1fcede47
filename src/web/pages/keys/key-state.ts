import type { Key } from '../../../modules/keys/schema.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import type { StateWords } from '../../kit/page/tones.ts';
import { t } from '../../language/texts.ts';
import { scopesText } from './figures.ts';

type KeyStateName = 'active' | 'reported' | 'replacing' | 'replaced' | 'expired' | 'revoked';

/** Whether an active key was reported as found. The person who found it may use it. */
export const isReported = ({ status, reported_at: at }: Pick<Key, 'status' | 'reported_at'>): boolean =>
  status === 'active' && at !== null;

type KeyFacts = Pick<Key, 'status' | 'rotated_to_id' | 'reported_at'>;

const stateOf = ({ status, rotated_to_id: next, reported_at }: KeyFacts): KeyStateName => {
  if (isReported({ status, reported_at })) return 'reported';
  if (status === 'active') return next === null ? 'active' : 'replacing';
  return next === null ? status : 'replaced';
};

const states = (): Readonly<Record<KeyStateName, StateWords>> => ({
  active: ['good', t('Aktiv', 'Active')],
  reported: ['bad', t('Als gefunden gemeldet', 'Reported as found')],
  replacing: ['info', t('Wird rotiert', 'Rotating')],
  replaced: ['plain', t('Rotiert', 'Rotated')],
  expired: ['plain', t('Abgelaufen', 'Expired')],
  revoked: ['plain', t('Widerrufen', 'Revoked')],
});

export const keyState = (key: KeyFacts): StateWords => states()[stateOf(key)];

/** Advice on a key that somebody has found. */
export const foundAdvice = ({ rotated_to_id: next }: Pick<Key, 'rotated_to_id'>): string =>
  next === null
    ? t(
        'Wer ihn hat, kann auf die Daten des Teams zugreifen. Widerrufen Sie ihn, oder rotieren Sie ihn mit einer Übergangsfrist von 0 Tagen: Mit einer längeren gilt er so lange weiter. Unter „Letzte Anfragen“ sehen Sie, wofür er verwendet wurde.',
        'With it, anybody can access the team’s data. Revoke it, or rotate it with a grace period of 0 days: with a longer one it stays valid for that long. “Latest requests” shows what it was used for.',
      )
    : t(
        'Wer ihn hat, kann auf die Daten des Teams zugreifen. Widerrufen Sie ihn, sobald Ihre Anwendungen den neuen Schlüssel verwenden.',
        'With it, anybody can access the team’s data. Revoke it as soon as your applications use the new key.',
      );

/** Whether an active key was rotated and is valid for a while beside the new one. */
export const isBeingReplaced = ({ status, rotated_to_id: next }: Pick<Key, 'status' | 'rotated_to_id'>): boolean =>
  status === 'active' && next !== null;

/**
 * Whether an active key can no longer change roles. A key does this in the name of the person who created it. The other
 * scopes of the key do not depend on that person.
 */
export const isLimited = ({
  status,
  scopes,
  created_by: maker,
}: Pick<Key, 'status' | 'scopes'> & { created_by: Pick<Key['created_by'], 'vouches'> }): boolean =>
  status === 'active' && (scopes.includes('users:write') || scopes.includes('directory:manage')) && !maker.vouches;

type Template = Pick<ScopeReference['templates'][number], 'name' | 'scopes'>;

/** The name of the template that has exactly these scopes, or their number. */
export const scopesInBrief = (scopes: readonly string[], templates: readonly Template[] = []): string =>
  templates.find((one) => one.scopes.length === scopes.length && one.scopes.every((scope) => scopes.includes(scope)))
    ?.name ?? scopesText(scopes.length);

/** The addresses in a field with one address on each line. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** No scope is preselected, so that none is granted by accident. Selecting two scopes takes two clicks. */
export const noScopes: { template: undefined; scopes: readonly string[] } = { template: undefined, scopes: [] };
