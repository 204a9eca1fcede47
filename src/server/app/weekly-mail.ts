import { Router, type Request, type Response } from 'express';
import { escapeHtml } from '../../core/html.ts';
import type { Texts } from '../../core/language.ts';
import { serviceName } from '../../core/product.ts';
import { endWeeklyMail, readEndToken } from '../../modules/overview/weekly-mail.ts';
import type { Platform } from '../../platform/team.ts';
import { readBody } from '../http/bodies.ts';
import { refuseDuringMaintenance, writeAnswer, type MaintenanceState } from '../http/request-context.ts';

// The page to which the last link of a weekly mail leads. Its button ends the weekly mail without signing in. The
// button sends a POST, because programs that check mails open the links in them. Mail programs send the same POST (RFC
// 8058). The page belongs to the server and not to the app, so that it works without JavaScript and without an account.

const texts = {
  question: { de: 'Die wöchentliche E-Mail beenden?', en: 'Stop the weekly email?' },
  consequence: {
    de: 'Sie erhalten dann montags keine E-Mail mehr zu diesem Team.',
    en: 'You will get no more email about this team on Mondays.',
  },
  action: { de: 'Nicht mehr senden', en: 'Stop sending it' },
  done: { de: 'Die wöchentliche E-Mail ist beendet.', en: 'The weekly email has ended.' },
  again: {
    de: 'In der App können Sie sie unter „Konto und Sicherheit“ wieder einschalten.',
    en: 'You can turn it on again in the app, under “Account and security”.',
  },
} as const satisfies Readonly<Record<string, Texts>>;

const style = `body{margin:0;padding:48px 24px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;color:#1b1f2b;background:#fff}
main{max-width:560px;margin:0 auto}p:first-child{font-weight:600}h1{font-size:24px;line-height:1.3}
button{font:inherit;font-weight:600;padding:10px 20px;border:0;border-radius:8px;background:#4355cc;color:#fff;cursor:pointer}
@media(prefers-color-scheme:dark){body{color:#e8eaf2;background:#14161f}}`;

const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const send = async (
  request: Request<{ token: string }>,
  response: Response,
  { title, text, button }: { title: Texts; text: Texts; button?: Texts },
): Promise<void> => {
  const { language } = request.context;
  const heading = escapeHtml(title[language]);
  const form = button ? `<form method="post"><button>${escapeHtml(button[language])}</button></form>` : '';
  response.set('Content-Security-Policy', policy);
  await writeAnswer(request, response, {
    type: 'text/html; charset=utf-8',
    text: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${heading}</title><style>${style}</style></head><body><main><p>${serviceName}</p><h1>${heading}</h1><p>${escapeHtml(text[language])}</p>${form}</main></body></html>`,
  });
};

/** Enough for `List-Unsubscribe=One-Click`, or an empty form. */
const bodyBytes = 1_024;

/** If we have not signed the token, a GET goes on to the app, whose page says that the address does not exist. */
export const endOfWeeklyMail = (platform: Platform, maintenance: MaintenanceState): Router =>
  Router({ caseSensitive: true, strict: true })
    .get('/weekly-mail/:token', async (request, response, next) => {
      if (!readEndToken(platform, request.params.token)) return next();
      await send(request, response, { title: texts.question, text: texts.consequence, button: texts.action });
    })
    .post('/weekly-mail/:token', refuseDuringMaintenance(maintenance))
    .post('/weekly-mail/:token', async (request, response, next) => {
      const ended = readEndToken(platform, request.params.token);
      if (!ended) return next();
      await readBody(request, bodyBytes);
      await endWeeklyMail(platform, ended);
      await send(request, response, { title: texts.done, text: texts.again });
    });
