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

interface StatProps {
  label: ReactNode;
  value: ReactNode;
  /** What the number means, or what it was before. */
  children?: ReactNode;
}

/** A number that stands for itself, with its name. Several stand in a `Stats`. */
export const Stat = ({ label, value, children }: StatProps) => (
  <div className={classes['stat']}>
    <dt className={classes['label']}>{label}</dt>
    <dd className={classes['value']}>{value}</dd>
    {children !== undefined && <dd className={classes['hint']}>{children}</dd>}
  </div>
);

/** Numbers side by side. */
export const Stats = ({ label, children }: { label: string; children: ReactNode }) => (
  <section aria-label={label}>
    <dl className={classes['stats']}>{children}</dl>
  </section>
);

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

/** A state in a word, told by its text and not by its colour alone. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={`${classes['status'] ?? ''} ${classes[tone] ?? ''}`}>{children}</span>
);
