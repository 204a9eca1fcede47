import type { May } from '../../session/may.ts';

/** The shelf of cases that the page shows, and on which it creates one. Members have only their own. */
export const shelfOf = (view: string, may: May): 'team' | 'own' => (may('admin') && view !== 'mine' ? 'team' : 'own');
