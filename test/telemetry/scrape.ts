interface Scraped {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  /** The value of a series, written as `name{label="value"}` with its labels in the order of the text. */
  value(series: string): number | undefined;
}

/** Reads metrics like Prometheus. */
export const scrape = async (port: number | undefined): Promise<Scraped> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text,
    value(series) {
      const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length + 1));
    },
  };
};
