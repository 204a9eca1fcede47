import type { Language } from '../core/language.ts';

interface Task {
  title: string;
  note?: string;
}

/** What a team's people are asked to practise. */
export const tasks: Readonly<Record<Language, readonly [Task, ...Task[]]>> = {
  de: [
    { title: 'Preiseinwand ohne Rabatt auffangen', note: 'Bitte vor dem Jahresgespräch mit Stadtwerke Lindau.' },
    { title: 'Erstgespräch mit skeptischem Einkauf' },
    {
      title: 'Bedarfsanalyse: drei Folgefragen je Antwort',
      note: 'Achte darauf, nicht vor Minute fünf zu argumentieren.',
    },
    { title: 'Kündigung abwenden, Bestandskunde Gewerbe' },
    { title: 'Abschluss mit konkretem Termin', note: 'Mindestens ein Terminvorschlag, besser zwei.' },
    { title: 'Kaltakquise: Einstieg in 30 Sekunden' },
    { title: 'Reklamation nach Abrechnungsfehler', note: 'Erst zuhören, dann klären.' },
    { title: 'Mehrwert Photovoltaik in Euro ausdrücken' },
    { title: 'Nachfassen beim ruhenden Angebot' },
    { title: 'Gespräch mit zwei Entscheidern führen', note: 'Geschäftsführung und Technik sitzen gemeinsam am Tisch.' },
  ],
  en: [
    { title: 'Hold the price without a discount', note: 'Please before the renewal call with Millbrook Logistics.' },
    { title: 'Discovery call with a sceptical buyer' },
    { title: 'Needs analysis: three follow-ups per answer', note: 'Try not to pitch before minute five.' },
    { title: 'Save a cancellation, existing customer' },
    { title: 'Close with a concrete date', note: 'One date at least, two are better.' },
    { title: 'Cold call: thirty-second opening' },
    { title: 'Complaint after a billing error', note: 'Listen first, clarify second.' },
    { title: 'Put the value in pounds' },
    { title: 'Follow up on a dormant quote' },
    { title: 'Lead a call with two decision makers', note: 'Finance and IT are both in the room.' },
  ],
};
