/** Gives the day on which a time falls in a time zone, as `YYYY-MM-DD`. A zone that is unknown here counts as UTC. */
export const dayIn = (timeZone: string | null): ((time: Date) => string) => {
  const format = formatFor(timeZone ?? 'UTC');
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
    return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
  };
};

const formatFor = (timeZone: string): Intl.DateTimeFormat => {
  try {
    return formatIn(timeZone);
  } catch {
    return formatIn('UTC');
  }
};

const formatIn = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit', calendar: 'gregory' });
