import type { ForEachLanguage, Language } from '../../core/language.ts';
import { toCamel } from '../../core/spelling.ts';
import { scoreDimensions, type ScoreDimension, type Tip } from '../../modules/trainings/schema.ts';
import { totalOf, type NewEvaluation } from '../../modules/trainings/service.ts';

const goalWith = (total: number): NewEvaluation['goal'] => {
  if (total >= 70) return 'reached';
  return total >= 40 ? 'partial' : 'missed';
};

/** The keys are the names of the dimensions in answers. */
export type ScoresByDimension = Readonly<Record<ScoreDimension, number>>;

/** A plausible evaluation with these scores, for the demo, the sandbox, and trainings that an operator records. */
export const sampleEvaluation = (scores: ScoresByDimension, language: Language): NewEvaluation => {
  const weakestFirst = scoreDimensions.toSorted((a, b) => scores[a] - scores[b]);
  const dimensions = toCamel(scores);
  const words = coaching[language];
  const total = totalOf(dimensions);
  return {
    dimensions,
    total,
    goal: goalWith(total),
    strongest: words[weakestFirst.at(-1) ?? 'closing'].strength,
    biggestLever: words[weakestFirst[0] ?? 'closing'].lever,
    tips: weakestFirst.slice(0, total >= 80 ? 1 : 3).map((dimension) => words[dimension].tip),
    methodology: null,
  };
};

interface Coaching {
  /** The strength of a person with a good score in this dimension. */
  strength: string;
  /** The advice for a person whose score is weak in this dimension. */
  lever: string;
  tip: Tip;
}

/** The texts of invented evaluations for each dimension. */
const coaching: ForEachLanguage<Readonly<Record<ScoreDimension, Coaching>>> = {
  de: {
    closing: {
      strength: 'Führt ruhig und ohne Druck zu einem verbindlichen nächsten Schritt.',
      lever: 'Am Ende einen konkreten Termin vorschlagen, statt auf eine Rückmeldung zu warten.',
      tip: {
        issue: 'Das Gespräch endet ohne verabredeten nächsten Schritt.',
        moment: '„Dann melden Sie sich einfach, wenn Sie so weit sind.“',
        principle: 'Wer den nächsten Schritt vorschlägt, behält ihn in der Hand.',
        rewrite: '„Passt Ihnen Donnerstag um zehn, um das Angebot gemeinsam durchzugehen?“',
        impact: 'Aus einem netten Gespräch wird ein Vorgang mit Datum.',
      },
    },
    conversation_control: {
      strength: 'Gibt dem Gespräch früh einen Rahmen und holt es freundlich dorthin zurück.',
      lever: 'Zu Beginn Ziel und Dauer des Gesprächs nennen und sich bestätigen lassen.',
      tip: {
        issue: 'Der Einstieg hat keine Agenda.',
        moment: '„Ja, dann erzähle ich einfach mal etwas über uns.“',
        principle: 'Ein vereinbarter Rahmen macht Führung erlaubt.',
        rewrite:
          '„Ich schlage vor: erst Ihre Lage, dann zwei Möglichkeiten, am Ende entscheiden wir, wie es weitergeht. Einverstanden?“',
        impact: 'Beide wissen, wo sie stehen, und Abschweifungen lassen sich auffangen.',
      },
    },
    needs_analysis: {
      strength: 'Fragt nach, bis Anlass und Folgen eines Problems auf dem Tisch liegen.',
      lever: 'Nach jeder Antwort einmal tiefer fragen, bevor eine Lösung genannt wird.',
      tip: {
        issue: 'Die Lösung kommt vor dem Bedarf.',
        moment: 'Nach zwei Minuten: „Da habe ich genau das Richtige für Sie.“',
        principle: 'Erst die Folgen des Problems, dann die Lösung.',
        rewrite: '„Was kostet Sie ein Tag Stillstand ungefähr, und wen trifft er?“',
        impact: 'Der Kunde spricht selbst aus, warum sich etwas ändern muss.',
      },
    },
    objection_handling: {
      strength: 'Nimmt Einwände ernst, fragt nach und antwortet erst dann.',
      lever: 'Einen Einwand erst zurückfragen, bevor er beantwortet wird.',
      tip: {
        issue: 'Der Preiseinwand wird sofort mit Rabatt beantwortet.',
        moment: '„Da könnte ich Ihnen noch fünf Prozent geben.“',
        principle: 'Ein Nachlass ohne Gegenleistung entwertet das Angebot.',
        rewrite: '„Verglichen womit ist es Ihnen zu teuer?“',
        impact: 'Oft steckt hinter dem Preis eine Unsicherheit, die sich klären lässt.',
      },
    },
    value_argument: {
      strength: 'Übersetzt Merkmale in einen Nutzen, der sich in Euro oder Stunden sagen lässt.',
      lever: 'Jedes Argument mit einer Zahl aus der Welt des Kunden belegen.',
      tip: {
        issue: 'Merkmale werden aufgezählt statt übersetzt.',
        moment: '„Wir haben ein Portal, eine App und einen Ansprechpartner vor Ort.“',
        principle: 'Ein Merkmal wird erst durch „für Sie heißt das“ zum Argument.',
        rewrite: '„Sie sehen jede Störung im Portal. Für Sie heißt das: Ihr Techniker fährt nur noch, wenn er muss.“',
        impact: 'Die Kundin kann den Nutzen intern weitererzählen.',
      },
    },
  },
  en: {
    closing: {
      strength: 'Leads to a firm next step calmly and without pressure.',
      lever: 'Suggest a concrete date at the end instead of waiting to hear back.',
      tip: {
        issue: 'The call ends without an agreed next step.',
        moment: '“Just get in touch whenever you are ready.”',
        principle: 'Whoever proposes the next step keeps hold of it.',
        rewrite: '“Would Thursday at ten suit you to go through the proposal together?”',
        impact: 'A pleasant chat becomes an opportunity with a date on it.',
      },
    },
    conversation_control: {
      strength: 'Sets a frame early and brings the conversation back to it kindly.',
      lever: 'State the goal and length of the call at the start and get a yes to it.',
      tip: {
        issue: 'The opening has no agenda.',
        moment: '“Right, so let me just tell you a bit about us.”',
        principle: 'An agreed frame is permission to lead.',
        rewrite:
          '“I suggest we start with your situation, look at two options, and decide at the end how to go on. Is that all right?”',
        impact: 'Both sides know where they are, and detours are easy to end.',
      },
    },
    needs_analysis: {
      strength: 'Keeps asking until the cause and the cost of a problem are on the table.',
      lever: 'Ask one level deeper after each answer before naming a solution.',
      tip: {
        issue: 'The solution comes before the need.',
        moment: 'Two minutes in: “I have exactly the right thing for you.”',
        principle: 'First what the problem costs, then the solution.',
        rewrite: '“What does a day of downtime cost you, roughly, and who feels it?”',
        impact: 'The customer says in their own words why something has to change.',
      },
    },
    objection_handling: {
      strength: 'Takes objections seriously, asks about them and only then answers.',
      lever: 'Ask back before answering an objection.',
      tip: {
        issue: 'The price objection is met with a discount at once.',
        moment: '“I could take another five per cent off.”',
        principle: 'A concession without anything in return devalues the offer.',
        rewrite: '“Too expensive compared with what?”',
        impact: 'There is often a doubt behind the price that can be cleared up.',
      },
    },
    value_argument: {
      strength: 'Turns features into benefits that can be told in pounds or hours.',
      lever: 'Back every argument with a figure from the customer’s own world.',
      tip: {
        issue: 'Features are listed instead of translated.',
        moment: '“We have a portal, an app and a dedicated contact.”',
        principle: 'Only “for you that means” makes a feature an argument.',
        rewrite:
          '“You see every incident in the portal. For you that means nobody is called out unless they have to be.”',
        impact: 'The customer can pass the benefit on internally.',
      },
    },
  },
};
