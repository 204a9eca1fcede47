import type { ReactNode } from 'react';
import type { ProviderName } from '../../../modules/crm/providers/table.ts';
import classes from './crm.module.css';

// Simple drawings in the colour of each CRM, not their trademarks.
const marks: Record<ProviderName, { back: string; drawing: ReactNode }> = {
  feed: {
    back: '#4355cc',
    drawing: (
      <g fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round">
        <path d="M12 8c-3 0-1.5 8-5 8 3.5 0 2 8 5 8M20 8c3 0 1.5 8 5 8-3.5 0-2 8-5 8" />
        <path d="M13.5 16h5" />
      </g>
    ),
  },
  hubspot: {
    back: '#c2410c',
    drawing: (
      <g fill="none" stroke="#fff" strokeWidth="2.2" strokeLinecap="round">
        <circle cx="18.5" cy="18.5" r="4.3" />
        <path d="M18.5 14.2V9.5M15.2 15.6 9.5 11M15.4 21.6 12 25" />
        <g fill="#fff" stroke="none">
          <circle cx="18.5" cy="8.5" r="2" />
          <circle cx="8.8" cy="10.4" r="2" />
          <circle cx="11.5" cy="25.3" r="1.7" />
        </g>
      </g>
    ),
  },
  pipedrive: {
    back: '#0b6b3a',
    drawing: (
      <g fill="none" stroke="#fff" strokeWidth="2.8" strokeLinecap="round">
        <path d="M12 9v16" />
        <circle cx="17" cy="14" r="5" />
      </g>
    ),
  },
};

export const isProvider = (provider: string): provider is ProviderName => Object.hasOwn(marks, provider);

/** A CRM's mark. It is decorative: the CRM's name is always beside it. */
export const ProviderMark = ({ provider, size = 32 }: { provider: string; size?: number }) => {
  const { back, drawing } = marks[isProvider(provider) ? provider : 'feed'];
  return (
    <svg className={classes['mark']} width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false">
      <rect width="32" height="32" rx="8" fill={back} />
      {drawing}
    </svg>
  );
};
