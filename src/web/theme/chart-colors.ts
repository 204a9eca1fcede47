/**
 * The colours of all charts. In both schemes each has a contrast of at least 3:1 with the background, and readers with
 * a colour vision deficiency can distinguish the colours of one group. A chart uses the variables, such as
 * `var(--chart-answered)`.
 */
export const chartColors = {
  light: {
    '--chart-answered': '#4355cc',
    '--chart-refused': '#c27a0a',
    '--chart-limited': '#868c97',
    '--chart-failed': '#b01e4f',
    '--chart-line-1': '#3747ad',
    '--chart-line-2': '#d55e00',
    '--chart-line-3': '#5c6370',
  },
  dark: {
    '--chart-answered': '#8593ea',
    '--chart-refused': '#f2b24c',
    '--chart-limited': '#c9ced6',
    '--chart-failed': '#f0567f',
    '--chart-line-1': '#a3aef2',
    '--chart-line-2': '#ff9e4a',
    '--chart-line-3': '#8b93a1',
  },
} as const;
