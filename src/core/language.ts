export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text in every language of the product. */
export type Texts = Readonly<Record<Language, string>>;

/**
 * A sentence with which the server explains a refusal or a failure. People read it in their language, developers in English in a problem's
 * `detail`; `api` is set where developers need other words. The messages are in `messages/`.
 */
export interface Message extends Texts {
  readonly api?: string;
  /** A more exact title for people than that of the problem. */
  readonly title?: Texts;
}

/** The text for developers. */
export const forDevelopers = ({ api, en }: Message): string => api ?? en;

/** A text that only developers and operators read: on the command line, or in answers to keys. */
export const english = (text: string): Message => ({ de: text, en: text });

/** The options of Zod's `refine`, or a part of a custom issue, with a message of ours. */
export const saying = (message: Message) => ({ error: forDevelopers(message), params: { message } });
