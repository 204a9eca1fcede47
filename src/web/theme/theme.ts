import { createTheme } from '@mantine/core';
import type { CSSVariablesResolver } from '@mantine/core';

export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, monospace",
  primaryColor: 'brand',
  primaryShade: { light: 6, dark: 5 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  headings: { fontWeight: '650' },
  colors: {
    brand: [
      '#eef0ff',
      '#dde1fb',
      '#bcc4f6',
      '#a3aef2',
      '#8593ea',
      '#5365dc',
      '#4355cc',
      '#3747ad',
      '#2f3d92',
      '#263275',
    ],
  },
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    Button: { defaultProps: { size: 'sm' } },
    // The heading of a dialog is no landmark of the page.
    Modal: { defaultProps: { centered: true, radius: 'lg', attributes: { header: { role: 'presentation' } } } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true }, withArrow: true } },
  },
});

/** The library's grey and red are too pale on white, and its red too dark on black, for everybody to read them. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#565d66',
    '--mantine-color-placeholder': '#6b727b',
    '--mantine-color-error': '#c22525',
    '--mantine-color-anchor': '#3747ad',
    '--surface': '#f7f8fb',
    '--line': '#e3e6ec',
    '--good': '#16683a',
    '--good-back': '#e2f5e9',
    '--warn': '#7a4a00',
    '--warn-back': '#fdf0d5',
    '--bad': '#a61e1e',
    '--bad-back': '#fdeaea',
    '--info': '#2f3d92',
    '--info-back': '#e9ecfd',
    '--plain': '#3f4650',
    '--plain-back': '#eceef2',
  },
  dark: {
    '--mantine-color-body': '#15171c',
    '--mantine-color-text': '#e4e7ec',
    '--mantine-color-dimmed': '#a7aeb9',
    '--mantine-color-placeholder': '#969eaa',
    '--mantine-color-error': '#ff9c9c',
    '--mantine-color-anchor': '#a3aef2',
    '--surface': '#1c1f26',
    '--line': '#30343e',
    '--good': '#8fe0af',
    '--good-back': '#173525',
    '--warn': '#f3c97a',
    '--warn-back': '#3a2c10',
    '--bad': '#ffa8a8',
    '--bad-back': '#421d1f',
    '--info': '#bcc4f6',
    '--info-back': '#262d52',
    '--plain': '#c9ced6',
    '--plain-back': '#2a2e37',
  },
});
