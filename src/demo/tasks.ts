import type { Language } from '../core/language.ts';

interface Task {
  /** By its key in the starter catalog. */
  situation: string;
  title: string;
  note?: string;
}

/** What a team's people are asked to practise. */
export const tasks: Readonly<Record<Language, readonly [Task, ...Task[]]>> = {
  de: [
    {
      situation: 'objection_price',
      title: 'Preiseinwand ohne Rabatt auffangen',
      note: 'Bitte vor dem Jahresgespräch mit Stadtwerke Lindau.',
    },
    { situation: 'needs_analysis', title: 'Erstgespräch mit skeptischem Einkauf' },
    {
      situation: 'needs_analysis',
      title: 'Bedarfsanalyse: drei Folgefragen je Antwort',
      note: 'Achte darauf, nicht vor Minute fünf zu argumentieren.',
    },
    { situation: 'churn_prevention', title: 'Kündigung abwenden, Bestandskunde Gewerbe' },
    {
      situation: 'closing',
      title: 'Abschluss mit konkretem Termin',
      note: 'Mindestens ein Terminvorschlag, besser zwei.',
    },
    { situation: 'cold_call', title: 'Kaltakquise: Einstieg in 30 Sekunden' },
    { situation: 'complaint', title: 'Reklamation nach Abrechnungsfehler', note: 'Erst zuhören, dann klären.' },
    { situation: 'business_case', title: 'Mehrwert Photovoltaik in Euro ausdrücken' },
    { situation: 'proposal_follow_up', title: 'Nachfassen beim ruhenden Angebot' },
    {
      situation: 'product_demo',
      title: 'Gespräch mit zwei Entscheidern führen',
      note: 'Geschäftsführung und Technik sitzen gemeinsam am Tisch.',
    },
  ],
  en: [
    {
      situation: 'objection_price',
      title: 'Hold the price without a discount',
      note: 'Please before the renewal call with Millbrook Logistics.',
    },
    { situation: 'needs_analysis', title: 'Discovery call with a sceptical buyer' },
    {
      situation: 'needs_analysis',
      title: 'Needs analysis: three follow-ups per answer',
      note: 'Try not to pitch before minute five.',
    },
    { situation: 'churn_prevention', title: 'Save a cancellation, existing customer' },
    { situation: 'closing', title: 'Close with a concrete date', note: 'One date at least, two are better.' },
    { situation: 'cold_call', title: 'Cold call: thirty-second opening' },
    { situation: 'complaint', title: 'Complaint after a billing error', note: 'Listen first, clarify second.' },
    { situation: 'business_case', title: 'Put the value in pounds' },
    { situation: 'proposal_follow_up', title: 'Follow up on a dormant quote' },
    {
      situation: 'product_demo',
      title: 'Lead a call with two decision makers',
      note: 'Finance and IT are both in the room.',
    },
  ],
};
