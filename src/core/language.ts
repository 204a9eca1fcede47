export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

/** A value for each language of the product: a text, or a function that writes one. */
export type ForEachLanguage<Value> = Readonly<Record<Language, Value>>;

/** A text in every language of the product. All texts of the service have this form; the app has its own, `t()`. */
export type Texts = ForEachLanguage<string>;

/** How numbers, dates and lists are written in each language. */
export const locales = { de: 'de-DE', en: 'en-GB' } as const satisfies Texts;

/**
 * A sentence with which the server explains a refusal or a failure. People read it in their language, developers in
 * English in a problem's `detail`; `api` is set where developers need other words. The messages are in `messages/`.
 */
export interface Message extends Texts {
  readonly api?: string;
  /** What an operator can do about the refusal, on the command line. */
  readonly operator?: string;
  /** A title for people that is more exact than that of the problem. */
  readonly title?: Texts;
}

export const forDevelopers = ({ api, en }: Message): string => api ?? en;

export const forOperators = (message: Message): string =>
  [forDevelopers(message), message.operator].filter((part) => part !== undefined).join(' ');

/** A text that only developers and operators read: on the command line, or in answers to keys. */
export const english = (text: string): Message => ({ de: text, en: text });

/** The options of Zod's `refine`, or a part of a custom issue, with one of our messages. */
export const saying = (message: Message) => ({ error: forDevelopers(message), params: { message } });
