import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import { colors } from './colors.ts';

export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, monospace",
  primaryColor: 'brand',
  primaryShade: { light: 6, dark: 5 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
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
    dark: [
      '#e4e7ec',
      '#c9ced6',
      '#a7aeb9',
      '#8b93a1',
      '#454b58',
      '#363b46',
      '#252932',
      '#1c1f26',
      '#15171c',
      '#101216',
    ],
  },
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    // Most buttons should not stand out. The main button of a page, form or dialog is `filled`.
    Button: { defaultProps: { size: 'sm', variant: 'default' } },
    // A dialog's header must not become a landmark of the page.
    Modal: {
      defaultProps: { centered: true, radius: 'lg', attributes: { header: { role: 'presentation' } } },
      styles: { title: { fontSize: 18, fontWeight: 650, lineHeight: 1.3 } },
    },
    // Mantine's own background is the colour of the page in the dark scheme.
    SegmentedControl: { defaultProps: { bg: 'var(--plain-back)' } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true }, withArrow: true } },
  },
});

export const variables: CSSVariablesResolver = () => ({ variables: {}, ...colors });
