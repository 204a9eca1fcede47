import { daysToMs, later, secondsToMs } from '../../core/clock.ts';
import type { ForEachLanguage } from '../../core/language.ts';
import { connectCrm, pauseConnection } from '../../modules/crm/service.ts';
import { storeFound, storeRuns, type PastRun } from '../../modules/crm/sync.ts';
import { teamAt } from '../../platform/team.ts';
import { daysAgo, isActive, type Cast } from './cast.ts';

/** A token that no CRM accepts. */
const inventedToken = 'demo-token-that-no-crm-accepts';

const minuteMs = secondsToMs(60);

/**
 * When the full runs started, in minutes before the connection was paused. Between them, an incremental run starts
 * every `everyMinutes`.
 */
const [lastFull, firstFull] = [10, 10 + 24 * 60 + 12];
const everyMinutes = 16;
/** When two of the incremental runs started: one failed, one was started by hand. */
const [failedAt, byHandAt] = [lastFull + everyMinutes * 9, lastFull + everyMinutes * 14];

/** The runs of the last day, the oldest first. */
const pastRuns = (pausedAt: Date, chance: Cast['chance'], whole: Pick<PastRun, 'deals' | 'objections'>): PastRun[] => {
  const run = (minutes: number, more: Omit<PastRun, 'startedAt' | 'endedAt' | 'deleted'>, tookMs: number): PastRun => {
    const startedAt = later(pausedAt, -minutes * minuteMs - chance.between(0, minuteMs / 2));
    return { ...more, startedAt, endedAt: later(startedAt, tookMs), deleted: 0 };
  };
  const full = (minutes: number) =>
    run(minutes, { kind: 'full', outcome: 'ok', ...whole }, chance.between(2_000, 4_000));
  const changes = (minutes: number): PastRun => {
    if (minutes === failedAt) {
      const failure = {
        outcome: 'failed',
        reason: 'The CRM answered with status 502.',
        deals: 0,
        objections: 0,
      } as const;
      return run(minutes, { kind: 'incremental', ...failure }, secondsToMs(11));
    }
    const deals = Math.max(0, chance.between(-4, 2));
    const found = { deals, objections: deals > 1 ? 1 : 0, onDemand: minutes === byHandAt };
    return run(minutes, { kind: 'incremental', outcome: 'ok', ...found }, chance.between(500, 1_200));
  };
  const between = [];
  for (let minutes = lastFull + everyMinutes; minutes < firstFull; minutes += everyMinutes) between.push(minutes);
  return [full(firstFull), ...between.toReversed().map(changes), full(lastFull)];
};

/**
 * Connects the team to a CRM and stores the rows that its syncs would have found. The connection was paused an hour
 * ago, so that no sync sends requests to a real CRM.
 */
export const fillCrm = async ({ team, language, chance, people }: Cast): Promise<void> => {
  const { provider, firstNumber, currency, pipeline, deals } = crmStories[language];
  const now = team.platform.clock.now();
  const pausedAt = later(now, -60 * minuteMs);
  const connection = { provider, token: inventedToken, lang: language };
  const { id } = await connectCrm({ ...team, platform: daysAgo(team.platform, 120) }, connection);
  const objectionCount = deals.reduce((count, { objections }) => count + objections.length, 0);
  const past = pastRuns(pausedAt, chance, { deals: deals.length, objections: objectionCount });
  const lastRun = teamAt(team, past.at(-1)?.startedAt ?? pausedAt);
  const sellers = people.filter(isActive).filter(({ role }) => role === 'member');

  const stored = deals.map((story, index) => {
    const dealId = String(firstNumber + index * 137);
    const firstSeenAt = later(now, -daysToMs(chance.between(20, 110)) - chance.between(0, daysToMs(1)));
    const deal = {
      id: dealId,
      outcome: story.outcome,
      title: story.title,
      amount: story.amount,
      currency,
      close_date: later(now, daysToMs(story.outcome === 'open' ? 20 + index * 6 : -3 - index))
        .toISOString()
        .slice(0, 10),
      probability: { open: chance.between(2, 8) * 10, won: 100, lost: 0 }[story.outcome],
      pipeline_id: pipeline,
      stageId: story.stage,
      industry: story.industry,
      lostReason: story.lostReason,
      ownerEmail: sellers[index % sellers.length]?.email,
      lastActivityAt: later(now, -chance.between(daysToMs(1) / 8, daysToMs(12))),
    };
    const objections = story.objections.map((objection, at) => ({
      id: String(7_700 + index * 10 + at),
      dealId,
      ...objection,
      lang: language,
      createdAt: later(firstSeenAt, daysToMs(1) / 3),
    }));
    return { deal, objections, firstSeenAt };
  });
  // A deal keeps the time of the sync that first found it, so each deal is first stored at a time of its own.
  for (const { deal, firstSeenAt } of stored) {
    await storeFound(teamAt(team, firstSeenAt), id, { deals: [deal], objections: [] });
  }
  await storeFound(lastRun, id, {
    deals: stored.map(({ deal }) => deal),
    objections: stored.flatMap(({ objections }) => objections),
  });
  await storeRuns(team, id, past);
  await pauseConnection(teamAt(team, pausedAt), id);
};

interface DealStory {
  title: string;
  /** The industry's key in the starter catalog. */
  industry?: string;
  outcome: 'open' | 'won' | 'lost';
  amount: string;
  stage: string;
  lostReason?: string;
  /** The customer's objections. */
  objections: readonly { category: string; text: string }[];
}

interface CrmStory {
  provider: string;
  /** The CRM's own id of the first deal. */
  firstNumber: number;
  currency: string;
  pipeline: string;
  deals: readonly DealStory[];
}

/** The data in a demo team's CRM. */
const crmStories: ForEachLanguage<CrmStory> = {
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
