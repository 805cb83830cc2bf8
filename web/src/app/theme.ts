import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** The library's components in our type and shape; colours and depth are in tokens.css. */
export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 8, dark: 7 },
  colors: {
    petrol: [
      ...(['#eaf5f7', '#d3e9ed', '#a5d2da', '#73bac6', '#4aa4b4'] as const),
      ...(['#2a93a5', '#138a9c', '#0f7787', '#0b6775', '#07454f'] as const),
    ],
    gray: [
      ...(['#f6f7f7', '#f3f5f5', '#eef0f1', '#e6e9ea', '#d3d8da'] as const),
      ...(['#848e95', '#657077', '#525b62', '#363d43', '#14181b'] as const),
    ],
    dark: [
      ...(['#e8ecee', '#a3adb4', '#87929a', '#6d777e', '#363d43'] as const),
      ...(['#252a2f', '#1b2024', '#14171a', '#0f1214', '#0b0d0f'] as const),
    ],
  },
  fontFamily: '"Inter Variable", Inter, system-ui, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, "SFMono-Regular", Menlo, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1.0625rem', xl: '1.25rem' },
  lineHeights: { xs: '1.34', sm: '1.54', md: '1.57', lg: '1.42', xl: '1.4' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '28px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '2rem' },
      h2: { fontSize: '1.25rem', lineHeight: '1.75rem' },
      h3: { fontSize: '1.0625rem', lineHeight: '1.5rem' },
      h4: { fontSize: '0.875rem', lineHeight: '1.25rem' },
      h5: { fontSize: '0.8125rem', lineHeight: '1.25rem' },
      h6: { fontSize: '0.75rem', lineHeight: '1rem' },
    },
  },
  autoContrast: true,
  luminanceThreshold: 0.3,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // By name and without `extend`, which would load each of them before the first page.
  components: {
    // Otherwise the page would scroll to its top, where a list is before it is positioned, when its chosen
    // option is scrolled into view.
    Combobox: { defaultProps: { floatingStrategy: 'fixed' } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, radius: 'lg' } },
    Text: { defaultProps: { size: 'sm' } },
    List: { defaultProps: { size: 'sm' } },
    Card: { defaultProps: { radius: 'md' } },
    Switch: { defaultProps: { withThumbIndicator: false } },
  },
});

/** The library's names of colours, and what they mean here. */
const meanings = {
  petrol: 'accent',
  blue: 'run',
  yellow: 'wait',
  orange: 'wait',
  green: 'ok',
  red: 'fail',
  violet: 'refused',
  grape: 'refused',
  gray: 'idle',
};

const ofMeanings = Object.fromEntries(
  Object.entries(meanings).flatMap(([name, meaning]) => {
    const text = meaning === 'accent' ? 'accent-text' : meaning;
    return [
      [`--mantine-color-${name}-light`, `var(--gp-${meaning}-soft)`],
      [`--mantine-color-${name}-light-hover`, `var(--gp-${meaning}-soft)`],
      [`--mantine-color-${name}-light-color`, `var(--gp-${text})`],
      [`--mantine-color-${name}-outline`, `var(--gp-${text})`],
      [`--mantine-color-${name}-outline-hover`, `var(--gp-${meaning}-soft)`],
    ];
  }),
);

const roles = {
  ...ofMeanings,
  '--mantine-color-body': 'var(--gp-bg)',
  '--mantine-color-text': 'var(--gp-text)',
  '--mantine-color-bright': 'var(--gp-text)',
  '--mantine-color-dimmed': 'var(--gp-muted)',
  '--mantine-color-placeholder': 'var(--gp-faint)',
  '--mantine-color-anchor': 'var(--gp-accent-text)',
  '--mantine-color-error': 'var(--gp-fail)',
  '--mantine-color-default': 'var(--gp-raised)',
  '--mantine-color-default-hover': 'var(--gp-sunken)',
  '--mantine-color-default-color': 'var(--gp-text)',
  '--mantine-color-default-border': 'var(--gp-line-strong)',
  '--mantine-color-red-filled': 'var(--gp-fail-solid)',
  '--mantine-color-red-filled-hover': 'var(--gp-fail-solid)',
  '--mantine-primary-color-filled-hover': 'var(--gp-accent-hover)',
};

/** The library's own colours by the tokens, which are pairs of light and dark. */
export const colorsByTokens: CSSVariablesResolver = () => ({ variables: {}, light: roles, dark: roles });
