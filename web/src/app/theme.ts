import { createTheme } from '@mantine/core';

/** Colours that stay readable in light and dark (WCAG AA; the browser tests check it). */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.3,
  defaultRadius: 'sm',
  cursorType: 'pointer',
});
