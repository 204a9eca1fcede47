import manifest from '../../package.json' with { type: 'json' };

/** The name of the product, as people see it. */
export const serviceName = 'Team Customer API';

export const serviceVersion = manifest.version;

/** The `User-Agent` of the service's own requests. */
export const userAgent = `Team-Customer-API/${serviceVersion}`;

export const basePathOf = (version: string): string => `/api/public/${version}`;

export const basePath = basePathOf('v1');

/** The announced end of a version of the public API. Both times may be in the future. */
export interface Retirement {
  readonly deprecatedAt: Date;
  /** From this time on the version may stop answering. */
  readonly sunsetAt?: Date | undefined;
  /** The address of the version that replaces the retired one. */
  readonly successorUrl?: string | undefined;
}

/** The contract promises this many months between the deprecation of a version and its end. */
export const monthsInParallel = 12;

/** The earliest permitted end of a version that is deprecated at a time. */
export const earliestSunset = (deprecatedAt: Date): Date => {
  const sunset = new Date(deprecatedAt);
  sunset.setUTCMonth(sunset.getUTCMonth() + monthsInParallel);
  return sunset;
};

/** The documentation for customers. Without a language in the path, a page is shown in the language of the browser. */
export const documentationPath = '/developers';

/** The page that explains the versions and shows the dates of a retirement. */
export const versionsPagePath = '/developers/versions';

/**
 * The headers that announce the end on every answer of the version (RFC 9745, RFC 8594, and RFC 5829 for the
 * successor).
 */
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
