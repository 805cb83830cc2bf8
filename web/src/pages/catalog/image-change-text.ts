/** What a newer image changes, as lines for an admin who decides on it. */

type Names = { added: string[]; removed: string[]; changed: string[] };
export interface ImageChange {
  old_digest: string | null;
  new_digest: string;
  command_changed: boolean;
  env: Names;
  tool_scopes: Names;
}

/** Empty when the image is the one that the entry has. */
export function imageChangeLines(change: ImageChange): string[] {
  if (change.old_digest === change.new_digest) {
    return [];
  }
  return [
    `New digest: ${change.new_digest}`,
    ...(change.command_changed ? ['The image runs a different command'] : []),
    // What matters most: a manifest that no longer names a tool opens it.
    ...change.tool_scopes.removed.map(
      (tool) => `${tool} is no longer gated: agents can call it without a grant`,
    ),
    ...namesLines('Variable', change.env),
    ...namesLines('Scope of the tool', { ...change.tool_scopes, removed: [] }),
  ];
}

function namesLines(what: string, { added, removed, changed }: Names): string[] {
  const line = (how: string) => (name: string) => `${what} ${name}: ${how}`;
  return [...added.map(line('new')), ...removed.map(line('removed')), ...changed.map(line('changed'))];
}
