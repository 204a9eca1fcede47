/** The end of a version of the public API, as its operator announced it. Either time may be in the future. */
export interface Retirement {
  readonly deprecatedAt: Date;
  /** From then on the version may stop answering. */
  readonly sunsetAt?: Date | undefined;
  /** Where clients find the version that replaces it. */
  readonly successorUrl?: string | undefined;
}

/** The contract promises so many months between the deprecation of a version and its end. */
export const monthsInParallel = 12;

/** The earliest time at which a version may end that is deprecated at a time. */
export const earliestSunset = (deprecatedAt: Date): Date => {
  const sunset = new Date(deprecatedAt);
  sunset.setUTCMonth(sunset.getUTCMonth() + monthsInParallel);
  return sunset;
};

/** The page that explains versions and shows the dates of this one. */
export const versionsPagePath = '/developers/versions';

/** The headers that announce it on every answer of the version (RFC 9745, RFC 8594, and RFC 5829 for the successor). */
export const retirementHeaders = (
  { deprecatedAt, sunsetAt, successorUrl }: Retirement,
  publicUrl: string,
): Readonly<Record<string, string>> => {
  const page = `<${publicUrl}${versionsPagePath}>`;
  const links = [
    ...(successorUrl === undefined ? [] : [`<${successorUrl}>; rel="successor-version"`]),
    `${page}; rel="deprecation"; type="text/html"`,
    ...(sunsetAt === undefined ? [] : [`${page}; rel="sunset"; type="text/html"`]),
  ];
  return {
    Deprecation: `@${Math.floor(deprecatedAt.getTime() / 1000)}`,
    ...(sunsetAt && { Sunset: sunsetAt.toUTCString() }),
    Link: links.join(', '),
  };
};
