import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  name: string;
  value: ReactNode;
  /** Among facts side by side: has a line of its own, always or where there is little room. */
  alone?: 'always' | 'when narrow';
}

interface FactsProps {
  facts: readonly Fact[];
  /** Not a line each, but as many beside each other as there is room for. */
  sideBySide?: boolean;
}

/** What is to know about something. */
export const Facts = ({ facts, sideBySide = false }: FactsProps) => (
  <dl className={classes[sideBySide ? 'grid' : 'lines']}>
    {facts.map(({ name, value, alone }) => (
      <div key={name} className={classes['fact']} data-alone={alone}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
