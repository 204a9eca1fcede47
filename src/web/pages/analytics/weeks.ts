const day = 86_400_000;

/** The Mondays (UTC, `2026-11-16`) of so many weeks, this week’s last. */
export const lastMondays = (count: number, now = new Date()): string[] => {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const monday = today - ((now.getUTCDay() + 6) % 7) * day;
  return Array.from({ length: count }, (_, index) =>
    new Date(monday - (count - 1 - index) * 7 * day).toISOString().slice(0, 10),
  );
};
