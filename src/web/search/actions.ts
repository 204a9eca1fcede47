import {
  IconBook,
  IconDownload,
  IconKey,
  IconKeyboard,
  IconLanguage,
  IconListCheck,
  IconLock,
  IconLogout,
  IconPlus,
  IconSettings,
  IconUserOff,
  type IconUser,
} from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { docsAddress } from '../kit/text/text.tsx';
import { currentLanguage, t } from '../language/language.tsx';
import { otherLanguage, useOtherScheme } from '../layout/choices.tsx';
import { useKeepLanguage } from '../session/own-language.ts';
import { useSignOut } from '../session/sign-out.ts';
import { useSignedIn } from '../session/signed-in.tsx';
import { addressOf, type Section } from '../pages/settings/rights.ts';
import { canCreate, findsPeople, settingsFor } from './rights.ts';

/** An action, a setting or a page of the documentation. The search offers them besides the app's pages and objects. */
export interface Offer {
  key: string;
  kind: string;
  name: string;
  /** Other words, in both languages, by which the search finds it. */
  words: string;
  Icon: typeof IconUser;
  /** Absent for an action that everybody can do. */
  isOffered?: boolean;
  run: () => void;
}

/** Presses the button of a page for a new object, as soon as the page is shown. */
const pressCreate = (): void => {
  const began = performance.now();
  const look = (): void => {
    const button = document.querySelector<HTMLElement>('#main [data-creates]');
    if (button) button.click();
    else if (performance.now() - began < 5_000) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};

/** Actions, settings and pages of the documentation. */
export const useOffers = (onShortcuts: () => void): readonly Offer[] => {
  const navigate = useNavigate();
  const { may, team } = useSignedIn();
  const signOut = useSignOut();
  const scheme = useOtherScheme();
  const language = otherLanguage(useKeepLanguage());
  const [action, setting, docs] = [t('Aktion', 'Action'), t('Einstellung', 'Setting'), t('Dokumentation', 'Docs')];
  const [creates, sections] = [canCreate(may, team), settingsFor(may)];
  const create = (path: keyof typeof creates, name: string, words: string): Offer => ({
    key: `create ${path}`,
    kind: action,
    name,
    words,
    Icon: IconPlus,
    isOffered: creates[path],
    run: () => {
      void navigate(path);
      pressCreate();
    },
  });
  const go = (to: string, rest: Omit<Offer, 'key' | 'run'>): Offer => ({
    key: to,
    ...rest,
    run: () => void navigate(to),
  });
  const page = (path: string, name: string, words: string): Offer => ({
    key: `docs ${path}`,
    kind: docs,
    name,
    words,
    Icon: IconBook,
    run: () => window.open(docsAddress(path), '_blank', 'noreferrer'),
  });
  const act = (name: string, words: string, Icon: typeof IconUser, run: () => void): Offer => ({
    key: name,
    kind: action,
    name,
    words,
    Icon,
    run,
  });
  const section = (id: Section, name: string, words: string): Offer =>
    go(addressOf(id), { kind: setting, name, words, Icon: IconSettings, isOffered: sections.includes(id) });
  const offers: readonly Offer[] = [
    create('/members', t('Mitglieder einladen …', 'Invite members …'), 'invite einladen add user hinzufügen'),
    create('/assignments', t('Aufgabe zuweisen …', 'Create assignment …'), 'assign new neu anlegen zuweisen'),
    { ...create('/keys', t('API-Schlüssel anlegen …', 'Create API key …'), 'token new neu'), Icon: IconKey },
    create('/webhooks', t('Webhook-Endpunkt anlegen …', 'Create webhook endpoint …'), 'webhook new neu'),
    go('/assignments?overdue=true', {
      kind: action,
      name: t('Überfällige Aufgaben', 'Overdue assignments'),
      words: 'overdue late überfällig reminder erinnern',
      Icon: IconListCheck,
      isOffered: findsPeople(may, team),
    }),
    go('/members?inactive=true', {
      kind: action,
      name: t('Wer hat seit 14 Tagen nicht geübt?', 'Who has not practised for 14 days?'),
      words: 'inactive inaktiv idle',
      Icon: IconUserOff,
      isOffered: findsPeople(may, team),
    }),
    section('company-account', t('Firmenkonto', 'Company account'), 'sso single sign-on oidc okta entra google'),
    section(
      'required-sign-in',
      t('Anmelderichtlinie', 'Sign-in policy'),
      '2fa mfa two-factor second zwei-faktor zweiter faktor require verlangen',
    ),
    section(
      'directory',
      t('Verzeichnis (SCIM)', 'Directory (SCIM)'),
      'provisioning bereitstellung okta entra azure leavers austritt',
    ),
    section('privacy', t('Datenschutz', 'Privacy'), 'gdpr dsgvo leaderboard rangliste hide ausblenden'),
    section(
      'reminders',
      t('Automatische Erinnerungen', 'Automatic reminders'),
      'due fällig assignments aufgaben email',
    ),
    section('limits', t('Limits', 'Limits'), 'plan seats plätze rate'),
    { ...section('export', t('Daten exportieren', 'Export data'), 'download backup zip'), Icon: IconDownload },
    go('/account', {
      kind: setting,
      Icon: IconLock,
      name: t('Passwort, Passkeys und 2FA', 'Password, passkeys and 2FA'),
      words: 'two-factor second zwei-faktor zweiter faktor mfa security sicherheit konto account profil',
    }),
    act(scheme.label, 'dark light theme mode dunkel hell design', scheme.Icon, scheme.choose),
    act(
      currentLanguage() === 'de' ? 'Sprache: English' : 'Language: Deutsch',
      'language sprache english deutsch german englisch',
      IconLanguage,
      language.choose,
    ),
    act(t('Tastenkürzel …', 'Keyboard shortcuts …'), 'keys help hilfe', IconKeyboard, onShortcuts),
    act(t('Abmelden', 'Sign out'), 'log out logout sign out abmelden', IconLogout, () => void signOut()),
    page('quick-start', t('Schnellstart', 'Quick start'), 'docs documentation dokumentation api first request'),
    page('webhooks', t('Webhooks empfangen', 'Receiving webhooks'), 'docs documentation dokumentation retry'),
    page('webhook-signatures', t('Signaturen prüfen', 'Verifying signatures'), 'docs webhook secret hmac'),
    page('errors', t('Fehler der API', 'API errors'), 'docs 401 403 409 422 429 problem'),
    page('company-account', t('Firmenkonto einrichten', 'Setting up the company account'), 'docs sso single sign-on'),
    page('directory', t('Verzeichnis anbinden', 'Connecting the directory'), 'docs scim provisioning okta entra'),
    page('privacy', t('Datenschutz in der API', 'Privacy in the API'), 'docs gdpr dsgvo'),
  ];
  return offers.filter(({ isOffered = true }) => isOffered);
};
