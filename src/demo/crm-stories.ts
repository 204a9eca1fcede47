import type { Language } from '../core/language.ts';

interface DealStory {
  title: string;
  outcome: 'open' | 'won' | 'lost';
  amount: string;
  stage: string;
  lostReason?: string;
  /** What the customer held against it. */
  objections: readonly { category: string; text: string }[];
}

interface CrmStory {
  provider: string;
  currency: string;
  pipeline: string;
  deals: readonly DealStory[];
}

/** What a team's CRM has to tell. */
export const crmStories: Readonly<Record<Language, CrmStory>> = {
  de: {
    provider: 'hubspot',
    currency: 'EUR',
    pipeline: 'gewerbe',
    deals: [
      {
        title: 'Bäckerei Hansen: Strom 2027/28',
        outcome: 'open',
        amount: '212500.00',
        stage: 'angebot',
        objections: [{ category: 'price', text: 'Der Arbeitspreis liegt über dem, was wir heute zahlen.' }],
      },
      {
        title: 'Klinikum Ostholstein: Netzersatzanlage',
        outcome: 'open',
        amount: '684000.00',
        stage: 'verhandlung',
        objections: [
          { category: 'risk', text: 'Ein Ausfall während der Umstellung wäre für uns nicht tragbar.' },
          { category: 'process', text: 'Das müssen wir öffentlich ausschreiben.' },
        ],
      },
      {
        title: 'Spedition Kröger: Ladepark',
        outcome: 'won',
        amount: '471300.50',
        stage: 'gewonnen',
        objections: [{ category: 'timing', text: 'Vor dem zweiten Quartal passiert bei uns gar nichts.' }],
      },
      {
        title: 'Hotel Seeblick: Wärmepumpe',
        outcome: 'lost',
        amount: '158900.00',
        stage: 'verloren',
        lostReason: 'Investition verschoben',
        objections: [{ category: 'price', text: 'Die Investition rechnet sich für uns erst in zwölf Jahren.' }],
      },
      {
        title: 'Gemeinde Wittmoor: Ökostrom',
        outcome: 'won',
        amount: '96400.00',
        stage: 'gewonnen',
        objections: [{ category: 'trust', text: 'Woran sehe ich, dass der Strom wirklich grün ist?' }],
      },
      {
        title: 'Maschinenbau Thiele: Lastmanagement',
        outcome: 'open',
        amount: '325000.00',
        stage: 'bedarf',
        objections: [
          { category: 'competition', text: 'Rheinstrom hat uns das Gleiche für zehn Prozent weniger angeboten.' },
          { category: 'authority', text: 'Darüber entscheidet am Ende die Konzernmutter.' },
        ],
      },
      {
        title: 'Autohaus Petersen: Photovoltaik',
        outcome: 'open',
        amount: '143750.00',
        stage: 'angebot',
        objections: [{ category: 'trust', text: 'Mit dem letzten Anbieter haben wir schlechte Erfahrungen gemacht.' }],
      },
      {
        title: 'Druckerei Kolbe: Gasliefervertrag',
        outcome: 'lost',
        amount: '88200.00',
        stage: 'verloren',
        lostReason: 'Wettbewerber günstiger',
        objections: [{ category: 'price', text: 'Volt24 ist im Grundpreis deutlich günstiger.' }],
      },
      {
        title: 'Wohnbau Nordheide: Mieterstrom',
        outcome: 'open',
        amount: '402000.00',
        stage: 'qualifiziert',
        objections: [{ category: 'need', text: 'Unsere Mieter haben danach noch nie gefragt.' }],
      },
      {
        title: 'Molkerei Angeln: Wärmerückgewinnung',
        outcome: 'won',
        amount: '267800.00',
        stage: 'gewonnen',
        objections: [{ category: 'complexity', text: 'Wer soll das bei uns im laufenden Betrieb einbauen?' }],
      },
      {
        title: 'Campus Lübeck: Quartierslösung',
        outcome: 'open',
        amount: '1250000.00',
        stage: 'qualifiziert',
        objections: [{ category: 'timing', text: 'Der Bebauungsplan steht frühestens im Herbst.' }],
      },
      {
        title: 'Gärtnerei Voss: Strom',
        outcome: 'lost',
        amount: '31400.00',
        stage: 'verloren',
        lostReason: 'Keine Rückmeldung',
        objections: [{ category: 'need', text: 'Wir sind eigentlich ganz zufrieden so.' }],
      },
    ],
  },
  en: {
    provider: 'pipedrive',
    currency: 'GBP',
    pipeline: 'new-business',
    deals: [
      {
        title: 'Millbrook Logistics: depot suite',
        outcome: 'open',
        amount: '118000.00',
        stage: 'proposal',
        objections: [{ category: 'price', text: 'That is twice what we pay for the current system.' }],
      },
      {
        title: 'St Aldhelm’s: single sign-on',
        outcome: 'open',
        amount: '240000.00',
        stage: 'negotiation',
        objections: [
          { category: 'process', text: 'It has to go through the framework, and that takes months.' },
          { category: 'risk', text: 'Patient data must not leave the country.' },
        ],
      },
      {
        title: 'Brightwater: month-end module',
        outcome: 'won',
        amount: '38500.00',
        stage: 'won',
        objections: [{ category: 'complexity', text: 'Nobody here has time for another roll-out.' }],
      },
      {
        title: 'Oakfield Schools: site licence',
        outcome: 'lost',
        amount: '54000.00',
        stage: 'lost',
        lostReason: 'Chose ClassDesk',
        objections: [{ category: 'competition', text: 'ClassDesk includes training in the price.' }],
      },
      {
        title: 'Tidewell Insurance: claims desk',
        outcome: 'open',
        amount: '176500.00',
        stage: 'discovery',
        objections: [{ category: 'authority', text: 'I would have to take that to the board.' }],
      },
      {
        title: 'Penhallow Foods: supplier portal',
        outcome: 'open',
        amount: '92000.00',
        stage: 'proposal',
        objections: [{ category: 'timing', text: 'Not before the new financial year.' }],
      },
    ],
  },
};
