import type { ReactNode } from 'react';
import classes from './fact-grid.module.css';

/** What is to know about something at a glance, side by side. */
export const FactGrid = ({ children }: { children: ReactNode }) => <dl className={classes['facts']}>{children}</dl>;

interface FactProps {
  name: string;
  /** Has a line of its own: always, or where there is little room. */
  alone?: 'always' | 'when narrow';
  children: ReactNode;
}

export const Fact = ({ name, alone, children }: FactProps) => (
  <div className={classes['fact']} data-alone={alone}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
