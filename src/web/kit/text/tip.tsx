import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';

/**
 * A tooltip that is open from the start, because the pointer is already there. It is in a file of its own because
 * `HoverTip` loads it on demand.
 */
export const Tip = ({ label, openDelay, children }: { label: string; openDelay: number; children: ReactElement }) => (
  <Tooltip label={label} multiline maw="min(480px, 90vw)" defaultOpened openDelay={openDelay}>
    {children}
  </Tooltip>
);
