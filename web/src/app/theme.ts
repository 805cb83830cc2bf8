import { Combobox, type CSSVariablesResolver, createTheme, Modal } from '@mantine/core';

/** Colours that stay readable in light and dark (WCAG AA; the browser tests check it). */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.3,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Otherwise the page would scroll to its top, where a list is before it is positioned, when its chosen
    // option is scrolled into view.
    Combobox: Combobox.extend({ defaultProps: { floatingStrategy: 'fixed' } }),
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    // By its name: the tables themselves are not part of the first load.
    TableScrollContainer: { defaultProps: { type: 'native', className: 'wide-table' } },
  },
});

/** Where the library's own colours are too faint for small text. */
export const readableColors: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...Object.fromEntries(
      Object.entries(colors).map(([name, shades]) => [
        `--mantine-color-${name}-light-color`,
        `color-mix(in srgb, ${shades[9]} 70%, black)`,
      ]),
    ),
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[6],
    '--mantine-color-error': colors.red[9],
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[2],
    '--mantine-color-error': colors.red[4],
  },
});
