import type { Language } from '../../core/language.ts';
import { letter } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';

type Parts = Record<'lead' | 'action' | 'ending', string>;

const texts: Readonly<Record<Language, (hours: number) => Parts>> = {
  de: (hours) => ({
    lead: 'Für Ihr Konto wurde ein neues Passwort angefordert.',
    action: 'Neues Passwort festlegen',
    ending: `Der Link gilt einmal und ${hours} Stunden. Haben Sie ihn nicht angefordert, können Sie diese Nachricht ignorieren: Ihr Passwort bleibt, wie es ist.`,
  }),
  en: (hours) => ({
    lead: 'A new password was asked for, for your account.',
    action: 'Set a new password',
    ending: `The link works once and for ${hours} hours. If it was not you who asked, you can ignore this message: your password stays as it is.`,
  }),
};

export const resetMail = (language: Language, { link, hours }: { link: string; hours: number }): MailContent =>
  letter(language, { ...texts[language](hours), link });
