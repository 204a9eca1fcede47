import { escapeHtml } from '../../core/name-text.ts';
import type { Language } from '../../core/language.ts';

interface Letter {
  /** A paragraph, the text of the link below it, and a last paragraph. Texts of callers in them are made `quotable` first. */
  lead: string;
  /** What stands below the lead, point by point. */
  list?: readonly string[];
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

const listText = (points: readonly string[]): string =>
  points.length === 0 ? '' : `${points.map((point) => `- ${point}`).join('\n')}\n\n`;

const listHtml = (points: readonly string[]): string =>
  points.length === 0 ? '' : `<ul>${points.map((point) => `<li>${escapeHtml(point)}</li>`).join('')}</ul>`;

/** A mail with one thing to do, as text and as HTML. */
export const letter = (language: Language, { lead, list = [], action, ending, link }: Letter): MailContent => ({
  text: `${lead}\n\n${listText(list)}${action}:\n${link}\n\n${ending}\n`,
  html: `<!doctype html><html lang="${language}"><body><p>${escapeHtml(lead)}</p>${listHtml(list)}<p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p><p>${escapeHtml(ending)}</p></body></html>`,
});
