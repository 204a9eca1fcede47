const minute = 60_000;

/** A time as a field for date and time wants it: without a zone, in the reader’s. Empty for what is no time. */
export const localOf = (time: Date): string =>
  Number.isNaN(time.getTime())
    ? ''
    : new Date(time.getTime() - time.getTimezoneOffset() * minute).toISOString().slice(0, 16);
