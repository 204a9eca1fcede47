import { createContext } from 'react';

/** The place below the title of the open page for what its parts announce there. */
export const PageTop = createContext<HTMLElement | null>(null);
