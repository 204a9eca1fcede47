import type { May } from '../../session/may.ts';

/** The shelf whose cases the page shows, and on which it creates one. Members have only their own shelf. */
export const shelfOf = (view: string, may: May): 'team' | 'own' => (may('admin') && view !== 'mine' ? 'team' : 'own');
