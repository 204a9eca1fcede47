import type { ReactNode } from 'react';
import classes from './stat.module.css';

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
