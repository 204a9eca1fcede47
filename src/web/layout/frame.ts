import { colors } from '../theme/colors.ts';
import classes from './frame.module.css';
import shell from './shell.module.css';

// The frame that is shown before the app has loaded: the header, the navigation and the heading of the page, at the
// same places as in the shell. The document loads this file first, because on a slow network the app takes seconds. The
// frame consists of parts that the shell has stored in this browser. Until a person has signed in, the document's own
// placeholder is shown.

const key = 'frame';

/** The navigation as it was last drawn: the names of the pages that the person may open, in their language. */
interface DrawnNavigation {
  lang: string;
  groups: readonly { name: string; entries: readonly { path: string; name: string }[] }[];
}

/** Only this app writes this value, so its parts are not checked. */
const isKept = (value: unknown): value is DrawnNavigation =>
  typeof value === 'object' && value !== null && 'groups' in value;

export const keepFrame = (kept: DrawnNavigation): void => localStorage.setItem(key, JSON.stringify(kept));

/** Called when nobody is signed in any more, so that the next person does not see this frame before they sign in. */
export const forgetFrame = (): void => localStorage.removeItem(key);

const make = (tag: string, classNames: readonly (string | undefined)[], ...children: (Node | string)[]) => {
  const made = document.createElement(tag);
  made.className = classNames.join(' ');
  made.append(...children);
  return made;
};

/** Whether only the icons of the navigation are shown, by the rule of the shell. */
const isFolded = (): boolean => {
  const chosen = localStorage.getItem('navigation-folded') ?? 'null';
  return chosen === 'null' ? matchMedia('(width < 75em)').matches : chosen === 'true';
};

const drawn = ({ lang, groups }: DrawnNavigation): HTMLElement => {
  const { pathname } = location;
  const open = groups
    .flatMap(({ entries }) => entries)
    .find(({ path }) => pathname === path || (path !== '/' && pathname.startsWith(`${path}/`)));
  const link = (entry: DrawnNavigation['groups'][number]['entries'][number]) => {
    const made = make('a', [shell['link']], make('i', [classes['icon']]), make('span', [], entry.name));
    made.setAttribute('href', entry.path);
    // This link is only for the mouse. A reader who uses the keyboard reaches the real links of the app, which come
    // soon.
    made.tabIndex = -1;
    if (entry === open) made.setAttribute('aria-current', 'page');
    return made;
  };
  const nav = make(
    'div',
    [shell['nav'], classes['nav']],
    ...groups.map(({ name, entries }) =>
      make('div', [], make('div', [shell['group']], make('span', [], name)), ...entries.map(link)),
    ),
  );
  const logo = make('img', [classes['logo']]);
  for (const [name, value] of Object.entries({ src: '/icon.svg', width: '28', height: '28', alt: '' })) {
    logo.setAttribute(name, value);
  }
  const title = open?.path === pathname ? [make('h1', [classes['title']], open.name)] : [];
  const lines = Array.from({ length: 8 }, () => make('div', [classes['line']]));
  const main = make('div', [shell['main']], make('div', [classes['page']], ...title, ...lines));
  if (isFolded()) for (const one of [nav, main]) one.dataset['folded'] = 'true';
  const frame = make('div', [classes['frame']], make('div', [shell['header']], logo), nav, main);
  frame.lang = lang;
  // The app announces that it loads.
  frame.ariaHidden = 'true';
  const chosen = localStorage.getItem('color-scheme');
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const text = { '--mantine-color-text': '#000' };
  for (const [name, value] of Object.entries({ ...text, ...colors[isDark ? 'dark' : 'light'] })) {
    frame.style.setProperty(name, value);
  }
  return frame;
};

const place = document.getElementById('frame');
const placeholder = [...(place?.childNodes ?? [])];

/** The frame as it was last drawn. If nothing is stored, or it can't be read, the document's placeholder. */
const content = (): readonly Node[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isKept(kept) ? [drawn(kept)] : placeholder;
  } catch {
    return placeholder;
  }
};

/** Shows the frame until the returned function is called. */
export const showFrame = (): (() => void) => {
  place?.replaceChildren(...content());
  return () => place?.replaceChildren();
};

showFrame();
