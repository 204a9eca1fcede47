import { Text, VisuallyHidden } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import {
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { t } from '../../language/language.tsx';
import classes from './charts.module.css';
import type { Span } from './periods.ts';
import { labelledPoints } from './scale.ts';

/** A place on the x axis: an interval, a week or a month. */
export interface ChartPoint {
  key: string;
  /** The text on the axis, such as `14:00` or `22. Nov.` */
  short: string;
  /** The text in the tooltip, and for screen readers. */
  long: string;
}

/** Where things are within the drawing, in pixels. */
export interface Plot {
  /** The width of a point's column. */
  band: number;
  /** The middle of a point's column. */
  x: (point: number) => number;
  y: (value: number) => number;
  top: number;
  bottom: number;
}

/** The part of the chart that the reader has selected, and the function that is called with a selection. */
export interface ChartSelection {
  selected: Span | null;
  onSelect: (span: Span | null) => void;
}

interface ChartFrameProps {
  /** The name for screen readers. */
  label: string;
  points: readonly ChartPoint[];
  /**
   * The labels of the x axis. `steps`: the allowed distances between them (in points), ascending. `anchor`: a point
   * that has a label.
   */
  labels: { steps: readonly number[]; anchor: number };
  /** The values of the y axis that have a line and a label, ascending. An axis that does not begin at 0 has a mark. */
  yTicks: readonly number[];
  formatY: (value: number) => string;
  height: number;
  draw: (plot: Plot) => ReactNode;
  /** The values of a point in the tooltip. `sentence` has the same values as a sentence. */
  tip: (point: number) => ReactNode;
  sentence: (point: number) => string;
  /** How the current point is marked: its whole column, or a line through its middle. */
  marks: 'column' | 'line';
  selecting?: ChartSelection;
  /** Opens the list behind a point. */
  onOpen?: ((point: number) => void) | undefined;
}

const top = 8;
const axisHeight = 22;
/** The width of a character in the labels of the axes, in pixels. */
const characterWidth = 6.4;

const ordered = (a: number, b: number): Span => ({ from: Math.min(a, b), to: Math.max(a, b) });

/** The places of values in the drawing, the size of the drawing, and the width of the labels at its left. */
interface Drawing extends Plot {
  width: number;
  height: number;
  left: number;
}

const drawingOf = (
  { points, yTicks, formatY, height }: Pick<ChartFrameProps, 'points' | 'yTicks' | 'formatY' | 'height'>,
  width: number,
): Drawing => {
  const left = Math.max(Math.ceil(Math.max(...yTicks.map((value) => formatY(value).length)) * characterWidth) + 8, 48);
  const band = Math.max(width - left, 0) / points.length;
  const bottom = height - axisHeight;
  const [min = 0] = yTicks;
  const max = yTicks.at(-1) ?? 1;
  return {
    width,
    height,
    left,
    band,
    top,
    bottom,
    x: (point) => left + (point + 0.5) * band,
    y: (value) => bottom - ((value - min) / (max - min)) * (bottom - top),
  };
};

/** The current point, the span that is selected or being selected, and the handlers for mouse, finger and keys. */
const useCurrentPoint = (
  { points, selecting, onOpen }: Pick<ChartFrameProps, 'points' | 'selecting' | 'onOpen'>,
  { left, band }: Drawing,
  element: RefObject<HTMLDivElement | null>,
) => {
  const [active, setActive] = useState<number | null>(null);
  /** The point at which a selection has begun. Its other end is the current point. */
  const [origin, setOrigin] = useState<number | null>(null);
  const last = points.length - 1;
  const draft = origin !== null && active !== null ? ordered(origin, active) : null;
  const shown = draft ?? selecting?.selected ?? null;

  const pointAt = ({ clientX }: Pick<PointerEvent, 'clientX'>): number => {
    const box = element.current?.getBoundingClientRect();
    const at = Math.floor((clientX - (box?.left ?? 0) - left) / band);
    return Math.min(Math.max(at, 0), last);
  };
  const select = ({ from, to }: Span) => {
    const { selected, onSelect } = selecting ?? {};
    // Selecting the same interval again removes the selection.
    onSelect?.(from === to && selected?.from === from && selected.to === to ? null : { from, to });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = active ?? last;
    const moved = new Map([
      ['ArrowLeft', now - 1],
      ['ArrowDown', now - 1],
      ['ArrowRight', now + 1],
      ['ArrowUp', now + 1],
      ['PageDown', now - Math.ceil(points.length / 10)],
      ['PageUp', now + Math.ceil(points.length / 10)],
      ['Home', 0],
      ['End', last],
    ]).get(event.key);
    if (moved !== undefined) {
      event.preventDefault();
      if (selecting && event.shiftKey) setOrigin(origin ?? now);
      else setOrigin(null);
      setActive(Math.min(Math.max(moved, 0), last));
    } else if (onOpen && event.key === 'Enter') {
      onOpen(now);
    } else if (selecting && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      select(draft ?? { from: now, to: now });
      setOrigin(null);
    } else if (selecting && event.key === 'Escape' && shown !== null) {
      event.preventDefault();
      setOrigin(null);
      selecting.onSelect(null);
    }
  };

  return {
    active,
    shown,
    handlers: {
      ...(onOpen && { onClick: (event: MouseEvent) => onOpen(pointAt(event)) }),
      onFocus: () => {
        if (element.current?.matches(':focus-visible') === true) setActive((was) => was ?? last);
      },
      onBlur: () => {
        setActive(null);
        setOrigin(null);
      },
      onKeyDown,
      onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
        if (!selecting || event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setActive(pointAt(event));
        setOrigin(pointAt(event));
      },
      onPointerMove: (event: PointerEvent) => setActive(pointAt(event)),
      onPointerUp: (event: PointerEvent) => {
        if (origin === null) return;
        select(ordered(origin, pointAt(event)));
        setOrigin(null);
      },
      onPointerCancel: () => setOrigin(null),
      onPointerLeave: () => {
        if (origin === null) setActive(null);
      },
    },
  };
};

type AxesProps = Pick<ChartFrameProps, 'points' | 'labels' | 'yTicks' | 'formatY'> & { drawing: Drawing };

const Axes = ({ points, labels, yTicks, formatY, drawing: { left, width, height, bottom, band, x, y } }: AxesProps) => {
  const labelWidth = Math.max(...points.map(({ short }) => short.length)) * characterWidth + 14;
  const [min = 0] = yTicks;
  return (
    <>
      {yTicks.map((value) => (
        <g key={value}>
          <line className={classes['grid']} x1={left} x2={width} y1={y(value)} y2={y(value)} />
          <text x={left - 8} y={y(value) + 4} textAnchor="end">
            {formatY(value)}
          </text>
        </g>
      ))}
      {min > 0 && (
        <path
          className={classes['break']}
          d={`M${left} ${bottom - 14}l-4 3 8 3 -8 3 4 3`}
          aria-label={t('Die Achse beginnt nicht bei 0', 'The axis does not begin at 0')}
        />
      )}
      {labelledPoints({ points: points.length, band, label: labelWidth, ...labels }).map((at) => (
        <text
          key={points[at]?.key}
          x={Math.min(Math.max(x(at), left + labelWidth / 2 - 7), width - labelWidth / 2 + 7)}
          y={height - 5}
          textAnchor="middle"
        >
          {points[at]?.short}
        </text>
      ))}
    </>
  );
};

const Cursor = ({
  at,
  marks,
  drawing: { x, band, bottom },
}: Pick<ChartFrameProps, 'marks'> & { at: number; drawing: Drawing }) =>
  marks === 'column' ? (
    <rect className={classes['cursor']} x={x(at) - band / 2} y={top} width={band} height={bottom - top} />
  ) : (
    <line className={classes['rule']} x1={x(at)} x2={x(at)} y1={top} y2={bottom} />
  );

/** The edges of the selected span, and shades over the parts outside of it. */
const SelectedSpan = ({
  span,
  last,
  drawing: { left, band, bottom },
}: {
  span: Span;
  last: number;
  drawing: Drawing;
}) => (
  <>
    <rect className={classes['outside']} x={left} y={top} width={span.from * band} height={bottom - top} />
    <rect
      className={classes['outside']}
      x={left + (span.to + 1) * band}
      y={top}
      width={(last - span.to) * band}
      height={bottom - top}
    />
    {[span.from, span.to + 1].map((edge) => (
      <line
        key={edge}
        className={classes['edge']}
        x1={left + edge * band}
        x2={left + edge * band}
        y1={top}
        y2={bottom}
      />
    ))}
  </>
);

/**
 * The place of the tooltip: beside the point. In a narrow chart it is at the opposite edge, so that it does not cover
 * the whole chart.
 */
const tipPlaceAt = (x: number, { width, band }: Drawing) => {
  if (width < 480) return { maxWidth: Math.max(width * 0.6, 200), ...(x > width / 2 ? { left: 0 } : { right: 0 }) };
  const side = x > width / 2 ? { right: width - x + band / 2 + 8 } : { left: x + band / 2 + 8 };
  return { maxWidth: width / 2 - 8, ...side };
};

const spanText = (from: ChartPoint, to: ChartPoint): string =>
  t(`. Gewählt: ${from.long} bis ${to.long}`, `. Selected: ${from.long} to ${to.long}`);

/**
 * The axes of a chart, its tooltip and, with `selecting`, the selection of a span by mouse, finger or keyboard. It is
 * one tab stop: a slider over its points, whose value is read out.
 */
export const ChartFrame = (props: ChartFrameProps) => {
  const { label, points, height, draw, tip, sentence, marks, selecting, onOpen } = props;
  const hint = useId();
  const { ref: measured, width } = useElementSize<HTMLDivElement>();
  const element = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(measured, element);
  const drawing = drawingOf(props, width);
  const { active, shown, handlers } = useCurrentPoint(props, drawing, element);

  const last = points.length - 1;
  const [from, to] = [shown && points[shown.from], shown && points[shown.to]];
  const span = from && to ? shown : null;
  const current = active === null ? undefined : points[active];
  return (
    <>
      <div
        ref={ref}
        className={classes['chart']}
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={(active ?? last) + 1}
        aria-valuetext={`${points[active ?? last]?.long ?? ''}: ${sentence(active ?? last)}${from && to ? spanText(from, to) : ''}`}
        {...(selecting && { 'data-selects': true })}
        {...(onOpen && { 'data-opens': true })}
        {...((selecting !== undefined || onOpen !== undefined) && { 'aria-describedby': hint })}
        {...handlers}
      >
        {width > 0 && (
          <svg className={classes['svg']} width={width} height={height} aria-hidden>
            <Axes {...props} drawing={drawing} />
            {active !== null && <Cursor at={active} marks={marks} drawing={drawing} />}
            {draw(drawing)}
            {span && <SelectedSpan span={span} last={last} drawing={drawing} />}
          </svg>
        )}
        {active !== null && current && (
          <div className={classes['tip']} aria-hidden style={tipPlaceAt(drawing.x(active), drawing)}>
            <strong>{current.long}</strong>
            {tip(active)}
            {onOpen && <Text size="xs">{t('Klick öffnet die Trainings', 'Click opens the trainings')}</Text>}
          </div>
        )}
      </div>
      {onOpen && (
        <VisuallyHidden id={hint}>
          {t(
            'Pfeiltasten bewegen, die Eingabetaste öffnet die Trainings dahinter.',
            'Arrow keys move, Enter opens the trainings behind a point.',
          )}
        </VisuallyHidden>
      )}
      {selecting && (
        <VisuallyHidden id={hint}>
          {t(
            'Pfeiltasten bewegen, mit Umschalttaste eine Zeitspanne wählen, Eingabetaste filtert die Liste, Escape hebt die Auswahl auf.',
            'Arrow keys move, with Shift they select a time span, Enter filters the list, Escape clears the selection.',
          )}
        </VisuallyHidden>
      )}
    </>
  );
};
