/** The time zone in which a team's days begin, in mails and in the filters of lists. */
export const teamTimeZone = 'Europe/Berlin';

/** The day (`2026-11-20`) and the full hour that a clock in a time zone shows at a time. */
export const clockIn = (timeZone: string): ((time: Date) => { day: string; hour: number }) => {
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone });
  const hour = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  return (time) => ({ day: day.format(time), hour: Number(hour.format(time)) });
};
