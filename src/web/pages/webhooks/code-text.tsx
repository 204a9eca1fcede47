import type { ReactNode } from 'react';
import classes from './code-text.module.css';

interface CodeTextProps {
  /** For screen readers. */
  label: string;
  children: ReactNode;
}

/** Code or data, always shown as plain text. */
export const CodeText = ({ label, children }: CodeTextProps) => (
  <pre className={classes['code'] ?? ''} role="group" aria-label={label} translate="no">
    {children}
  </pre>
);

const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"(\s*:)?|\\?$)|\b(?:true|false|null)\b|-?\b\d[\d.e+-]*/gi;

const indented = (text: string): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
};

const coloured = (json: string): ReactNode[] => {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const found of json.matchAll(tokens)) {
    const [token] = found;
    if (found.index > end) parts.push(quiet(json.slice(end, found.index), end));
    const isName = found[1] !== undefined;
    const color = token.startsWith('"') ? 'var(--good)' : 'var(--info)';
    parts.push(
      <span key={found.index} style={isName ? {} : { color }}>
        {token}
      </span>,
    );
    end = found.index + token.length;
  }
  return [...parts, quiet(json.slice(end), end)];
};

const quiet = (text: string, at: number): ReactNode => (
  <span key={at} style={{ color: 'var(--mantine-color-dimmed)' }}>
    {text}
  </span>
);

/** Indents and colours JSON. Other text is shown unchanged. */
export const JsonText = ({ label, text }: { label: string; text: string }) => {
  const json = indented(text);
  return <CodeText label={label}>{json === undefined ? text : coloured(json)}</CodeText>;
};
