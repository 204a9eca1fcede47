// Names appear in mails and on pages, to people who do not know the author. So a name must show all its characters and must not contain a
// link. Texts that were stored before this rule are cleaned before a mail quotes them.

// ── Characters ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Characters that are invisible or change how other characters are shown: controls, line separators, bidi controls, lone surrogates and
 * everything that Unicode ignores by default. The next rule covers joiners and variation selectors.
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u2800]|(?!\p{Join_Control}|\p{Variation_Selector})[\p{Cf}\p{DI}]/u;

/** Joiners are needed in emoji and in scripts such as Arabic and Devanagari. Elsewhere they are invisible. */
const strayJoiner =
  /(?<![\p{L}\p{M}\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\p{Join_Control}|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Join_Control}/u;

/** Whether a text is one line that shows all its characters in the order in which they are stored. */
export const isPlainLine = (text: string): boolean => !hidden.test(text) && !strayJoiner.test(text);

// ── Links ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Top-level domains of which mail programs make links without `http://`: those of countries, and others in wide use. */
const topLevels = new Set(
  `ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg ch ci
   ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp
   gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk
   lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe
   pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg
   th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw
   academy agency app art asia auction audio bank bar beer berlin best bet bid bike biz black blog blue bond boutique build builders
   business buzz cafe cam camp capital cards care careers casa cash casino center chat cheap church city claims click clinic
   clothing cloud club coach codes coffee com community company computer condos construction consulting contact contractors cool
   coop country coupons courses credit creditcard cricket cyou dance date dating day deals degree delivery democrat dental design
   dev digital direct directory discount dog domains download earth eco edu education email energy engineer engineering
   enterprises equipment estate events example exchange expert exposed express fail faith family fan fans farm fashion film finance
   financial fish fit fitness flights florist foo football forsale forum foundation fun fund furniture futbol fyi gallery game
   games garden gift gifts gives glass global gmbh gold golf gov graphics gratis green gripe group guide guitars guru hamburg
   haus health help holdings holiday homes horse host hosting house icu immo inc industries info ing ink institute insure int
   international investments invalid irish jetzt jewelry jobs kaufen kim kitchen koeln koln land lat law lawyer lease legal lgbt life
   lighting limited limo link live llc loan loans local localhost lol love ltd maison management market marketing mba media men
   menu mil mobi moda moe money monster mortgage mov movie museum name net network news ngo ninja one ong onion online ooo org
   organic page partners parts party pet photo photography photos pics pictures pink pizza plumbing plus porn press pro
   productions promo properties property protection pub quest racing realty recipes red rehab reise reisen rent rentals repair report
   republican rest restaurant review reviews rich rip rocks rodeo ruhr run saarland sale sales salon sarl sbs school schule
   science security services sexy shoes shop shopping show singles site ski soccer social software solar solutions space sport
   storage store stream studio style sucks supplies supply support surf surgery swiss systems tax taxi team tech technology
   tel tennis test theater tickets tienda tips tires tirol today tools top tours town toys trade trading training travel tube
   university uno vacations ventures versicherung viajes video villas vin vip vision vodka vote voting voyage watch web webcam
   website wedding wien wiki win wine work works world wtf xin xxx xyz yachts yoga zip zone
   рф рус онлайн сайт москва бел укр бг мкд срб мон қаз ελ ею 中国 中國 公司 网络 भारत 한국 ストア`.split(/\s+/u),
);

/** Company forms and degrees that look like a host when they are written without a space. */
const abbreviations = /^(?:co\.(?:kg|ltd|inc|llc|sarl)|(?:b|m|dr)\.sc)$/u;

/** All characters that a browser reads as the full stop in a host name. */
const fullStops = /[.\u3002\uFF0E\uFF61\u2024\uFE52]/gu;

const unseen = /[\p{Cf}\p{DI}\p{Cs}\u2800]/gu;

/** The text as a mail program may read it: compatibility forms are replaced, invisible characters removed, and all full stops are `.`. */
const asRead = (text: string): string => text.normalize('NFKC').replace(unseen, '').replace(fullStops, '.');

/** The second pattern is a link only if something follows it. */
const links: readonly RegExp[] = [
  /(?<![\p{L}\p{N}])(?:https?|ftps?|mailto):/iu,
  /(?<![\p{L}\p{N}])(?:tel|sms|sips?|callto|skype|javascript|vbscript|data|file|blob|intent|whatsapp|tg|ssh|git|magnet|bitcoin):[^\s]/iu,
  /:\/|\/\/|\\\\/u,
  /(?<![\p{L}\p{N}])(?:www|ftp)\d{0,3}\./iu,
  /[^\s@]@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+/u,
  /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/u,
];

const hosts = /[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+\.?/gu;

/** Whether the text contains a host name: labels that end in a top-level domain, or that are followed by a path, port or query. */
const holdsHost = (text: string): boolean => {
  for (const { 0: found, index } of text.matchAll(hosts)) {
    const host = found.replace(/\.$/u, '').toLowerCase();
    const top = host.slice(host.lastIndexOf('.') + 1);
    const known = topLevels.has(top) || top.startsWith('xn--');
    if (known && !abbreviations.test(host)) return true;
    const isContinued = /^(?:\/[^\s/]|:\d|[?#][^\s])/u.test(text.slice(index + found.length));
    if (isContinued && /^[\p{L}\p{M}]{2,}$/u.test(top)) return true;
  }
  return false;
};

/** Whether a mail program may turn a part of the text into a link: a URL, an address, or a bare domain. */
export const mayBecomeLink = (text: string): boolean => {
  const read = asRead(text);
  return links.some((rule) => rule.test(read)) || holdsHost(read);
};

/** At least seven digits, with any separators, but not a range of two years. */
const phoneNumber = /(?<![\d\p{L}])(?!(?:19|20)\d\d ?[-–/] ?(?:19|20)\d\d(?!\d))\d(?:[ ()./–-]{0,3}\d){6,}/u;

/** Whether a phone may turn a part of the text into a link. */
export const holdsPhoneNumber = (text: string): boolean => phoneNumber.test(asRead(text));

// ── Mails ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const omitted = '[…]';

/**
 * How many characters of a caller's text a mail quotes, unless the caller of `quotable` says otherwise: the quotation must not become the
 * message.
 */
const maxInMail = 80;

/** A full stop directly before a word. A space after it makes it the end of a sentence, so that it is not part of a host name. */
const stopBeforeWord = /\.(?=\p{L}[\p{L}\p{M}\p{N}-])/gu;

const withoutLink = (word: string): string => (mayBecomeLink(word) ? omitted : word.replace(stopBeforeWord, '. '));

const cut = (text: string, max: number): string => {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
};

/**
 * A caller's text as a mail may quote it: one line, shortened, without links, and without the quotation marks that would end the
 * quotation.
 */
export const quotable = (text: string, max: number = maxInMail): string => {
  const line = asRead(text.toWellFormed().replace(/[\p{Cc}\p{Z}]+/gu, ' '))
    .replace(/["„“”‟«»〝〞〟]/gu, "'")
    .trim();
  const clean = cut(line.split(/\s+/u).map(withoutLink).join(' '), max);
  return clean === '' || mayBecomeLink(clean) ? omitted : clean;
};

/** A host name or address in a readable form of which no mail program makes a link: `hooks[.]example[.]com`. */
export const defanged = (text: string): string =>
  asRead(text.toWellFormed().replace(/[\p{Cc}\p{Z}]+/gu, ''))
    .replaceAll('.', '[.]')
    .replaceAll('@', '[at]');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, also inside the quotes of an attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
