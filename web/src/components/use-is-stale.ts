import { useState } from 'react';

/** Whether a form holds other values by now than when `error` came. Without values an error stays until the next attempt. */
export function useIsStale(error: unknown, values: unknown): boolean {
  const [seen, setSeen] = useState({ error, values });
  if (seen.error !== error) {
    setSeen({ error, values });
    return false;
  }
  return seen.values !== values;
}
