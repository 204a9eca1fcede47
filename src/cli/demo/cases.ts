import { daysToMs, later } from '../../core/clock.ts';
import type { ForEachLanguage } from '../../core/language.ts';
import { createCase } from '../../modules/cases/service.ts';
import { rawOfValue } from '../../core/json.ts';
import { teamAt } from '../../platform/team.ts';
import { isActive, type Cast } from './cast.ts';

/** Creates team cases and private cases, and returns the ids of the first team case and the first private case. */
export const fillCases = async ({ team, language, chance, people }: Cast) => {
  const { team: shared, own } = customerCases[language];
  const active = people.filter(isActive);
  const caseIds = { team: '', own: '' };
  const now = team.platform.clock.now();
  const all = [
    ...shared.map((story) => ({ story, isPrivate: false })),
    ...own.map((story) => ({ story, isPrivate: true })),
  ];
  for (const [index, { story, isPrivate }] of all.entries()) {
    const author = active[index % active.length];
    if (!author) break;
    const latest = now.getTime() - author.joined.getTime();
    const then = teamAt(team, later(now, -Math.floor(latest * chance.next() * 0.8) - daysToMs(1)));
    const { id } = await createCase(
      then,
      {
        userId: author.userId,
        title: story.title,
        personaId: story.persona,
        fields: rawOfValue(story.fields),
        externalRef: isPrivate ? null : rawOfValue({ crm: 'account', number: 4_100 + index }),
      },
      { isPrivate },
    );
    if (isPrivate) caseIds.own ||= id;
    else caseIds.team ||= id;
  }
  return caseIds;
};

interface CustomerCase {
  title: string;
  persona: string;
  fields: Record<string, string | number | string[]>;
}

/** The cases of a demo team; `own` are private ones. */
const customerCases: ForEachLanguage<{ team: readonly CustomerCase[]; own: readonly CustomerCase[] }> = {
  de: {
    team: [
      {
        title: 'Bäckerei Hansen, 14 Filialen',
        persona: 'Inhaberin, Familienbetrieb',
        fields: {
          branche: 'Handwerk',
          standorte: 14,
          verbrauch: '1.250.000 kWh',
          anliegen: 'Planbare Stromkosten für zwei Jahre',
        },
      },
      {
        title: 'Klinikum Ostholstein',
        persona: 'Technischer Leiter',
        fields: {
          branche: 'Gesundheit',
          standorte: 3,
          anliegen: 'Ausfallsicherheit',
          einwände: ['Wechselrisiko', 'Vergaberecht'],
        },
      },
      {
        title: 'Spedition Kröger & Söhne',
        persona: 'Kaufmännische Leitung',
        fields: { branche: 'Logistik', fuhrpark: 62, anliegen: 'Ladeinfrastruktur für E-LKW', budget: '480.000 €' },
      },
      {
        title: 'Hotel Seeblick',
        persona: 'Direktorin',
        fields: {
          branche: 'Gastgewerbe',
          zimmer: 96,
          anliegen: 'Wärmepumpe statt Gas',
          einwände: ['Investition', 'Bauzeit in der Saison'],
        },
      },
      {
        title: 'Gemeinde Wittmoor',
        persona: 'Kämmerer',
        fields: { branche: 'Öffentliche Hand', liegenschaften: 23, anliegen: 'Ökostrom mit Herkunftsnachweis' },
      },
      {
        title: 'Maschinenbau Thiele GmbH',
        persona: 'Einkaufsleiter',
        fields: {
          branche: 'Industrie',
          verbrauch: '8.400.000 kWh',
          anliegen: 'Spitzenlast senken',
          wettbewerber: ['Rheinstrom', 'Volt24'],
        },
      },
    ],
    own: [
      {
        title: 'Mein schwieriger Mittwochskunde',
        persona: 'Einkaufsleiter',
        fields: { anliegen: 'Blockt jedes Gespräch nach einer Minute ab' },
      },
      {
        title: 'Generalprobe Stadtwerke Lindau',
        persona: 'Geschäftsführung',
        fields: { anliegen: 'Jahresgespräch, Preisanpassung erklären' },
      },
    ],
  },
  en: {
    team: [
      {
        title: 'Millbrook Logistics, 9 depots',
        persona: 'Operations director',
        fields: { industry: 'Logistics', users: 340, need: 'One view of all depots', budget: '£120,000' },
      },
      {
        title: 'St Aldhelm’s NHS Trust',
        persona: 'Head of IT',
        fields: {
          industry: 'Health',
          users: 2_100,
          need: 'Single sign-on',
          objections: ['procurement framework', 'data residency'],
        },
      },
      {
        title: 'Brightwater Accountants',
        persona: 'Managing partner',
        fields: { industry: 'Professional services', users: 45, need: 'Less time on month end' },
      },
      {
        title: 'Oakfield Schools Group',
        persona: 'Business manager',
        fields: { industry: 'Education', sites: 11, need: 'Predictable licence costs', competitors: ['ClassDesk'] },
      },
    ],
    own: [
      { title: 'Dry run for the board', persona: 'Managing partner', fields: { need: 'Renewal at a higher price' } },
    ],
  },
};
