const first = (text: string, names: readonly (readonly [RegExp, string])[]): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1];

// In this order: most of them also name the ones behind them.
const browsers = [
  [/Edg(A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const systems = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

export interface BrowserName {
  browser: string | undefined;
  system: string | undefined;
}

/** What a browser says that it is, in the words that people know it by. */
export const browserName = (userAgent: string): BrowserName => ({
  browser: first(userAgent, browsers),
  system: first(userAgent, systems),
});
