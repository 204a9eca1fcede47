import { Stack, Text } from '@mantine/core';
import type { Connection, ListedDeal } from '../../../modules/crm/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Day, Time } from '../../kit/formats.tsx';
import { Empty } from '../../kit/messages.tsx';
import { usePersonNames } from '../../kit/names.ts';
import { DataTable } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { amountIn } from './amount.ts';
import { ConnectionOf, isLanguageTag, Quiet, useLanguageName } from './connection-words.tsx';
import classes from './crm.module.css';

const pageSize = 50;

const Outcome = ({ deal: { outcome, probability, lost_reason } }: { deal: ListedDeal }) => {
  const t = useText();
  const locale = useLocale();
  const words: Record<ListedDeal['outcome'], [Tone, string]> = {
    open: ['info', t('Offen', 'Open')],
    won: ['good', t('Gewonnen', 'Won')],
    lost: ['plain', t('Verloren', 'Lost')],
  };
  const [tone, text] = words[outcome];
  const chance = (probability ?? 0) / 100;
  return (
    <Stack gap={2} align="inherit">
      <span>
        <Status tone={tone}>{text}</Status>
      </span>
      {outcome === 'open' && probability !== null && (
        <Quiet>
          {t('Wahrscheinlichkeit ', 'Probability ')}
          {chance.toLocaleString(locale, { style: 'percent' })}
        </Quiet>
      )}
      {lost_reason !== null && <Quiet>{lost_reason}</Quiet>}
    </Stack>
  );
};

const Title = ({ deal: { title, external_id } }: { deal: ListedDeal }) => {
  const t = useText();
  return (
    <div>
      <Text span size="sm" fw={600} className={classes['long'] ?? ''}>
        {title ?? t('Ohne Titel', 'Untitled')}
      </Text>
      <Text span display="block" size="xs" c="dimmed" fw={400} ff="monospace">
        {external_id}
      </Text>
    </div>
  );
};

/** The deals of all connections, read-only. */
export const DealList = ({ connections }: { connections: readonly Connection[] }) => {
  const t = useText();
  const locale = useLocale();
  const list = app.usePages('crm.deals', { limit: pageSize });
  const people = usePersonNames(list.rows?.map(({ owner_user_id }) => owner_user_id) ?? []);
  return (
    <DataTable
      label="Deals"
      rows={list.rows}
      error={list.error}
      retry={() => void list.refetch()}
      more={list}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Deal', cell: (deal) => <Title deal={deal} /> },
        { label: t('Status', 'Outcome'), cell: (deal) => <Outcome deal={deal} /> },
        {
          label: t('Betrag', 'Amount'),
          align: 'end',
          cell: ({ amount, currency }) => (amount === null ? '–' : amountIn(locale, amount, currency)),
        },
        {
          label: t('Abschluss', 'Close date'),
          cell: ({ close_date: on }) =>
            on === null ? (
              '–'
            ) : (
              <span className={classes['whole']}>
                <Day on={on} />
              </span>
            ),
        },
        {
          label: t('Zuständig', 'Owner'),
          cell: ({ owner_user_id: id }) => people?.get(id ?? '') ?? '–',
        },
        {
          label: t('Verbindung', 'Connection'),
          cell: ({ connection_id: id }) => <ConnectionOf connections={connections} id={id} />,
        },
        {
          label: t('Zuletzt abgeglichen', 'Last synced'),
          cell: ({ synced_at: at }) => (at === null ? '–' : <Time at={at} />),
        },
      ]}
      empty={
        <Empty title={t('Noch keine Deals', 'No deals yet')}>
          {t(
            'Die Deals Ihres CRM erscheinen hier nach dem ersten Abgleich.',
            'The deals of your CRM appear here after the first sync.',
          )}
        </Empty>
      }
    />
  );
};

/** The objections of all connections, read-only. */
export const ObjectionList = ({ connections }: { connections: readonly Connection[] }) => {
  const t = useText();
  const languageName = useLanguageName();
  const list = app.usePages('crm.objections', { limit: pageSize });
  return (
    <DataTable
      label={t('Einwände', 'Objections')}
      rows={list.rows}
      error={list.error}
      retry={() => void list.refetch()}
      more={list}
      keyOf={({ id }) => id}
      columns={[
        {
          label: t('Einwand', 'Objection'),
          cell: ({ text, lang }) => (
            <Text span size="sm" fw={500} className={classes['long'] ?? ''} {...(isLanguageTag(lang) && { lang })}>
              {text}
            </Text>
          ),
        },
        { label: t('Kategorie', 'Category'), cell: ({ category }) => category },
        {
          label: 'Deal',
          cell: ({ deal_title: title }) => (
            <span className={classes['long'] ?? ''}>{title ?? t('Ohne Titel', 'Untitled')}</span>
          ),
        },
        { label: t('Sprache', 'Language'), cell: ({ lang }) => languageName(lang) },
        {
          label: t('Verbindung', 'Connection'),
          cell: ({ connection_id: id }) => <ConnectionOf connections={connections} id={id} />,
        },
        {
          label: t('Erfasst', 'Recorded'),
          cell: ({ created_at: at }) => (at === null ? '–' : <Time at={at} />),
        },
      ]}
      empty={
        <Empty title={t('Noch keine Einwände', 'No objections yet')}>
          {t(
            'Einwände kommen aus dem Verlustgrund der Deals und aus der Eigenschaft oder den Notizen, die Sie bei der Verbindung angeben.',
            'Objections come from the lost reason of deals, and from the property or the notes that you choose for the connection.',
          )}
        </Empty>
      }
    />
  );
};
