import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  name: string;
  value: ReactNode;
}

/** What is to know about something, a line each. */
export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl className={classes['facts']}>
    {facts.map(({ name, value }) => (
      <div key={name} className={classes['fact']}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
