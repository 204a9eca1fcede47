// Horizontal bars as an SVG file that reads well on a light and on a dark page.

export interface Bar {
  label: string;
  value: number;
  /** The value as it is shown. */
  text: string;
  /** The bar of the service has a colour of its own. */
  isOurs: boolean;
}

export interface Chart {
  title: string;
  description: string;
  bars: readonly Bar[];
}

const [width, rowHeight, labelWidth, valueWidth, top] = [720, 30, 220, 110, 34];
const barWidth = width - labelWidth - valueWidth;

const style = `
    text { font: 14px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328; }
    .title { font-weight: 600; }
    .bar { fill: #8c959f; }
    .ours { fill: #0969da; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .bar { fill: #6e7681; }
      .ours { fill: #4493f8; }
    }`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const drawChart = ({ title, description, bars }: Chart): string => {
  const largest = Math.max(...bars.map(({ value }) => value));
  const height = top + bars.length * rowHeight + 6;
  const rows = bars.map(({ label, value, text, isOurs }, index) => {
    const y = top + index * rowHeight;
    const length = Math.max(2, Math.round((value / largest) * barWidth));
    return `
  <text x="${labelWidth - 10}" y="${y + 19}" text-anchor="end">${escaped(label)}</text>
  <rect class="bar${isOurs ? ' ours' : ''}" x="${labelWidth}" y="${y + 4}" width="${length}" height="${rowHeight - 8}" rx="3"/>
  <text x="${labelWidth + length + 8}" y="${y + 19}">${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">${escaped(title)}</title>
  <desc id="desc">${escaped(description)}</desc>
  <style>${style}
  </style>
  <text class="title" x="${labelWidth}" y="20">${escaped(title)}</text>${rows.join('')}
</svg>
`;
};
