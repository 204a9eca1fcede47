import { Button, Group, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { t } from '../../language/language.tsx';
import { Pending, type PendingProps } from '../page/page.tsx';
import classes from './charts.module.css';
import type { ChartPoint } from './frame.tsx';

// The parts that all charts share besides the drawing: legend, tooltip, table, and the placeholder for missing data.

/** A series of a chart. Lines also differ in their dashes. */
export interface Series {
  key: string;
  name: string;
  /** The name of a CSS variable in `chart-colors.ts`. */
  color: string;
  dashes?: string;
}

const Swatch = ({ color, dashes }: Pick<Series, 'color' | 'dashes'>) => (
  <svg className={classes['swatch']} viewBox="0 0 10 10" aria-hidden>
    {dashes === undefined ? (
      <rect width={10} height={10} rx={2} fill={`var(${color})`} />
    ) : (
      <line x1={0} x2={10} y1={5} y2={5} strokeWidth={3} strokeDasharray={dashes} stroke={`var(${color})`} />
    )}
  </svg>
);

/** The names of the series with their colours, and a number for each if there is one. */
export const Legend = ({
  series,
  values,
}: {
  series: readonly Series[];
  values?: Readonly<Record<string, string>>;
}) => (
  <Group component="ul" gap="6px 20px" m={0} p={0} fz="sm" style={{ listStyle: 'none' }}>
    {series.map(({ key, name, ...swatch }) => (
      <Group key={key} component="li" gap={8} wrap="nowrap">
        <Swatch {...swatch} />
        <span style={{ fontVariantNumeric: 'tabular-nums' }}>
          {name} <b>{values?.[key]}</b>
        </span>
      </Group>
    ))}
  </Group>
);

interface TipRow extends Pick<Series, 'key' | 'name'>, Partial<Pick<Series, 'color' | 'dashes'>> {
  value: string;
}

/** The rows of a tooltip. The row with the sum has no colour. */
export const TipRows = ({ rows }: { rows: readonly TipRow[] }) => (
  <dl>
    {rows.map(({ key, name, value, color, dashes }) => [
      color === undefined ? (
        <span key={`${key} swatch`} />
      ) : (
        <Swatch key={`${key} swatch`} color={color} {...(dashes !== undefined && { dashes })} />
      ),
      <dt key={`${key} name`}>{name}</dt>,
      <dd key={`${key} value`}>{value}</dd>,
    ])}
  </dl>
);

/** The properties that bar and line charts share. */
export interface ChartProps {
  label: string;
  /** The heading of the points in the table, such as "Day". */
  heading: string;
  points: readonly ChartPoint[];
  series: readonly Series[];
  labels: { steps: readonly number[]; anchor: number };
  height?: number;
  asTable?: boolean;
}

export interface ChartValues extends Pick<ChartProps, 'label' | 'heading' | 'points'> {
  series: readonly Pick<Series, 'key' | 'name'>[];
  valueOf: (point: number, series: string) => string;
  /** Whether a point has no value. Such rows are left out of the shown table. */
  isEmpty: (point: number) => boolean;
}

interface ChartTableProps extends ChartValues {
  /** Shows the table to everybody. Otherwise it is only for screen readers, in addition to the drawing. */
  isShown: boolean;
}

/** Loaded on demand, because few readers open a chart's table. */
const ShownTable = lazy(() => import('./shown-table.tsx'));

export const ChartTable = ({ label, heading, points, series, valueOf, isEmpty, isShown }: ChartTableProps) => {
  if (isShown) {
    return (
      <Suspense fallback={<Skeleton height={240} role="status" aria-label={t('Wird geladen', 'Loading')} />}>
        <ShownTable {...{ label, heading, points, series, valueOf, isEmpty }} />
      </Suspense>
    );
  }
  return (
    <VisuallyHidden>
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {series.map(({ key, name }) => (
              <th key={key} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ key, long }, at) => (
            <tr key={key}>
              <th scope="row">{long}</th>
              {series.map((one) => (
                <td key={one.key}>{valueOf(at, one.key)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
};

export const TableSwitch = ({ asTable, onChange }: { asTable: boolean; onChange: (asTable: boolean) => void }) => (
  <Button
    size="xs"
    aria-pressed={asTable}
    leftSection={<IconTable size={14} aria-hidden />}
    onClick={() => onChange(!asTable)}
  >
    {t('Als Tabelle', 'As a table')}
  </Button>
);

interface ChartStateProps {
  height: number;
  /** The query that loads the values; undefined once they are loaded. */
  pending?: PendingProps['query'] | undefined;
  /** The text that says that there is nothing to draw; undefined if there is something. */
  empty?: ReactNode;
  children: ReactNode;
}

/** A chart. While it loads, a placeholder of the same size; the problem if loading failed; a text if it is empty. */
export const ChartState = ({ height, pending, empty, children }: ChartStateProps) => {
  if (pending) return <Pending query={pending} height={height} shape="chart" />;
  if (empty === undefined) return children;
  return (
    <Text c="dimmed" size="sm" component="div">
      {empty}
    </Text>
  );
};
