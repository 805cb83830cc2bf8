import type { Workspace } from '../../api/types.ts';

export type WorkspaceValues = Pick<Workspace, 'name' | 'settings'>;

/** Only what was changed is sent, so that concurrent changes of others are kept. */
export function changesOf(
  before: WorkspaceValues,
  after: WorkspaceValues,
): { name?: string; settings?: Partial<WorkspaceValues['settings']> } {
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
