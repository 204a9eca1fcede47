import { chartColors } from './chart-colors.ts';

/**
 * The colours of both schemes, as variables. Mantine's grey and red have too little contrast on white, and its red on
 * black. They are in a file of their own, because the frame, which is drawn first, needs no other part of the theme.
 */
export const colors = {
  light: {
    ...chartColors.light,
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#565d66',
    '--mantine-color-placeholder': '#6b727b',
    '--mantine-color-error': '#c22525',
    '--mantine-color-anchor': '#3747ad',
    '--surface': '#f7f8fb',
    '--line': '#e3e6ec',
    '--glow': '#e4e8ff',
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
    ...chartColors.dark,
    '--mantine-color-body': '#15171c',
    '--mantine-color-text': '#e4e7ec',
    '--mantine-color-dimmed': '#a7aeb9',
    '--mantine-color-placeholder': '#969eaa',
    '--mantine-color-error': '#ff9c9c',
    '--mantine-color-anchor': '#a3aef2',
    '--surface': '#1c1f26',
    '--line': '#30343e',
    '--glow': '#262d52',
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
};
