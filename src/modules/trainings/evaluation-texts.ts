import type { Language } from '../../core/language.ts';
import type { NewEvaluation } from './schema.ts';

type Words = Pick<NewEvaluation, 'tips' | 'strongest' | 'biggest_lever'>;

/** What a coach would say of almost any conversation. */
const words: Readonly<Record<Language, Words>> = {
  de: {
    strongest: 'Fragt nach, bis der Bedarf klar ist, statt zu früh vorzustellen.',
    biggest_lever: 'Am Ende einen konkreten nächsten Schritt mit Datum vorschlagen.',
    tips: [
      {
        issue: 'Der Preis wird verteidigt, bevor der Einwand verstanden ist.',
        moment: '„Das ist uns zu teuer.“ – „Dafür bekommen Sie aber auch …“',
        principle: 'Erst verstehen, woran der Preis gemessen wird, dann antworten.',
        rewrite: '„Zu teuer im Vergleich wozu?“',
        impact: 'Aus einem Nein wird ein Gespräch über den Nutzen.',
      },
      {
        issue: 'Das Gespräch endet ohne Verabredung.',
        moment: '„Melden Sie sich einfach, wenn Sie so weit sind.“',
        principle: 'Wer den nächsten Schritt vorschlägt, behält ihn in der Hand.',
        rewrite: '„Passt Ihnen Donnerstag um zehn, um das Angebot gemeinsam durchzugehen?“',
        impact: 'Die Entscheidung bekommt ein Datum.',
      },
    ],
  },
  en: {
    strongest: 'Keeps asking until the need is clear instead of presenting too early.',
    biggest_lever: 'Propose a concrete next step with a date at the end.',
    tips: [
      {
        issue: 'The price is defended before the objection is understood.',
        moment: '“That is too expensive for us.” – “But look at what you get …”',
        principle: 'First find out what the price is measured against, then answer.',
        rewrite: '“Too expensive compared with what?”',
        impact: 'A no becomes a talk about value.',
      },
      {
        issue: 'The conversation ends without an agreement.',
        moment: '“Just get in touch when you are ready.”',
        principle: 'Whoever proposes the next step keeps hold of it.',
        rewrite: '“Does Thursday at ten suit you to go through the offer together?”',
        impact: 'The decision gets a date.',
      },
    ],
  },
};

const goalWith = (score: number): NewEvaluation['goal'] => {
  if (score >= 70) return 'reached';
  return score >= 40 ? 'partial' : 'missed';
};

/** A believable evaluation in which each dimension is this score. */
export const evaluationWith = (score: number, language: Language): NewEvaluation => ({
  ...words[language],
  dimensions: {
    closing: score,
    conversation_control: score,
    needs_analysis: score,
    objection_handling: score,
    value_argument: score,
  },
  total: score,
  goal: goalWith(score),
  methodology: null,
});
