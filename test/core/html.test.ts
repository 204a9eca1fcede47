import { expect, it } from 'vitest';
import { escapeHtml } from '../../src/core/html.ts';

it('a text for HTML has no character with a meaning there, also within quotes, and nothing is escaped twice', () => {
  expect(escapeHtml(`<a href="x" title='y'> & Müller`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt; &amp; Müller',
  );
  expect(escapeHtml('&lt;')).toBe('&amp;lt;');
});
