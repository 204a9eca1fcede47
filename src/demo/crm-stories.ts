import type { Language } from '../core/language.ts';

interface DealStory {
  title: string;
  /** By its key in the starter catalog. */
  industry?: string;
  outcome: 'open' | 'won' | 'lost';
  amount: string;
  stage: string;
  lostReason?: string;
  /** What the customer held against it. */
  objections: readonly { category: string; text: string }[];
}

interface CrmStory {
  provider: string;
  /** Where the CRM's own numbers begin. */
  firstNumber: number;
  currency: string;
  pipeline: string;
  deals: readonly DealStory[];
}

/** What a team's CRM has to tell. */
export const crmStories: Readonly<Record<Language, CrmStory>> = {
  de: {
    provider: 'hubspot',
    firstNumber: 18_233_290_000,
    currency: 'EUR',
    pipeline: 'gewerbe',
    deals: [
      {
        title: 'Bäckerei Hansen: Strom 2027/28',
        industry: 'retail',
        outcome: 'open',
        amount: '212500.00',
        stage: 'angebot',
        objections: [{ category: 'price', text: 'Der Arbeitspreis liegt über dem, was wir heute zahlen.' }],
      },
      {
        title: 'Klinikum Ostholstein: Netzersatzanlage',
        industry: 'healthcare',
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
        industry: 'logistics',
        outcome: 'won',
        amount: '471300.50',
        stage: 'gewonnen',
        objections: [{ category: 'timing', text: 'Vor dem zweiten Quartal passiert bei uns gar nichts.' }],
      },
      {
        title: 'Hotel Seeblick: Wärmepumpe',
        industry: 'hospitality',
        outcome: 'lost',
        amount: '158900.00',
        stage: 'verloren',
        lostReason: 'Investition verschoben',
        objections: [{ category: 'price', text: 'Die Investition rechnet sich für uns erst in zwölf Jahren.' }],
      },
      {
        title: 'Gemeinde Wittmoor: Ökostrom',
        industry: 'public_sector',
        outcome: 'won',
        amount: '96400.00',
        stage: 'gewonnen',
        objections: [{ category: 'trust', text: 'Woran sehe ich, dass der Strom wirklich grün ist?' }],
      },
      {
        title: 'Maschinenbau Thiele: Lastmanagement',
        industry: 'mechanical_engineering',
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
        industry: 'automotive',
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
        industry: 'real_estate',
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
        industry: 'real_estate',
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
    firstNumber: 5_410,
    currency: 'GBP',
    pipeline: 'new-business',
    deals: [
      {
        title: 'Millbrook Logistics: depot suite',
        industry: 'logistics',
        outcome: 'open',
        amount: '118000.00',
        stage: 'proposal',
        objections: [{ category: 'price', text: 'That is twice what we pay for the current system.' }],
      },
      {
        title: 'St Aldhelm’s: single sign-on',
        industry: 'healthcare',
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
        industry: 'banking',
        outcome: 'won',
        amount: '38500.00',
        stage: 'won',
        objections: [{ category: 'complexity', text: 'Nobody here has time for another roll-out.' }],
      },
      {
        title: 'Oakfield Schools: site licence',
        industry: 'public_sector',
        outcome: 'lost',
        amount: '54000.00',
        stage: 'lost',
        lostReason: 'Chose ClassDesk',
        objections: [{ category: 'competition', text: 'ClassDesk includes training in the price.' }],
      },
      {
        title: 'Tidewell Insurance: claims desk',
        industry: 'insurance',
        outcome: 'open',
        amount: '176500.00',
        stage: 'discovery',
        objections: [{ category: 'authority', text: 'I would have to take that to the board.' }],
      },
      {
        title: 'Penhallow Foods: supplier portal',
        industry: 'retail',
        outcome: 'open',
        amount: '92000.00',
        stage: 'proposal',
        objections: [{ category: 'timing', text: 'Not before the new financial year.' }],
      },
    ],
  },
};
