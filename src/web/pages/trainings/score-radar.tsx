import { Box } from '@mantine/core';
import { useDimensionName } from '../../kit/scores.tsx';
import type { Mark } from './evaluation.tsx';
import classes from './trainings.module.css';

const [width, height, radius] = [540, 270, 105];
const rings = [25, 50, 75, 100];

/** Where a value stands on the axis of so many; the first points up. */
const pointAt = (index: number, count: number, value: number): [x: number, y: number] => {
  const angle = (index / count) * 2 * Math.PI - Math.PI / 2;
  const far = (value / 100) * radius;
  return [width / 2 + far * Math.cos(angle), height / 2 + far * Math.sin(angle)];
};

const outline = (values: readonly number[]): string =>
  values
    .map((value, index) =>
      pointAt(index, values.length, value)
        .map((one) => one.toFixed(1))
        .join(),
    )
    .join(' ');

const anchorAt = (x: number): 'start' | 'middle' | 'end' => {
  if (Math.abs(x - width / 2) < 1) return 'middle';
  return x > width / 2 ? 'start' : 'end';
};

/** The shape of a score; the same numbers stand beside it, so that nobody needs to see it. */
export const ScoreRadar = ({ marks }: { marks: readonly Mark[] }) => {
  const nameOf = useDimensionName();
  return (
    <Box visibleFrom="sm" aria-hidden>
      <svg className={classes['radar']} viewBox={`0 0 ${width} ${height}`}>
        {rings.map((ring) => (
          <polygon key={ring} className={classes['ring']} points={outline(marks.map(() => ring))} />
        ))}
        {marks.map(({ dimension }, index) => {
          const [x, y] = pointAt(index, marks.length, 100);
          return <line key={dimension} className={classes['ring']} x1={width / 2} y1={height / 2} x2={x} y2={y} />;
        })}
        <polygon className={classes['shape']} points={outline(marks.map(({ value }) => value))} />
        {marks.map(({ dimension }, index) => {
          const [x, y] = pointAt(index, marks.length, 113);
          return (
            <text key={dimension} x={x} y={y} textAnchor={anchorAt(x)} dominantBaseline="middle">
              {nameOf(dimension)}
            </text>
          );
        })}
      </svg>
    </Box>
  );
};
