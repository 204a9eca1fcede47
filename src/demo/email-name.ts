const spelledOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ı: 'i' };

/** A name as it stands before the @ of an email. */
export const emailName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[äöüßı]/g, (letter) => spelledOut[letter] ?? letter)
    .normalize('NFD')
    .replace(/[^a-z -]/g, '')
    .replaceAll(' ', '.');
