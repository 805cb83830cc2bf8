import type { Workspace } from '../../api/types.ts';

export type Values = Pick<Workspace, 'name' | 'settings'>;

/** Only what was changed is sent, so that what somebody else changes meanwhile stays. */
export function changesOf(
  before: Values,
  after: Values,
): { name?: string; settings?: Partial<Values['settings']> } {
  const settings = Object.fromEntries(
    Object.entries(after.settings).filter(
      ([name, on]) => new Map(Object.entries(before.settings)).get(name) !== on,
    ),
  );
  return {
    ...(after.name === before.name ? {} : { name: after.name }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}
