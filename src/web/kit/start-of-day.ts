/** Where a day of the reader's calendar begins, or one of the days after it; undefined for what is no day. */
export const startOf = (text: string, daysLater = 0): string | undefined => {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const time = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  return Number.isNaN(time.getTime()) || time.getFullYear() < 1900 ? undefined : time.toISOString();
};
