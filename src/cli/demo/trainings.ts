import { later, secondsToMs, daysToMs, hoursToMs } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import type { Tx } from '../../db/database.ts';
import { importTrainings } from '../../modules/trainings/recording.ts';
import type { PastTraining } from '../../modules/trainings/recording.ts';
import { scoreDimensions } from '../../modules/trainings/schema.ts';
import type { ScoreDimension } from '../../modules/trainings/schema.ts';
import type { Cast, Chance } from './cast.ts';
import { isActive } from './cast.ts';
import type { Repertoire } from './repertoire.ts';

/** The evaluation, about a minute after the end of the training. */
const evaluationOf = (
  { dimensions, finishedAt }: PractisedSession,
  language: Language,
  methodology: string | null,
): Pick<PastTraining, 'evaluation'> =>
  dimensions
    ? {
        evaluation: {
          ...assess(dimensions, language),
          dimensions,
          methodology,
          saved_at: later(finishedAt, secondsToMs(75)),
        },
      }
    : {};

/** Months of trainings of all members who have joined. Returns a scored one and one that is not. */
export const fillPractice = async (tx: Tx, { team, language, chance, people }: Cast, repertoire: Repertoire) => {
  const now = team.platform.clock.now();
  const past = people.filter(isActive).flatMap(({ userId, joined }) =>
    sessionsOf({ joined, now, chance }).map((session, index): PastTraining => ({
      user_id: userId,
      status: session.status === 'aborted' ? 'aborted' : 'ended',
      source: chance.next() < 0.85 ? 'app' : 'phone',
      created_at: session.createdAt,
      finished_at: session.finishedAt,
      ...repertoire.next(),
      ...evaluationOf(session, language, repertoire.methodologies[index % repertoire.methodologies.length] ?? null),
    })),
  );
  const ids = await importTrainings(tx, team, past);
  const idOf = (wanted: (one: PastTraining) => boolean): string => ids[past.findIndex(wanted)] ?? '';
  return {
    scored: idOf(({ evaluation }) => evaluation !== undefined),
    unscored: idOf(({ status, evaluation }) => status === 'ended' && !evaluation),
  };
};

type Dimensions = Record<ScoreDimension, number>;

/** How often a person practises, and how the scores develop. */
interface Talent {
  /** Average trainings on a working day. */
  diligence: number;
  /** The first score of each dimension. */
  start: Dimensions;
  /** Points gained until today. */
  growth: number;
}

/** An invented training. */
interface PractisedSession {
  status: 'ended' | 'scored' | 'aborted';
  createdAt: Date;
  finishedAt: Date;
  /** Only if it is scored. */
  dimensions?: Dimensions;
}

const talentOf = (chance: Chance): Talent => {
  const level = chance.between(44, 66);
  const dimension = () => level + Math.round(chance.around(14));
  return {
    diligence: 0.12 + chance.next() * 0.4,
    start: {
      // Most teams are weak here.
      closing: dimension() - 9,
      conversation_control: dimension(),
      needs_analysis: dimension(),
      objection_handling: dimension() - 6,
      value_argument: dimension(),
    },
    growth: chance.between(-2, 22),
  };
};

const within = (least: number, value: number, most: number) => Math.min(Math.max(Math.round(value), least), most);

const scoresAt = ({ start, growth }: Talent, progress: number, chance: Chance): Dimensions => {
  const form = chance.around(8);
  const score = (dimension: ScoreDimension) =>
    within(18, start[dimension] + growth * progress + form + chance.around(9), 97);
  return {
    closing: score('closing'),
    conversation_control: score('conversation_control'),
    needs_analysis: score('needs_analysis'),
    objection_handling: score('objection_handling'),
    value_argument: score('value_argument'),
  };
};

const isWeekend = (day: Date) => day.getUTCDay() % 6 === 0;

const midnightOf = (time: Date): Date => new Date(time.getTime() - (time.getTime() % daysToMs(1)));

/** The trainings of a person on working days since they joined, up to an hour ago. */
const sessionsOf = ({ joined, now, chance }: { joined: Date; now: Date; chance: Chance }): PractisedSession[] => {
  const talent = talentOf(chance);
  const until = later(now, -hoursToMs(1));
  const sessions: PractisedSession[] = [];
  for (let day = later(midnightOf(joined), daysToMs(1)); day < until; day = later(day, daysToMs(1))) {
    if (isWeekend(day) || chance.next() > talent.diligence) continue;
    const createdAt = later(day, hoursToMs(7) + secondsToMs(chance.between(0, 10 * 3600)));
    const finishedAt = later(createdAt, secondsToMs(chance.between(240, 1_260)));
    const dimensions = scoresAt(
      talent,
      (createdAt.getTime() - joined.getTime()) / (now.getTime() - joined.getTime()),
      chance,
    );
    if (finishedAt > until) continue;
    const luck = chance.next();
    if (luck < 0.88) sessions.push({ status: 'scored', createdAt, finishedAt, dimensions });
    else sessions.push({ status: luck < 0.95 ? 'ended' : 'aborted', createdAt, finishedAt });
  }
  return sessions;
};

/** The texts of an evaluation for its scores. */
export const assess = (dimensions: Dimensions, language: Language) => {
  const weakestFirst = scoreDimensions.toSorted((a, b) => dimensions[a] - dimensions[b]);
  const [weakest = 'closing', second = 'closing'] = weakestFirst;
  const strongest = weakestFirst.at(-1) ?? 'closing';
  const words = coaching[language];
  const total = Math.round(scoreDimensions.reduce((sum, dimension) => sum + dimensions[dimension], 0) / 5);
  const tips = [...words[weakest].tips, words[second].tips[0]].slice(0, total >= 80 ? 1 : 3);
  return {
    total,
    goal: total >= 72 ? ('reached' as const) : total >= 50 ? ('partial' as const) : ('missed' as const),
    strongest: words[strongest].strength,
    biggest_lever: words[weakest].lever,
    tips: [...tips],
  };
};

interface Tip {
  issue: string;
  moment: string;
  principle: string;
  rewrite: string;
  impact: string;
}

interface Coaching {
  /** The strength of a person with a good score here. */
  strength: string;
  /** The advice for a person whose score is weak in this dimension. */
  lever: string;
  tips: readonly [Tip, Tip];
}

/** The texts of invented evaluations for each dimension. */
const coaching: Readonly<Record<Language, Readonly<Record<ScoreDimension, Coaching>>>> = {
  de: {
    closing: {
      strength: 'Führt ruhig und ohne Druck zu einem verbindlichen nächsten Schritt.',
      lever: 'Am Ende einen konkreten Termin vorschlagen, statt auf eine Rückmeldung zu warten.',
      tips: [
        {
          issue: 'Das Gespräch endet ohne verabredeten nächsten Schritt.',
          moment: '„Dann melden Sie sich einfach, wenn Sie so weit sind.“',
          principle: 'Wer den nächsten Schritt vorschlägt, behält ihn in der Hand.',
          rewrite: '„Passt Ihnen Donnerstag um zehn, um das Angebot gemeinsam durchzugehen?“',
          impact: 'Aus einem netten Gespräch wird ein Vorgang mit Datum.',
        },
        {
          issue: 'Kaufsignale werden überhört.',
          moment: 'Die Kundin fragt nach der Lieferzeit, und es folgt eine weitere Funktion.',
          principle: 'Auf ein Kaufsignal folgt die Abschlussfrage, kein weiteres Argument.',
          rewrite: '„Drei Wochen ab Auftrag. Sollen wir den Termin für Sie reservieren?“',
          impact: 'Der Abschluss fällt dort, wo die Kundin schon entschieden hat.',
        },
      ],
    },
    conversation_control: {
      strength: 'Gibt dem Gespräch früh einen Rahmen und holt es freundlich dorthin zurück.',
      lever: 'Zu Beginn Ziel und Dauer des Gesprächs nennen und sich bestätigen lassen.',
      tips: [
        {
          issue: 'Der Einstieg hat keine Agenda.',
          moment: '„Ja, dann erzähle ich einfach mal etwas über uns.“',
          principle: 'Ein vereinbarter Rahmen macht Führung erlaubt.',
          rewrite:
            '„Ich schlage vor: erst Ihre Lage, dann zwei Möglichkeiten, am Ende entscheiden wir, wie es weitergeht. Einverstanden?“',
          impact: 'Beide wissen, wo sie stehen, und Abschweifungen lassen sich auffangen.',
        },
        {
          issue: 'Der Kunde redet minutenlang über ein Nebenthema.',
          moment: 'Vier Minuten zur Vertragshistorie des Vorgängers, ohne Unterbrechung.',
          principle: 'Zusammenfassen ist die höflichste Art, zu unterbrechen.',
          rewrite:
            '„Ich höre heraus, dass Verlässlichkeit zählt. Darf ich da einhaken: wie viele Standorte betrifft das?“',
          impact: 'Das Gespräch bleibt beim Kunden und kommt trotzdem voran.',
        },
      ],
    },
    needs_analysis: {
      strength: 'Fragt nach, bis Anlass und Folgen eines Problems auf dem Tisch liegen.',
      lever: 'Nach jeder Antwort einmal tiefer fragen, bevor eine Lösung genannt wird.',
      tips: [
        {
          issue: 'Die Lösung kommt vor dem Bedarf.',
          moment: 'Nach zwei Minuten: „Da habe ich genau das Richtige für Sie.“',
          principle: 'Erst die Folgen des Problems, dann die Lösung.',
          rewrite: '„Was kostet Sie ein Tag Stillstand ungefähr, und wen trifft er?“',
          impact: 'Der Kunde spricht selbst aus, warum sich etwas ändern muss.',
        },
        {
          issue: 'Es werden fast nur geschlossene Fragen gestellt.',
          moment: '„Sind Sie mit Ihrem jetzigen Anbieter zufrieden?“',
          principle: 'Offene Fragen bringen Sachverhalte, geschlossene nur Zustimmung.',
          rewrite: '„Was müsste bei Ihrem Anbieter besser laufen, damit Sie nicht mehr darüber nachdenken?“',
          impact: 'Aus einem Verhör wird ein Gespräch, und es gibt Stoff für das Angebot.',
        },
      ],
    },
    objection_handling: {
      strength: 'Nimmt Einwände ernst, fragt nach und antwortet erst dann.',
      lever: 'Einen Einwand erst zurückfragen, bevor er beantwortet wird.',
      tips: [
        {
          issue: 'Der Preiseinwand wird sofort mit Rabatt beantwortet.',
          moment: '„Da könnte ich Ihnen noch fünf Prozent geben.“',
          principle: 'Ein Nachlass ohne Gegenleistung entwertet das Angebot.',
          rewrite: '„Verglichen womit ist es Ihnen zu teuer?“',
          impact: 'Oft steckt hinter dem Preis eine Unsicherheit, die sich klären lässt.',
        },
        {
          issue: 'Auf „Das muss ich intern besprechen“ folgt Rückzug.',
          moment: '„Kein Problem, dann warten wir das ab.“',
          principle: 'Ein Aufschub hat einen Grund, und nach dem darf man fragen.',
          rewrite: '„Gern. Was wird intern die wichtigste Frage sein, und was brauchen Sie dafür von mir?“',
          impact: 'Der Verkäufer sitzt in der internen Runde unsichtbar mit am Tisch.',
        },
      ],
    },
    value_argument: {
      strength: 'Übersetzt Merkmale in einen Nutzen, der sich in Euro oder Stunden sagen lässt.',
      lever: 'Jedes Argument mit einer Zahl aus der Welt des Kunden belegen.',
      tips: [
        {
          issue: 'Merkmale werden aufgezählt statt übersetzt.',
          moment: '„Wir haben ein Portal, eine App und einen Ansprechpartner vor Ort.“',
          principle: 'Ein Merkmal wird erst durch „für Sie heißt das“ zum Argument.',
          rewrite: '„Sie sehen jede Störung im Portal. Für Sie heißt das: Ihr Techniker fährt nur noch, wenn er muss.“',
          impact: 'Die Kundin kann den Nutzen intern weitererzählen.',
        },
        {
          issue: 'Der Nutzen bleibt allgemein.',
          moment: '„Damit sparen Sie auf jeden Fall Zeit.“',
          principle: 'Eine Zahl aus dem Betrieb des Kunden überzeugt mehr als jedes Versprechen.',
          rewrite: '„Sie nannten acht Stunden Abstimmung im Monat. Vergleichbare Betriebe kommen auf zwei.“',
          impact: 'Der Preis steht neben einer Ersparnis und nicht mehr allein.',
        },
      ],
    },
  },
  en: {
    closing: {
      strength: 'Leads to a firm next step calmly and without pressure.',
      lever: 'Suggest a concrete date at the end instead of waiting to hear back.',
      tips: [
        {
          issue: 'The call ends without an agreed next step.',
          moment: '“Just get in touch whenever you are ready.”',
          principle: 'Whoever proposes the next step keeps hold of it.',
          rewrite: '“Would Thursday at ten suit you to go through the proposal together?”',
          impact: 'A pleasant chat becomes an opportunity with a date on it.',
        },
        {
          issue: 'Buying signals go unnoticed.',
          moment: 'The customer asks about onboarding times and gets another feature instead.',
          principle: 'A buying signal calls for the closing question, not for one more argument.',
          rewrite: '“Three weeks from signature. Shall I hold that slot for you?”',
          impact: 'The deal closes where the customer has already decided.',
        },
      ],
    },
    conversation_control: {
      strength: 'Sets a frame early and brings the conversation back to it kindly.',
      lever: 'State the goal and length of the call at the start and get a yes to it.',
      tips: [
        {
          issue: 'The opening has no agenda.',
          moment: '“Right, so let me just tell you a bit about us.”',
          principle: 'An agreed frame is permission to lead.',
          rewrite:
            '“I suggest we start with your situation, look at two options, and decide at the end how to go on. Is that all right?”',
          impact: 'Both sides know where they are, and detours are easy to end.',
        },
        {
          issue: 'The customer spends minutes on a side topic.',
          moment: 'Four minutes on the history of the last contract, uninterrupted.',
          principle: 'Summing up is the most polite way to interrupt.',
          rewrite: '“What I hear is that reliability matters. May I pick that up: how many sites does it affect?”',
          impact: 'The call stays with the customer and still moves on.',
        },
      ],
    },
    needs_analysis: {
      strength: 'Keeps asking until the cause and the cost of a problem are on the table.',
      lever: 'Ask one level deeper after each answer before naming a solution.',
      tips: [
        {
          issue: 'The solution comes before the need.',
          moment: 'Two minutes in: “I have exactly the right thing for you.”',
          principle: 'First what the problem costs, then the solution.',
          rewrite: '“What does a day of downtime cost you, roughly, and who feels it?”',
          impact: 'The customer says in their own words why something has to change.',
        },
        {
          issue: 'Almost every question is a closed one.',
          moment: '“Are you happy with your current supplier?”',
          principle: 'Open questions bring facts, closed ones only agreement.',
          rewrite: '“What would your supplier have to do better for you to stop thinking about it?”',
          impact: 'An interrogation turns into a conversation and feeds the proposal.',
        },
      ],
    },
    objection_handling: {
      strength: 'Takes objections seriously, asks about them and only then answers.',
      lever: 'Ask back before answering an objection.',
      tips: [
        {
          issue: 'The price objection is met with a discount at once.',
          moment: '“I could take another five per cent off.”',
          principle: 'A concession without anything in return devalues the offer.',
          rewrite: '“Too expensive compared with what?”',
          impact: 'There is often a doubt behind the price that can be cleared up.',
        },
        {
          issue: '“I need to discuss this internally” is met with retreat.',
          moment: '“No problem, we will wait and see.”',
          principle: 'A delay has a reason, and one may ask about it.',
          rewrite: '“Of course. What will be the main question internally, and what do you need from me for it?”',
          impact: 'The salesperson has an invisible seat in the internal meeting.',
        },
      ],
    },
    value_argument: {
      strength: 'Turns features into benefits that can be told in pounds or hours.',
      lever: 'Back every argument with a figure from the customer’s own world.',
      tips: [
        {
          issue: 'Features are listed instead of translated.',
          moment: '“We have a portal, an app and a dedicated contact.”',
          principle: 'Only “for you that means” makes a feature an argument.',
          rewrite:
            '“You see every incident in the portal. For you that means nobody is called out unless they have to be.”',
          impact: 'The customer can pass the benefit on internally.',
        },
        {
          issue: 'The benefit stays general.',
          moment: '“It will definitely save you time.”',
          principle: 'A figure from the customer’s business convinces more than any promise.',
          rewrite: '“You mentioned eight hours of alignment a month. Companies like yours get by with two.”',
          impact: 'The price stands next to a saving and no longer alone.',
        },
      ],
    },
  },
};
