import tlds from 'tlds' with { type: 'json' };

// Names appear in mails and on pages, to people who do not know the author. So a name must show all its characters and
// must not contain a link. Texts that were stored before this rule are cleaned before a mail quotes them.

// Characters

/**
 * Characters that are invisible or change how other characters are shown: controls, line separators, bidi controls,
 * lone surrogates and everything that Unicode ignores by default. Joiners have a rule of their own below; variation
 * selectors are allowed.
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u2800]|(?!\p{Join_Control}|\p{Variation_Selector})[\p{Cf}\p{DI}]/u;

/**
 * Joiners at places where they are only invisible. In emoji and in scripts such as Arabic and Devanagari they are
 * needed.
 */
const strayJoiners: readonly RegExp[] = [
  /(?<![\p{L}\p{M}\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\p{Join_Control}/u,
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Join_Control}/u,
];

/** Whether a text is one line that shows all its characters in the order in which they are stored. */
export const isPlainLine = (text: string): boolean =>
  !hidden.test(text) && !strayJoiners.some((rule) => rule.test(text));

// Links

/**
 * Top-level domains, also reserved and local ones. Mail programs turn hosts in them into links even without `http://`.
 */
const topLevels: ReadonlySet<string> = new Set([...tlds, 'example', 'invalid', 'local', 'localhost', 'onion', 'test']);

/** Company forms and degrees that look like a host when they are written without a space. */
const abbreviations = /^(?:co\.(?:kg|ltd|inc|llc|sarl)|(?:b|m|dr)\.sc)$/u;

/** All characters that a browser reads as the full stop in a host name. */
const fullStops = /[.\u3002\uFF0E\uFF61\u2024\uFE52]/gu;

const unseen = /[\p{Cf}\p{DI}\p{Cs}\u2800]/gu;

/** The text as a mail program may read it: with compatible characters, none of them invisible, and `.` as full stop. */
const asRead = (text: string): string => text.normalize('NFKC').replace(unseen, '').replace(fullStops, '.');

/** The schemes of the second and the third rule make a link only if something follows the colon. */
const links: readonly RegExp[] = [
  /(?<![\p{L}\p{N}])(?:https?|ftps?|mailto):/iu,
  /(?<![\p{L}\p{N}])(?:tel|sms|sips?|callto|skype|whatsapp|tg|intent|magnet|bitcoin|ssh|git):[^\s]/iu,
  /(?<![\p{L}\p{N}])(?:javascript|vbscript|data|file|blob):[^\s]/iu,
  /:\/|\/\/|\\\\/u,
  /(?<![\p{L}\p{N}])(?:www|ftp)\d{0,3}\./iu,
  /[^\s@]@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+/u,
  /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/u,
  // a host of any top-level domain, followed by a path, port or query
  /[\p{L}\p{M}\p{N}_-]\.[\p{L}\p{M}]{2,}\.?(?:\/[^\s/]|:\d|[?#][^\s])/u,
];

/** Labels with full stops between them. A match begins at the start of a label, so that each label is read once. */
const labels = /(?<![\p{L}\p{M}\p{N}_-])[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+/gu;

const isHost = (text: string): boolean => {
  const host = text.toLowerCase();
  const top = host.slice(host.lastIndexOf('.') + 1);
  return (topLevels.has(top) || top.startsWith('xn--')) && !abbreviations.test(host);
};

/**
 * Whether a mail program may turn a part of the text into a link: a URL, an address, or a bare domain. The text must be
 * short: NFKC alone takes seconds for some texts of 8,000 characters.
 */
export const mayBecomeLink = (text: string): boolean => {
  const read = asRead(text);
  return links.some((rule) => rule.test(read)) || [...read.matchAll(labels)].some(([found]) => isHost(found));
};

/** At least seven digits, with any separators, but not a range of two years. */
const phoneNumber = /(?<![\d\p{L}])(?!(?:19|20)\d\d ?[-–/] ?(?:19|20)\d\d(?!\d))\d(?:[ ()./–-]{0,3}\d){6}/u;

/** Whether a phone may turn a part of the text into a link. */
export const holdsPhoneNumber = (text: string): boolean => phoneNumber.test(asRead(text));

// Mails

const omitted = '[…]';

/** How many characters of a caller's text a mail quotes by default: the quotation must not become the message. */
const maxInMail = 80;

/**
 * A full stop directly before a word. A space after it turns it into the end of a sentence, so that it is no part of a
 * host name.
 */
const stopBeforeWord = /\.(?=\p{L}[\p{L}\p{M}\p{N}-])/gu;

const withoutLink = (word: string): string => (mayBecomeLink(word) ? omitted : word.replace(stopBeforeWord, '. '));

/** The beginning of a text of any length, short enough for the slower rules. */
const beginningOf = (text: string, max: number): string => text.slice(0, max).toWellFormed();

const cut = (text: string, max: number): string => {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
};

/**
 * A caller's text as a mail may quote it: one line, shortened, without links, and without the quotation marks that
 * would end the quotation. Only the beginning of a long text is used.
 */
export const quotable = (text: string, max: number = maxInMail): string => {
  const line = asRead(beginningOf(text, 4 * max).replace(/[\p{Cc}\p{Z}]+/gu, ' '))
    .replace(/["„“”‟«»〝〞〟]/gu, "'")
    .trim();
  const clean = cut(line.split(/\s+/u).map(withoutLink).join(' '), max);
  return clean === '' || mayBecomeLink(clean) ? omitted : clean;
};

/** Longer than every email address, and than every host with its port. */
const longestAddress = 300;

/** A host name or address in a readable form that no mail program turns into a link: `hooks[.]example[.]com`. */
export const defanged = (text: string): string =>
  asRead(beginningOf(text, longestAddress).replace(/[\p{Cc}\p{Z}]+/gu, ''))
    .replaceAll('.', '[.]')
    .replaceAll('@', '[at]');
