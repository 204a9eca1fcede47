import { escapeHtml } from '../../core/html.ts';
import type { Language } from '../../core/language.ts';

interface Letter {
  subject: string;
  /** A paragraph, the words of the link below it, and a last paragraph. */
  lead: string;
  action: string;
  ending: string;
  link: string;
}

/** A mail's subject is one line, whatever a team is called. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

/** A mail with one thing to do, as text and as HTML. */
export const letter = (language: Language, { subject, lead, action, ending, link }: Letter) => ({
  subject: oneLine(subject),
  text: `${lead}\n\n${action}:\n${link}\n\n${ending}\n`,
  html: `<!doctype html><html lang="${language}"><body><p>${escapeHtml(lead)}</p><p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p><p>${escapeHtml(ending)}</p></body></html>`,
});
