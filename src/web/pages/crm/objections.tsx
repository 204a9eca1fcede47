import { Text } from '@mantine/core';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Time } from '../../kit/formats.tsx';
import { Empty } from '../../kit/messages.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { ConnectionOf } from './connection-state.tsx';
import classes from './crm.module.css';
import { isLanguageTag, useLanguageName } from './objection-fields.tsx';

const pageSize = 50;

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
