import { initialLanguage } from './language/initial-language.ts';
import { isServerReady } from './loading/connection.ts';
import { askForOverview, askWho } from './loading/first-answers.ts';
import { keepTrying } from './loading/keep-trying.ts';
import { loadNewVersion } from './loading/version.ts';

// The first script of the document. It is small and requests at once everything that the first page needs, code and answers. It must not
// import the app's libraries (React), because it would have to wait for them.

const isEntrance = /^\/(?:sign-in|reset-password|invitations)(?:\/|$)/.test(location.pathname);
const isOverview = location.pathname === '/';

const ignore = (): void => undefined;

/** Parts of the first page that the app would request only when it draws them. The app handles failures itself. */
const loadAhead = (): void => {
  if (isEntrance) {
    if (location.pathname === '/sign-in') import('./pages/entrance/sign-in.tsx').catch(ignore);
    return;
  }
  import('./layout/shell.tsx').catch(ignore);
  import('./layout/page-gate.tsx').catch(ignore);
  // The page with which most people start.
  if (isOverview) import('./pages/overview/overview.tsx').catch(ignore);
};

const askAhead = async (): Promise<void> => {
  const team = await askWho();
  // A suspended team has no overview.
  if (team?.status !== 'active' || !isOverview) return;
  if (team.may.includes('admin')) askForOverview(team.tenant_id);
  else import('./pages/overview/own-overview.tsx').catch(ignore);
};

/** Shows that the app can't be loaded, and reloads the document as soon as the server answers. */
const beginAgain = (): void => {
  const root = document.getElementById('root');
  if (root) {
    root.textContent =
      initialLanguage() === 'de'
        ? 'Der Server ist derzeit nicht erreichbar. Die Anwendung öffnet sich automatisch, sobald er wieder erreichbar ist.'
        : 'The server can’t be reached at the moment. The app opens automatically as soon as it is back.';
  }
  keepTrying(async () => (await isServerReady()) && loadNewVersion());
};

/** The theme that was chosen in this browser; otherwise the styles follow the system. */
const showColorScheme = (): void => {
  const chosen = localStorage.getItem('color-scheme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.style.colorScheme = chosen;
};

const begin = async (): Promise<void> => {
  try {
    const app = import('./main.tsx');
    loadAhead();
    showColorScheme();
    askAhead().catch(ignore);
    await app;
    document.documentElement.style.colorScheme = '';
  } catch (error) {
    beginAgain();
    throw error;
  }
};

void begin();
