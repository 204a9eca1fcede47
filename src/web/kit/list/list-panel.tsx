import { t } from '../../language/language.tsx';
import { Panel } from '../page/page.tsx';
import { DataTable, type DataTableProps } from './table.tsx';

interface ListPanelProps<Row> extends Omit<DataTableProps<Row>, 'label' | 'list'> {
  title: string;
  /** The first rows of a list. */
  query: { data: { data: readonly Row[] } | undefined; error: unknown; refetch: () => unknown };
  /** The page that has all rows. */
  all?: string;
}

/** The first rows of a list, in a section of another page. */
export function ListPanel<Row>({ title, query, all, ...table }: ListPanelProps<Row>) {
  return (
    <Panel title={title} {...(all !== undefined && { link: { to: all, label: t('Alle ansehen', 'View all') } })}>
      <DataTable {...table} label={title} list={{ ...query, rows: query.data?.data }} />
    </Panel>
  );
}
