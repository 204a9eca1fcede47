export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

/** A state's colour and its name. */
export type StateWords = readonly [tone: Tone, name: string];
