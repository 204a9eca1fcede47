import type { ReactNode } from 'react';
import classes from './facts.module.css';
import type { StateWords, Tone } from './tones.ts';

export interface Fact {
  name: string;
  value: ReactNode;
  /**
   * In a grid: the screens on which the fact takes a whole line: all, those up to 75em, or phones. On the next wider
   * screens it takes two columns. In the panel beside a list it always takes a whole line.
   */
  alone?: 'always' | 'when not wide' | 'when narrow';
}

interface FactsProps {
  /** The facts. Those that are `false` are left out. */
  facts: readonly (Fact | false)[];
  /** Shows the facts in a grid instead of one per line. */
  sideBySide?: boolean;
}

export const Facts = ({ facts, sideBySide = false }: FactsProps) => (
  <dl className={classes[sideBySide ? 'grid' : 'lines']}>
    {facts
      .filter((fact) => fact !== false)
      .map(({ name, value, alone }) => (
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
  /** The meaning of the number, or its former value. */
  children?: ReactNode;
}

/** A prominent number with its name, inside `Stats`. */
export const Stat = ({ label, value, children }: StatProps) => (
  <div className={classes['stat']}>
    <dt className={classes['label']}>{label}</dt>
    <dd className={classes['value']}>{value}</dd>
    {children !== undefined && <dd className={classes['hint']}>{children}</dd>}
  </div>
);

export const Stats = ({ label, children }: { label: string; children: ReactNode }) => (
  <section aria-label={label}>
    <dl className={classes['stats']}>{children}</dl>
  </section>
);

/**
 * A state as a coloured label. The text alone says everything: in a table, states that need no attention have no
 * colour.
 */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={classes['status']} data-tone={tone}>
    {children}
  </span>
);

/** The states as options to choose from, each with its name. */
export const stateOptions = (states: Readonly<Record<string, StateWords>>) =>
  Object.entries(states).map(([value, [, label]]) => ({ value, label }));

export const State = ({ words: [tone, name] }: { words: StateWords }) => <Status tone={tone}>{name}</Status>;
