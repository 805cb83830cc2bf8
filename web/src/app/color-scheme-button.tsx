import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Icon } from '../components/icon.tsx';

/** Follows the system's setting until the person chooses. */
export function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const label = `Switch to ${other} mode`;
  return (
    <button
      type="button"
      className="side-button"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(other)}
    >
      <Icon name="moon" />
    </button>
  );
}
