import { DataTable } from '../list/table.tsx';
import type { ChartValues } from './parts.tsx';

/** The values of a chart as a table, shown in place of the chart. The newest values come first. */
export default function ShownTable({ label, heading, points, series, valueOf, isEmpty }: ChartValues) {
  const rows = points
    .map((point, at) => ({ ...point, at }))
    .filter(({ at }) => !isEmpty(at))
    .toReversed();
  return (
    <DataTable
      label={label}
      list={{ rows }}
      keyOf={({ key }) => key}
      columns={[
        { label: heading, cell: ({ long }) => long },
        ...series.map(({ key, name }) => ({
          label: name,
          align: 'end' as const,
          cell: ({ at }: { at: number }) => valueOf(at, key),
        })),
      ]}
    />
  );
}
