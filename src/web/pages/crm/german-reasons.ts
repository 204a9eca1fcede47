/** The server's most common sentences in German. `$1` stands for the pattern's first group. */
export const german: readonly (readonly [RegExp, string])[] = [
  [
    /^The CRM refused the access token \((\d+)\)\. Enter a new one\.$/,
    'Das CRM hat das Zugriffstoken abgelehnt ($1). Geben Sie ein neues ein.',
  ],
  [
    /^The connection has no access token\. Enter one\.$/,
    'Für die Verbindung ist kein Zugriffstoken hinterlegt. Geben Sie eines ein.',
  ],
  [/^The CRM answered with status (\d+)\.$/, 'Das CRM antwortete mit dem Status $1.'],
  [
    /^The CRM answered with status (\d+): a redirect, which is not followed\. Enter the address that it leads to\.$/,
    'Das CRM antwortete mit einer Weiterleitung ($1). Weiterleitungen werden nicht unterstützt. Geben Sie die Zieladresse ein.',
  ],
  [
    /^The CRM answered with status (\d+) again, after \d+ waits\.$/,
    'Das CRM antwortete auch nach mehreren Wartezeiten mit dem Status $1.',
  ],
  [/^The CRM’s answer is not valid JSON\.$/, 'Die Antwort des CRM ist kein gültiges JSON.'],
  [/^The CRM has more than (\d+) pages\.$/, 'Das CRM lieferte mehr als $1 Seiten.'],
  [
    /^The feed’s answer must be an object with a list of deals\.$/,
    'Die Antwort des Feeds muss ein Objekt mit einer Liste „deals“ sein.',
  ],
  [/^The sync took longer than a day\.$/, 'Der Abgleich dauerte länger als einen Tag.'],
  [
    /^The service could not process the CRM’s data\. If this happens again, contact support\.$/,
    'Die Daten des CRM konnten nicht verarbeitet werden. Wenden Sie sich an den Support, falls das wieder vorkommt.',
  ],
  [/^The settings were changed\.$/, 'Die Einstellungen wurden geändert.'],
  [/^The connection was paused\.$/, 'Die Verbindung wurde pausiert.'],
  [/^The connection was disconnected\.$/, 'Die Verbindung wurde getrennt.'],
  [
    /^The team is suspended or ended, or its plan has no API\.$/,
    'Das Team ist gesperrt oder beendet, oder sein Tarif enthält keine API.',
  ],
  [
    /^The service failed three times at one page of the CRM\. Make the pages smaller\.$/,
    'Eine Seite des CRM konnte dreimal nicht verarbeitet werden. Verkleinern Sie die Seiten.',
  ],
  [
    /^The answer has more than \S+ values\. Make the pages smaller\.$/,
    'Die Antwort enthält zu viele Werte. Verkleinern Sie die Seiten.',
  ],
  [
    /^The answer has more than (\d+) levels of objects and lists\.$/,
    'Die Antwort ist tiefer als $1 Ebenen verschachtelt.',
  ],
  [/^The CRM refused the connection\.$/, 'Das CRM hat die Verbindung abgelehnt.'],
  [
    /^The CRM closed the connection before its answer was complete\.$/,
    'Das CRM hat die Verbindung geschlossen, bevor seine Antwort vollständig war.',
  ],
  [/^The CRM’s address can’t be reached\.$/, 'Die Adresse des CRM ist nicht erreichbar.'],
  [
    /^There was no connection to the CRM within (\d+) seconds\.$/,
    'Innerhalb von $1 Sekunden kam keine Verbindung zum CRM zustande.',
  ],
  [/^The CRM did not answer within (\d+) seconds\.$/, 'Das CRM hat nicht innerhalb von $1 Sekunden geantwortet.'],
  [
    /^The answer was not complete within (\d+) seconds\.$/,
    'Die Antwort war nicht innerhalb von $1 Sekunden vollständig.',
  ],
  [/^The answer is larger than (\d+) MiB\.$/, 'Die Antwort ist größer als $1 MiB.'],
  [/^The CRM’s certificate has expired\.$/, 'Das Zertifikat des CRM ist abgelaufen.'],
  [/^The CRM’s certificate is not for this host\.$/, 'Das Zertifikat des CRM gilt nicht für diesen Host.'],
  [
    /^The CRM’s certificate (?:is signed by itself, not by a known|comes from an unknown) authority\.$/,
    'Das Zertifikat des CRM stammt von keiner bekannten Zertifizierungsstelle.',
  ],
  [/^The address (\S+) is not public\.$/, 'Die Adresse $1 ist nicht öffentlich.'],
  [
    /^The host name leads to an address that is not public\.$/,
    'Der Hostname führt zu einer Adresse, die nicht öffentlich ist.',
  ],
  [/^The host name can’t be found in the DNS\.$/, 'Der Hostname wurde im DNS nicht gefunden.'],
  [/^This is not a valid URL\.$/, 'Das ist keine gültige URL.'],
  [/^The URL must begin with https:\/\/\.$/, 'Die URL muss mit https:// beginnen.'],
  [
    /^Requests are sent to public hosts only, and (\S+) is a name of private networks\.$/,
    'Anfragen gehen nur an öffentliche Hosts; $1 ist ein Name aus privaten Netzen.',
  ],
  [/^A feed needs its address\.$/, 'Geben Sie die Adresse des Feeds an.'],
  [
    /^An access token has visible ASCII characters only, and no spaces\.$/,
    'Ein Zugriffstoken besteht nur aus sichtbaren ASCII-Zeichen, ohne Leerzeichen.',
  ],
  [/^A team has at most (\d+) CRM connections\.$/, 'Ein Team hat höchstens $1 CRM-Verbindungen.'],
  [/^HubSpot refused (\S+): the token needs the scope (\S+)\.$/, 'HubSpot lehnte $1 ab: Dem Token fehlt der Scope $2.'],
  [
    /^HubSpot has no property of deals with the internal name (.+)\.$/s,
    'HubSpot hat keine Deal-Eigenschaft mit dem internen Namen $1.',
  ],
  [
    /^Pipedrive has no field of deals with the key or name (.+)\.$/s,
    'Pipedrive hat kein Deal-Feld mit dem Schlüssel oder Namen $1.',
  ],
];

// Sentences about a place of the feed's answer.
export const ofPlaces: readonly (readonly [RegExp, string])[] = [
  [
    /^It must be a decimal number or the text of one, like "18400\.50"\.$/,
    'Der Wert muss eine Dezimalzahl sein, als Zahl oder als Text, etwa "18400.50".',
  ],
  [/^It must be a number from 0 to 100\.$/, 'Der Wert muss eine Zahl von 0 bis 100 sein.'],
  [/^It must be open, won or lost\.$/, 'Der Wert muss open, won oder lost sein.'],
  [/^It must be a text\.$/, 'Der Wert muss ein Text sein.'],
  [/^It must be a text or null\.$/, 'Der Wert muss ein Text oder null sein.'],
  [/^It must be a list\.$/, 'Der Wert muss eine Liste sein.'],
  [/^It must be a currency of ISO 4217, like EUR\.$/, 'Der Wert muss eine Währung nach ISO 4217 sein, etwa EUR.'],
  [/^It must be a day like 2026-12-15\.$/, 'Der Wert muss ein Tag sein, etwa 2026-12-15.'],
  [/^It must be a time like 2026-11-20T09:30:00Z\.$/, 'Der Wert muss ein Zeitpunkt sein, etwa 2026-11-20T09:30:00Z.'],
  [/^There is no year 0\.$/, 'Das Jahr 0 gibt es nicht.'],
  [/^It must not be empty\.$/, 'Der Wert darf nicht leer sein.'],
  [/^It must have at most (\S+) characters\.$/, 'Der Wert darf höchstens $1 Zeichen haben.'],
  [/^It must not contain control characters\.$/, 'Der Wert darf keine Steuerzeichen enthalten.'],
  [
    /^It must not contain NUL or half of a surrogate pair\.$/,
    'Der Wert darf weder NUL noch ein halbes Surrogatpaar enthalten.',
  ],
];

const places =
  /^(?<place>(?<list>deals|objections)(?:\[(?<row>\d+)\](?:\.(?<member>\w+))?)?|next_cursor): (?<sentence>.+)$/s;

const translated = (text: string, sentences: typeof german): string | undefined => {
  const [pattern, sentence] = sentences.find(([one]) => one.test(text)) ?? [];
  if (pattern === undefined || sentence === undefined) return undefined;
  const groups = pattern.exec(text) ?? [];
  return sentence.replaceAll(/\$(\d)/g, (_all, index: string) => groups[Number(index)] ?? '');
};

/** A reason in German, with the unchanged place in the feed's answer; undefined if there is no translation. */
export const inGerman = (reason: string): string | undefined => {
  const { place, sentence } = places.exec(reason)?.groups ?? {};
  if (place === undefined || sentence === undefined) return translated(reason, german);
  const translation = translated(sentence, ofPlaces);
  return translation === undefined ? undefined : `${place}: ${translation}`;
};

/** The place in the feed's answer where a row is invalid, for people; rows are counted from 1. Undefined if the reason names no place. */
export const placeInWords = (reason: string): Record<'de' | 'en', string> | undefined => {
  const { place, list, row, member } = places.exec(reason)?.groups ?? {};
  if (place === undefined) return undefined;
  if (row === undefined) return { de: `das Feld „${place}“`, en: `the field “${place}”` };
  const at = Number(row) + 1;
  const isDeal = list === 'deals';
  if (member === undefined) {
    return { de: isDeal ? `der ${at}. Deal` : `der ${at}. Einwand`, en: `${isDeal ? 'deal' : 'objection'} ${at}` };
  }
  return {
    de: `das Feld „${member}“ im ${at}. ${isDeal ? 'Deal' : 'Einwand'}`,
    en: `the field “${member}” of ${isDeal ? 'deal' : 'objection'} ${at}`,
  };
};
