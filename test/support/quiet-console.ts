import { jest } from '@jest/globals';

/**
 * Keeps `oidc-provider` from warning about what it leaves to its users, such as storage. Returns how
 * the process warns again.
 */
export function quietConsole(): () => void {
  const spies = (['warn', 'info'] as const).map((method) =>
    jest.spyOn(console, method).mockImplementation(() => {}),
  );
  return () => {
    for (const spy of spies) {
      spy.mockRestore();
    }
  };
}
