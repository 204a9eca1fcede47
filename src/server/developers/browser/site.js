// Adds to the pages of the documentation what needs JavaScript: the theme, copying, search while typing, and trying a request.
// Loaded in the head, so that the chosen theme applies before anything is painted. It writes text only, never HTML.

const german = document.documentElement.lang === 'de';
/** @param {string} de @param {string} en */
const t = (de, en) => (german ? de : en);

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {Record<string, string>} [attributes] @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// Theme

const themeKey = 'developers-theme';

/** Storage may be forbidden. @param {Storage} storage @param {string} key @param {string} [value] */
const remember = (storage, key, value) => {
  try {
    if (value !== undefined) storage.setItem(key, value);
    return storage.getItem(key) ?? '';
  } catch {
    return '';
  }
};

const chosen = remember(localStorage, themeKey);
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;

const offerTheme = () => {
  const button = document.querySelector('button.theme');
  if (!(button instanceof HTMLButtonElement)) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    const { dataset } = document.documentElement;
    const dark = dataset['theme'] ? dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    dataset['theme'] = remember(localStorage, themeKey, dark ? 'light' : 'dark') || (dark ? 'light' : 'dark');
  });
};

// Copying

const offerCopying = () => {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = make('button', { type: 'button', class: 'copy' }, t('Kopieren', 'Copy'));
    const copy = async () => {
      await navigator.clipboard.writeText(figure.querySelector('code')?.textContent ?? '');
      button.textContent = t('Kopiert', 'Copied');
      setTimeout(() => (button.textContent = t('Kopieren', 'Copy')), 2000);
    };
    button.addEventListener('click', () => void copy());
    figure.querySelector('figcaption')?.append(button);
  }
};

// Search while typing

const offerSuggestions = () => {
  const form = document.querySelector('form.search');
  const field = form?.querySelector('input');
  if (!(form instanceof HTMLFormElement) || !field) return;
  const list = make('ul', { class: 'suggestions', hidden: '' });
  const status = make('p', { class: 'unseen', role: 'status' });
  form.append(list, status);
  const close = () => (list.hidden = true);
  /** @param {string} text */
  const showNote = (text) => {
    list.replaceChildren(make('li', { class: 'note' }, text));
    list.hidden = false;
    status.textContent = text;
  };
  let asked = 0;
  let timer = 0;

  const suggest = async () => {
    const query = field.value.trim();
    const turn = (asked += 1);
    if (query.length < 2) {
      close();
      return;
    }
    if (list.hidden) showNote(t('Wird gesucht …', 'Searching …'));
    const answer = await fetch(`${form.action}?q=${encodeURIComponent(query)}`, {
      headers: { Accept: 'application/json' },
    });
    if (!answer.ok || turn !== asked) return;
    /** @type {{ hits: { path: string, anchor: string, page: string, heading: string, excerpt: string[] }[] }} */
    const { hits } = await answer.json();
    const language = document.documentElement.lang;
    const items = hits.slice(0, 8).map(({ path, anchor, page, heading, excerpt }) => {
      const href = `/developers/${language}/${path}${anchor && `#${anchor}`}`;
      const parts = excerpt.map((part, at) => (at % 2 === 1 ? make('mark', {}, part) : part));
      const title = make('b', {}, heading || page, make('span', {}, heading ? page : ''));
      return make('li', {}, make('a', { href }, title, make('small', {}, ...parts)));
    });
    if (items.length === 0) {
      showNote(t('Nichts gefunden', 'Nothing found'));
      return;
    }
    list.replaceChildren(...items);
    list.hidden = false;
    status.textContent = t(`${hits.length} Treffer`, hits.length === 1 ? '1 result' : `${hits.length} results`);
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void suggest().catch(close), 120);
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close();
      field.focus();
    }
    if (list.hidden || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    const stops = [field, ...list.querySelectorAll('a')];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    stops[(at + (event.key === 'ArrowDown' ? 1 : stops.length - 1)) % stops.length]?.focus();
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
  list.addEventListener('click', close);
  document.addEventListener('keydown', (event) => {
    const isSlash = event.key === '/' && event.target === document.body;
    const isCtrlK = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    if (!isSlash && !isCtrlK) return;
    event.preventDefault();
    field.focus();
  });
};

// Contents

const markCurrentSection = () => {
  const sections = [...document.querySelectorAll('.contents a')].flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.getAttribute('href')?.slice(1) ?? ''));
    return heading ? [{ link, heading }] : [];
  });
  const mark = () => {
    const current = sections.findLast(({ heading }) => heading.getBoundingClientRect().top < innerHeight * 0.3);
    for (const section of sections) section.link.toggleAttribute('data-current', section === current);
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
};

// Trying a request

const keyName = 'developers-api-key';

/** The body of a curl line of the reference: what stands in `-d '…'`. @param {string} code */
const bodyIn = (code) => {
  const start = code.indexOf("-d '");
  if (start < 0) return '';
  const quoted = code.slice(start + "-d '".length, code.lastIndexOf("'"));
  return JSON.stringify(JSON.parse(quoted.replaceAll(String.raw`'\''`, "'")), null, 2);
};

/** @param {string} label @param {HTMLElement} field */
const labelled = (label, field) => make('label', {}, make('span', {}, label), field);

/** @param {Element} figure */
const openTrial = (figure) => {
  const [method = 'GET', path = ''] = (figure.getAttribute('data-try') ?? '').split(' ');
  const key = make('input', { type: 'password', autocomplete: 'off', placeholder: 'svck_live_…', spellcheck: 'false' });
  key.value = remember(sessionStorage, keyName);
  const target = make('input', { type: 'text', spellcheck: 'false' });
  target.value = path;
  const body = make('textarea', { rows: '8', spellcheck: 'false' });
  body.value = bodyIn(figure.querySelector('code')?.textContent ?? '');
  const hasBody = body.value !== '';
  const output = make('pre', { tabindex: '0', hidden: '' });
  const status = make('p', { role: 'status' });
  const form = make(
    'form',
    { class: 'try' },
    labelled(t('API-Schlüssel (bleibt in diesem Tab)', 'API key (stays in this tab)'), key),
    labelled(t(`Pfad und Query (${method})`, `Path and query (${method})`), target),
    ...(hasBody ? [labelled(t('Inhalt', 'Body'), body)] : []),
    make(
      'p',
      { class: 'hint' },
      t(
        'Die Anfrage geht an diesen Dienst und gilt wirklich: sie ändert Daten Ihres Teams.',
        'The request goes to this service and is real: it changes your team’s data.',
      ),
    ),
    make('button', { type: 'submit' }, t('Senden', 'Send')),
    status,
    output,
  );
  if (method === 'GET') form.querySelector('.hint')?.remove();
  const send = async () => {
    remember(sessionStorage, keyName, key.value);
    status.textContent = t('Wird gesendet …', 'Sending …');
    try {
      const answer = await fetch(`/api/public/v1${target.value.startsWith('/') ? '' : '/'}${target.value}`, {
        method,
        headers: {
          Authorization: `Bearer ${key.value.trim()}`,
          ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
        },
        ...(hasBody ? { body: body.value } : {}),
      });
      const text = await answer.text();
      const remaining = answer.headers.get('RateLimit-Remaining');
      const left = remaining === null ? '' : t(` · noch ${remaining} Anfragen`, ` · ${remaining} requests left`);
      status.textContent = `${answer.status} ${answer.statusText}${left}`;
      output.textContent = /[/+]json/.test(answer.headers.get('Content-Type') ?? '')
        ? JSON.stringify(JSON.parse(text), null, 2)
        : text;
      output.hidden = text === '';
    } catch (error) {
      status.textContent = String(error);
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  figure.after(form);
  key.focus();
};

const offerTrials = () => {
  for (const figure of document.querySelectorAll('figure[data-try]')) {
    const button = make(
      'button',
      { type: 'button', class: 'try', 'aria-expanded': 'false' },
      t('Ausprobieren', 'Try it'),
    );
    button.addEventListener('click', () => {
      const open = figure.nextElementSibling;
      if (open instanceof HTMLFormElement) open.remove();
      else openTrial(figure);
      button.setAttribute('aria-expanded', String(!(open instanceof HTMLFormElement)));
    });
    figure.querySelector('figcaption')?.append(button);
  }
};

/** The navigation may be longer than the window, and the pages of the reference are at its end. */
const showCurrentPage = () => {
  const pages = document.querySelector('.pages');
  const current = pages?.querySelector('[aria-current]');
  if (pages && current instanceof HTMLElement) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
};

document.addEventListener('DOMContentLoaded', () => {
  showCurrentPage();
  offerTheme();
  offerTrials();
  offerCopying();
  offerSuggestions();
  markCurrentSection();
});
