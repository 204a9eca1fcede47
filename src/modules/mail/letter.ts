import { escapeHtml } from '../../core/html.ts';
import type { Language } from '../../core/language.ts';

interface Letter {
  /** A paragraph, the text of the link below it, and a last paragraph. Texts of callers in them are made `quotable` first. */
  lead: string;
  action: string;
  ending: string;
  /** Our own address. */
  link: string;
}

/** What a mail says, without its subject: that follows from its kind. */
export interface MailContent {
  text: string;
  html: string;
}

/** A mail with one thing to do, as text and as HTML. */
export const letter = (language: Language, { lead, action, ending, link }: Letter): MailContent => ({
  text: `${lead}\n\n${action}:\n${link}\n\n${ending}\n`,
  html: `<!doctype html><html lang="${language}"><body><p>${escapeHtml(lead)}</p><p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p><p>${escapeHtml(ending)}</p></body></html>`,
});
