import type { AppTest } from '../app.ts';
import { aHostileTeam, longScript } from '../hostile-team.ts';
import { compactRows } from '../inspections/compact.ts';
import { framed } from '../inspections/frame.ts';
import { inItsLanguage } from '../inspections/language.ts';
import { cutIn, keepHeadings, lists, listsOfNames, menuBesideTitle, titledByName } from '../inspections/long-texts.ts';
import { narrowed } from '../inspections/narrow.ts';
import { textsOnly } from '../inspections/scripts.ts';
import { accessible, fits } from '../inspections/sound.ts';
import { still } from '../inspections/still.ts';
import { typedIsKept } from '../inspections/typed.ts';
import { aLivelyTeam } from '../lively-team.ts';
import { nothingCut } from '../inspections/whole.ts';
import { photograph, type Look } from '../looks.ts';
import { pageStates, type State } from './states.ts';
import { walkThrough, type Inspection } from './walk.ts';

// The walk with each data set, and what looks at its states.

/** What looks at every state, also before the sign-in. */
export const ofAll: readonly Inspection[] = [accessible, fits, inItsLanguage, photograph];

type Hostile = Awaited<ReturnType<typeof aHostileTeam>>;

const open = (app: AppTest, { team }: Hostile, look: Look) => app.signedIn(team.owner.email, `/?team=${team.id}`, look);

/** Pages whose texts are scripts. Returns what is wrong, and how often a script was shown as text. */
export const walkThroughHostile = async (
  app: AppTest,
  hostile: Hostile,
  look: Look,
  states: readonly State[],
): Promise<{ faults: string[]; shown: number }> => {
  const page = await open(app, hostile, look);
  const ran: string[] = [];
  page.on('dialog', (dialog) => {
    ran.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const shown = { count: 0 };
  const onlyText = textsOnly(shown);
  const inspections = [fits, narrowed, compactRows, onlyText, inItsLanguage, accessible];
  const { addresses } = hostile;
  const faults = await walkThrough(app, page, { look, states, addresses, inspections });
  return { faults: [...faults, ...ran], shown: shown.count };
};

/** Long names as people have them. */
const longNames = {
  de: 'Maximiliane Freifrau von Hohenstein-Sondershausen',
  en: 'Alexandria Featherstonehaugh-Cholmondeley',
} as const;

/** Lists, whose long names are whole, and pages with names as long as they can be, which look like those. */
export const walkThroughLong = async (app: AppTest, look: Look): Promise<string[]> => {
  const [realistic, long] = [await aHostileTeam(app, longNames[look.language]), await aHostileTeam(app, longScript)];
  const states = pageStates.filter(({ path }) => path === titledByName || listsOfNames.includes(path));
  const usual = new Map<string, readonly string[]>();
  const page = await open(app, realistic, look);
  const faults = await walkThrough(app, page, {
    look,
    states: pageStates.filter(({ path }) => lists.includes(path)),
    addresses: realistic.addresses,
    inspections: [keepHeadings(usual), nothingCut],
  });
  const longs = await walkThrough(app, await open(app, long, look), {
    look,
    states,
    addresses: long.addresses,
    inspections: [cutIn(usual, longScript), menuBesideTitle],
  });
  return [...faults, ...longs];
};

/** Pages, and what a person opens on them, of a team as customers have it. */
export const walkThroughLively = async (app: AppTest, look: Look, states: readonly State[]): Promise<string[]> => {
  const { owner, addresses } = await aLivelyTeam(app, look.language);
  const page = await app.signedIn(owner, '/', look);
  const inspections = [still, ...ofAll, framed, typedIsKept];
  return walkThrough(app, page, { look, states, addresses, inspections });
};

/** Pages of a team that has nothing yet. */
export const walkThroughNew = async (app: AppTest, look: Look): Promise<string[]> => {
  const team = await app.team();
  await app.service.database.prisma.apiKey.deleteMany({ where: { tenantId: team.id } });
  const page = await app.signedIn(team.owner.email, '/', look);
  const states = pageStates.filter(({ path }) => !path.includes(':'));
  return walkThrough(app, page, { look, states, addresses: {}, inspections: ofAll, data: 'new-team' });
};
