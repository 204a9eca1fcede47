import { Stack, Text, ThemeIcon } from '@mantine/core';
import { IconAffiliate, IconFilter, IconPlugConnected } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ProviderName } from '../../../modules/crm/providers/provider.ts';
import type { Connection, SyncRun } from '../../../modules/crm/schema.ts';
import { Cut, Lines, TextInCell } from '../../kit/text/cut.tsx';
import { Hint } from '../../kit/text/text.tsx';
import { State } from '../../kit/page/facts.tsx';
import { Time } from '../../kit/text/formats.tsx';
import { locale, t } from '../../language/language.tsx';
import { useHasApi } from '../../session/signed-in.tsx';
import { keptFor } from '../../kit/text/relative-time.ts';
import { isProvider, connectionName } from './connection-name.ts';
import { connectionState, nextSyncText, outcomes } from './connection-state.ts';
import { importedText } from './figures.ts';

export const ConnectionStatus = ({ connection }: { connection: Connection }) => (
  <State words={connectionState(connection)} />
);

interface SyncResultProps {
  outcome: SyncRun['outcome'];
  reason: string | null;
  /** When the sync began, if the page does not show it elsewhere. */
  at?: string;
  /** Shows the whole of a long reason, not only its first line. */
  whole?: boolean;
}

/** How a sync ended, and why if it did not succeed. */
export const SyncResult = ({ outcome, reason, at, whole = false }: SyncResultProps) => {
  const result = (
    <span>
      <State words={outcomes()[outcome ?? 'running']} /> {at !== undefined && <Time at={at} />}
    </span>
  );
  if (!whole) return <Lines below={reason !== null && <Cut text={reason} />}>{result}</Lines>;
  return (
    <Stack gap={2} align="inherit">
      {result}
      {reason !== null && (
        <Text size="sm" c={outcome === 'failed' ? 'var(--bad)' : 'dimmed'}>
          {reason}
        </Text>
      )}
    </Stack>
  );
};

/** The last sync of a connection: its result and when it began. */
export const LastSync = ({ connection, whole = false }: { connection: Connection; whole?: boolean }) => {
  const { last_sync_at: at, last_outcome: outcome, last_reason, last_reason_de } = connection;
  if (at === null) return t('Noch nie', 'Never');
  return <SyncResult outcome={outcome} reason={t(last_reason_de, last_reason)} at={at} whole={whole} />;
};

export const NextSync = ({ connection }: { connection: Connection }) => {
  const hasApi = useHasApi();
  const { next_sync_at: at } = connection;
  return nextSyncText(connection, hasApi) ?? (at !== null && <Time at={at} />);
};

export const Progress = ({ running: { deals, since } }: { running: NonNullable<Connection['running']> }) => (
  <>
    {importedText(deals)}
    {t(', gestartet ', ', started ')}
    <Time at={since} />
  </>
);

/** Secondary text beside a value. */
export const Quiet = ({ children }: { children: ReactNode }) => (
  <Hint size="xs" fw={400}>
    {children}
  </Hint>
);

/** The host and path of a feed, below the name of its connection, to distinguish several feeds. */
export const feedPlace = ({ provider, url }: Connection): string | undefined => {
  if (provider !== 'feed' || url === null || !URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
};

export const ConnectionOf = ({ connections, id }: { connections: readonly Connection[]; id: string }) => {
  const connection = connections.find(({ connection_id }) => connection_id === id);
  if (!connection) return '–';
  return (
    <Lines below={feedPlace(connection)}>
      <TextInCell text={connectionName(connection)} />
    </Lines>
  );
};

// A colour and an icon for each CRM, not their trademarks.
const marks: Record<ProviderName, { color: string; Icon: typeof IconPlugConnected }> = {
  feed: { color: '#4355cc', Icon: IconPlugConnected },
  hubspot: { color: '#c2410c', Icon: IconAffiliate },
  pipedrive: { color: '#0b6b3a', Icon: IconFilter },
};

/** A CRM's mark. It is decorative: the CRM's name is always beside it. */
export const ProviderMark = ({ provider, size = 32 }: { provider: string; size?: number }) => {
  const { color, Icon } = marks[isProvider(provider) ? provider : 'feed'];
  return (
    <ThemeIcon component="span" color={color} size={size} flex="none" aria-hidden>
      <Icon size={size * 0.6} />
    </ThemeIcon>
  );
};

/** Whether a text is a valid language tag. A CRM may send any text. */
export const isLanguageTag = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
};

const languageNames = keptFor((locale) => new Intl.DisplayNames(locale, { type: 'language' }));

export const languageName = (tag: string): string =>
  isLanguageTag(tag) ? (languageNames(locale()).of(tag) ?? tag) : tag;

/** The categories that the service and common CRMs use. A team can enter others, which are shown as they are. */
const categories: Readonly<Record<string, readonly [german: string, english: string]>> = {
  authority: ['Entscheidungsbefugnis', 'Authority'],
  competition: ['Wettbewerb', 'Competition'],
  complexity: ['Komplexität', 'Complexity'],
  need: ['Bedarf', 'Need'],
  other: ['Sonstiges', 'Other'],
  price: ['Preis', 'Price'],
  process: ['Prozess', 'Process'],
  risk: ['Risiko', 'Risk'],
  timing: ['Zeitpunkt', 'Timing'],
  trust: ['Vertrauen', 'Trust'],
};

export const categoryName = (category: string): string => {
  const words = Object.hasOwn(categories, category) ? categories[category] : undefined;
  return words ? t(words[0], words[1]) : category;
};
