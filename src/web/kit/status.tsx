import type { ReactNode } from 'react';
import classes from './status.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

/** A state in a word, told by its text and not by its colour alone. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={`${classes['status'] ?? ''} ${classes[tone] ?? ''}`}>{children}</span>
);
