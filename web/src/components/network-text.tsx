import { useAvailability } from '../api/use-availability.ts';

/** What an agent or a server may reach, and whether there is a way to it here. */
export function NetworkText({ network }: { network: 'none' | 'internet' }) {
  const why = useAvailability()?.internet ?? null;
  if (network === 'none') {
    return 'none';
  }
  return `the internet, without private networks${why === null ? '' : `. It gets none here: ${why}.`}`;
}
